/**
 * The pages where readers of mails unsubscribe and resubscribe. The link in the mail is all they need. A GET request
 * changes nothing, because link checkers open every link.
 */

import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { EmailSettings } from '../adapters/channels/email/settings.ts';
import { isOpen } from '../core/delivery/receivers/health.ts';
import { findRenamed } from '../core/delivery/receivers/rename.ts';
import { type HealthPorts, readHealth } from '../core/delivery/receivers/subscription-state.ts';
import { isMuted, type Reader, readUnsubscribeToken } from '../core/delivery/signing/unsubscribe.ts';
import { isExpired } from '../core/model/subscription.ts';
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

/** A reader with a valid link, and what is true of them now. */
interface FoundReader extends Reader {
  /** Whether the subscription sends to the address; to whom it concerns, if it sends to the people of a record. */
  readonly isListed: boolean;
  readonly isPersonal: boolean;
  readonly isMuted: boolean;
  /** Whether the subscription sends: it is neither paused nor disabled. */
  readonly isActive: boolean;
}

/** Each change is kept, with its entry in the trail. Unsubscribing alone, which changes nothing the second time, has no limit. */
const RESUBSCRIPTIONS: BucketSize = { burst: 5, interval: HOUR };

export function unsubscribeApp(options: UnsubscribeOptions): Hono {
  const app = new Hono();

  /** Undefined for an invalid token, and for a subscription that does not exist or sends no mail: guessing reveals nothing. */
  const findReader = async (context: Context): Promise<FoundReader | undefined> => {
    const reader = readUnsubscribeToken(
      context.req.param('token') ?? '',
      await options.secrets.resolve(options.secret),
    );
    if (reader === undefined) return undefined;
    const now = options.clock.now();
    const subscription =
      (await options.subscriptions.get(reader.subscription)) ??
      // A mail sent before the subscription was renamed.
      (await findRenamed(options.subscriptions, reader.subscription, now));
    // The name may belong to another one by now.
    if (subscription?.to.channel !== 'email' || isExpired(subscription, now)) return undefined;
    const { name } = subscription;
    const { to } = subscription.to.settings as EmailSettings;
    const { muted, state } = await readHealth(options, name);
    return {
      address: reader.address,
      subscription: name,
      isListed: typeof to === 'string' || isMuted(to, reader.address),
      isPersonal: typeof to === 'string',
      isMuted: isMuted(muted, reader.address),
      isActive: isOpen({ state }),
    };
  };

  app.get('/unsubscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    if (!reader.isListed) return showUnlisted(context, reader);
    return reader.isMuted ? showUnsubscribed(context, reader) : ask(context, reader);
  });

  // Mail clients post `List-Unsubscribe=One-Click`, the page an empty form: the body makes no difference.
  app.post('/unsubscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    if (!reader.isListed) return showUnlisted(context, reader);
    await setWanted(options, reader, false);
    return showUnsubscribed(context, reader);
  });

  app.post('/subscribe/:token', async (context) => {
    const reader = await findReader(context);
    if (reader === undefined) return notFound(context);
    if (!reader.isListed) return showUnlisted(context, reader);
    if (reader.isMuted && (await mustWait(options, reader))) return showWait(context, reader);
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

function ask(context: Context, reader: FoundReader) {
  return showPage(context, 'Unsubscribe?', html`${readerLine(reader)}${button(context, 'unsubscribe')}`);
}

/** The mail with the link is older than the list, or than the subscription that has the name. */
function showUnlisted(context: Context, reader: Reader) {
  return showPage(context, 'No mail is sent to you', line(reader, 'is not among the readers of'));
}

function showUnsubscribed(context: Context, reader: Reader) {
  const undo = html`<p class="soft">Changed your mind?</p>${button(context, 'subscribe')}`;
  return showPage(context, 'You are unsubscribed', html`${line(reader, 'no longer gets mail from')}${undo}`);
}

function showResubscribed(context: Context, reader: FoundReader) {
  return showPage(context, 'You are subscribed again', html`${readerLine(reader)}${button(context, 'unsubscribe')}`);
}

function showWait(context: Context, reader: Reader) {
  const again = html`<p class="soft">You have subscribed again several times. Please wait an hour.</p>`;
  return showPage(context, 'You are unsubscribed', html`${line(reader, 'no longer gets mail from')}${again}`, 429);
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

function readerLine(reader: FoundReader): Html {
  const about = reader.isPersonal ? ' about what concerns them' : '';
  return line(reader, 'gets mail from', reader.isActive ? about : `${about} when it is resumed: it sends none now`);
}

function line({ address, subscription }: Reader, verb: string, rest = ''): Html {
  return html`<p><strong>${address}</strong> ${verb} <strong>${subscription}</strong>${rest}.</p>`;
}

const BUTTON_LABELS = { unsubscribe: 'Unsubscribe', subscribe: 'Subscribe again' } as const;

/** A relative URL also works behind a proxy with a path prefix. */
function button(context: Context, verb: keyof typeof BUTTON_LABELS): Html {
  const token = context.req.param('token') ?? '';
  return html`<form method="post" action="../${verb}/${token}"><button>${BUTTON_LABELS[verb]}</button></form>`;
}
