/**
 * Where readers of mails end their part of a subscription, and come back. The link in a mail is all they need. Looking
 * never acts: programs that check links look at every one.
 */

import { type Context, Hono } from 'hono';
import { changeHealth, type HealthPorts, readHealth } from '../core/delivery/subscription-state.ts';
import { isMuted, mute, type Reader, readUnsubscribeToken } from '../core/delivery/unsubscribe.ts';
import { escapeHtml } from '../core/messages/escape.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { showPage } from './page.ts';

export interface UnsubscribeOptions extends HealthPorts {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly secrets: Secrets;
  /** Signs the links: a reference for `Secrets`, the same as the mails are made with. */
  readonly secret: string;
}

export function unsubscribeApp(options: UnsubscribeOptions): Hono {
  const app = new Hono();

  /** Whoever guesses learns nothing: neither what exists nor who reads it. */
  const known = async (context: Context): Promise<Reader | undefined> => {
    const reader = readUnsubscribeToken(
      context.req.param('token') ?? '',
      await options.secrets.resolve(options.secret),
    );
    if (reader === undefined) return undefined;
    return (await options.subscriptions.get(reader.subscription)) === undefined ? undefined : reader;
  };

  app.get('/unsubscribe/:token', async (context) => {
    const reader = await known(context);
    if (reader === undefined) return notFound(context);
    const { muted } = await readHealth(options, reader.subscription);
    return isMuted(muted, reader.address) ? saidGoodbye(context, reader) : ask(context, reader);
  });

  // A mailbox posts `List-Unsubscribe=One-Click` here by itself, the page an empty form: what the body says is the same.
  app.post('/unsubscribe/:token', async (context) => {
    const reader = await known(context);
    if (reader === undefined) return notFound(context);
    await setWanted(options, reader, false);
    return saidGoodbye(context, reader);
  });

  app.post('/subscribe/:token', async (context) => {
    const reader = await known(context);
    if (reader === undefined) return notFound(context);
    await setWanted(options, reader, true);
    return saidWelcome(context, reader);
  });

  return app;
}

async function setWanted(ports: HealthPorts, { subscription, address }: Reader, wanted: boolean): Promise<void> {
  await changeHealth(ports, subscription, 'person', (before) => mute(before, address, wanted));
}

function ask(context: Context, reader: Reader): Response {
  return showPage(context, 'Stop these mails?', [line(reader, 'gets'), button(context, 'unsubscribe')].join(''));
}

function saidGoodbye(context: Context, reader: Reader): Response {
  const undo = [line(reader, 'no longer gets'), '<p class="soft">Changed your mind?</p>', button(context, 'subscribe')];
  return showPage(context, 'You are unsubscribed', undo.join(''));
}

function saidWelcome(context: Context, reader: Reader): Response {
  return showPage(context, 'You are subscribed again', [line(reader, 'gets'), button(context, 'unsubscribe')].join(''));
}

function notFound(context: Context): Response {
  return showPage(context, 'Nothing here', '<p>This link is not one of ours, or no longer.</p>', 404);
}

function line({ address, subscription }: Reader, verb: string): string {
  return `<p><strong>${escapeHtml(address)}</strong> ${verb} the mails of <strong>${escapeHtml(subscription)}</strong>.</p>`;
}

const WORDS = { unsubscribe: 'Unsubscribe', subscribe: 'Subscribe again' } as const;

/** Relative, so that it works behind a proxy with a path of its own. The token was checked: it holds no mark of HTML. */
function button(context: Context, verb: keyof typeof WORDS): string {
  const token = context.req.param('token') ?? '';
  return `<form method="post" action="../${verb}/${escapeHtml(token)}"><button>${WORDS[verb]}</button></form>`;
}
