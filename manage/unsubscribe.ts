/**
 * The pages where readers of mails unsubscribe and resubscribe. The link in the mail is all they need. A GET request
 * changes nothing, because link checkers open every link.
 */

import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { findRenamed } from '../core/delivery/receivers/rename.ts';
import { type HealthPorts, readHealth } from '../core/delivery/receivers/subscription-state.ts';
import { isMuted, type Reader, readUnsubscribeToken } from '../core/delivery/signing/unsubscribe.ts';
import { HOUR } from '../core/model/time.ts';
import type { BucketSize } from '../core/model/token-bucket.ts';
import type { AuditPorts } from '../core/ports/audit-store.ts';
import type { RequestLimiter } from '../core/ports/request-limiter.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { setReaderWanted } from '../core/subscriptions/readers.ts';
import { type Html, showPage } from './page.ts';

export interface UnsubscribeOptions extends HealthPorts {
  readonly subscriptions: Pick<SubscriptionStore, 'get' | 'list'>;
  readonly secrets: Secrets;
  /** The reference to the secret that signs the links in mails. */
  readonly secret: string;
  /** The trail of who unsubscribed. @default - it is not written: this process may not */
  readonly trail?: Pick<AuditPorts, 'audit' | 'randomBytes'>;
  /** Limits how often a reader subscribes again. @default - no limit: this process may not write it */
  readonly requestLimiter?: RequestLimiter | undefined;
}

/** Each change is kept, with its entry in the trail. Unsubscribing alone, which changes nothing the second time, has no limit. */
const RESUBSCRIPTIONS: BucketSize = { burst: 5, interval: HOUR };

export function unsubscribeApp(options: UnsubscribeOptions): Hono {
  const app = new Hono();

  /** Undefined for an invalid token and for an unknown subscription alike: guessing reveals nothing. */
  const findReader = async (context: Context): Promise<Reader | undefined> => {
    const reader = readUnsubscribeToken(
      context.req.param('token') ?? '',
      await options.secrets.resolve(options.secret),
    );
    if (reader === undefined) return undefined;
    const subscription =
      (await options.subscriptions.get(reader.subscription)) ??
      // A mail sent before the subscription was renamed.
      (await findRenamed(options.subscriptions, reader.subscription, options.clock.now()));
    return subscription && { ...reader, subscription: subscription.name };
  };

  app.get('/unsubscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    const { muted } = await readHealth(options, reader.subscription);
    return isMuted(muted, reader.address) ? showUnsubscribed(context, reader) : ask(context, reader);
  });

  // Mail clients post `List-Unsubscribe=One-Click`, the page an empty form: the body makes no difference.
  app.post('/unsubscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    await setWanted(options, reader, false);
    return showUnsubscribed(context, reader);
  });

  app.post('/subscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    const { muted } = await readHealth(options, reader.subscription);
    if (isMuted(muted, reader.address) && (await mustWait(options, reader))) return showWait(context, reader);
    await setWanted(options, reader, true);
    return showResubscribed(context, reader);
  });

  return app;
}

async function mustWait(
  { requestLimiter, clock }: UnsubscribeOptions,
  { subscription, address }: Reader,
): Promise<boolean> {
  const name = `reader ${subscription} ${address.toLowerCase()}`;
  return requestLimiter !== undefined && (await requestLimiter.take(name, RESUBSCRIPTIONS, clock.now())) > 0;
}

async function setWanted({ trail, ...ports }: UnsubscribeOptions, reader: Reader, wanted: boolean): Promise<void> {
  await setReaderWanted({ ...ports, ...trail }, { kind: 'reader', id: reader.address }, reader, wanted);
}

function ask(context: Context, reader: Reader) {
  return showPage(context, 'Unsubscribe?', html`${line(reader, 'gets')}${button(context, 'unsubscribe')}`);
}

function showUnsubscribed(context: Context, reader: Reader) {
  const undo = html`<p class="soft">Changed your mind?</p>${button(context, 'subscribe')}`;
  return showPage(context, 'You are unsubscribed', html`${line(reader, 'no longer gets')}${undo}`);
}

function showResubscribed(context: Context, reader: Reader) {
  return showPage(context, 'You are subscribed again', html`${line(reader, 'gets')}${button(context, 'unsubscribe')}`);
}

function showWait(context: Context, reader: Reader) {
  const again = html`<p class="soft">You have subscribed again several times. Please wait an hour.</p>`;
  return showPage(context, 'You are unsubscribed', html`${line(reader, 'no longer gets')}${again}`, 429);
}

function notFound(context: Context) {
  return showPage(
    context,
    'Page not found',
    html`<p>This link is not valid, or no longer valid.</p>
      <p class="soft">Use the link in a newer mail. If there is none, nothing is sent to you any more; else answer the mail, and the person who runs Tidings can help.</p>`,
    404,
  );
}

function line({ address, subscription }: Reader, verb: string): Html {
  return html`<p><strong>${address}</strong> ${verb} mail from <strong>${subscription}</strong>.</p>`;
}

const BUTTON_LABELS = { unsubscribe: 'Unsubscribe', subscribe: 'Subscribe again' } as const;

/** A relative URL also works behind a proxy with a path prefix. */
function button(context: Context, verb: keyof typeof BUTTON_LABELS): Html {
  const token = context.req.param('token') ?? '';
  return html`<form method="post" action="../${verb}/${token}"><button>${BUTTON_LABELS[verb]}</button></form>`;
}
