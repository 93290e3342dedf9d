/** Sends events as mail: one copy per reader, none to readers who unsubscribed, and no second copy after a retry. */

import { createMutedTest, unsubscribeLink } from '../../../core/delivery/signing/unsubscribe.ts';
import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { ReceiverResponse } from '../../../core/model/receiver-response.ts';
import {
  type Channel,
  describeMissingAddress,
  type OutboundMessage,
  type Receipt,
  type Recipient,
} from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { EmailSettings } from './settings.ts';
import { EMAIL_TEMPLATE_PARTS } from './template-parts.ts';
import { MAIL_DEFERRED, type MailTransport, SINGLE_MAIL_CODES } from './transport.ts';

export interface EmailChannelOptions {
  readonly mail: {
    /** `Tidings <tidings@example.com>` */
    readonly from: string;
  };
  /** Closed with the channels. */
  readonly transport: MailTransport;
  readonly links: Links;
  /** The URL of the unsubscribe pages, and the reference to the secret that signs links. @default - no unsubscribe links */
  readonly unsubscribe?: { readonly url: string; readonly secret: string };
  readonly secrets: Secrets;
  /**
   * Milliseconds for all readers together. After two thirds of it no further mail is started: the next attempt sends the
   * rest. Keeps an attempt within the visibility timeout of its job. @default 30000
   */
  readonly timeoutMs?: number;
}

export interface EmailChannels {
  channelFor(target: EmailSettings): Channel;
  /** Closes idle connections. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** For the responses of all readers together. */
const MAX_KEPT_BYTES = 4096;

export function emailChannels(options: EmailChannelOptions): EmailChannels {
  const { mail, transport, links, unsubscribe, secrets, timeoutMs = TIMEOUT_MS } = options;
  return {
    channelFor: (target) => ({
      async send(outbound, signal) {
        const deadlines = startDeadlines(timeoutMs, signal);
        const { readers, unsubscribed } = findReaders(target, outbound);
        if (readers.length === 0) return { skipped: sayUnsubscribed(unsubscribed, outbound.recipient) };
        const isReached = createMutedTest(outbound.reached ?? []);
        const remaining = readers.filter((address) => !isReached(address));
        if (remaining.length === 0) return { body: 'all remaining readers already have the mail' };
        // Imported at the first mail: it would slow down the cold start of a function that sends webhooks.
        const { prepareMails } = await import('./compose-mail.ts');
        const template =
          outbound.subscription.template === undefined
            ? undefined
            : await renderSubscriptionTemplate(outbound, {
                links,
                parts: EMAIL_TEMPLATE_PARTS,
                sanitizeHtml: (await import('./template-html.ts')).sanitizeTemplateHtml,
              });
        const secret = unsubscribe === undefined ? undefined : await secrets.resolve(unsubscribe.secret);
        const compose = prepareMails(outbound, { from: mail.from, links, template: template?.texts });
        const linkFor = (address: string) =>
          unsubscribe === undefined || secret === undefined
            ? undefined
            : unsubscribeLink(unsubscribe.url, { subscription: outbound.subscription.name, address }, secret);
        const sendOne = async (address: string): Promise<Receipt> =>
          transport.send(compose(address, linkFor(address)), deadlines.stop, outbound.subscription.owner);
        const outcomes = await sendEach(remaining, sendOne, deadlines);
        const receipt = conclude(outcomes, readers.length - remaining.length);
        const left = unsubscribed.length === 0 ? [] : [sayUnsubscribed(unsubscribed, outbound.recipient)];
        const remarks = [...left, ...(template?.problem === undefined ? [] : [template.problem])];
        return remarks.length === 0 ? receipt : { ...receipt, remark: remarks.join('; ') };
      },
    }),
    close: () => transport.close(),
  };
}

interface Readers {
  readonly readers: readonly string[];
  readonly unsubscribed: readonly string[];
}

/** The addresses without duplicates, and those of them that unsubscribed. */
function findReaders(target: EmailSettings, { muted = [], recipient }: OutboundMessage): Readers {
  const to = typeof target.to === 'string' ? [personalAddress(target, recipient)] : target.to;
  // Both in linear time: a list may have thousands of addresses.
  const all = [...Map.groupBy(to, (address) => address.toLowerCase()).values()].flatMap(([first]) => first ?? []);
  const isMuted = createMutedTest(muted);
  return {
    readers: all.filter((address) => !isMuted(address)),
    unsubscribed: all.filter((address) => isMuted(address)),
  };
}

/** Without the name of a personal reader: who may see the delivery may not always see people. */
function sayUnsubscribed(addresses: readonly string[], recipient: Recipient | undefined): string {
  if (recipient !== undefined) return 'the reader has unsubscribed';
  return `${addresses.join(', ')} ${addresses.length === 1 ? 'has' : 'have'} unsubscribed`;
}

/** A test of a subscription has no recipient, and goes to the fallback. */
function personalAddress({ to, fallback }: EmailSettings, recipient: Recipient | undefined): string {
  const address = recipient?.address ?? fallback;
  if (address !== undefined) return address;
  throw new GiveUp(
    'TIDINGS_PERSON_WITHOUT_ADDRESS',
    describeMissingAddress(recipient, `the ${String(to)} of a record`),
  );
}

type Failure = RetryLater | GiveUp;

interface Outcome {
  readonly address: string;
  readonly receipt?: Receipt;
  readonly failure?: Failure;
}

/** An aborted mail may have arrived, so no mail is started in this last part of the timeout. */
const MARGIN = 1 / 3;

interface Deadlines {
  /** No mail is started after this time. */
  readonly lastStart: number;
  /** Aborts at the timeout. */
  readonly timedOut: AbortSignal;
  /** Aborts at the timeout or when the caller aborts. */
  readonly stop: AbortSignal;
}

function startDeadlines(timeoutMs: number, signal: AbortSignal | undefined): Deadlines {
  const timedOut = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timedOut : AbortSignal.any([timedOut, signal]);
  return { lastStart: performance.now() + timeoutMs * (1 - MARGIN), timedOut, stop };
}

/** Sends the mails in sequence. Stops at an error of the server itself, which would affect the other mails too. */
async function sendEach(
  addresses: readonly string[],
  sendOne: (address: string) => Promise<Receipt>,
  { lastStart, timedOut }: Deadlines,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const postponeRest = () => addresses.slice(outcomes.length).map((address) => ({ address, failure: noTimeLeft() }));
  for (const [index, address] of addresses.entries()) {
    if (index > 0 && performance.now() > lastStart) return [...outcomes, ...postponeRest()];
    try {
      outcomes.push({ address, receipt: await sendOne(address) });
    } catch (error) {
      if (timedOut.aborted) return [...outcomes, ...postponeRest()];
      if (!(error instanceof RetryLater || error instanceof GiveUp)) throw keepReached(error, outcomes);
      outcomes.push({ address, failure: error });
      if (!SINGLE_MAIL_CODES.has(error.code)) {
        return [...outcomes, ...addresses.slice(index + 1).map((other) => ({ address: other, failure: error }))];
      }
    }
  }
  return outcomes;
}

const noTimeLeft = () =>
  new RetryLater(MAIL_DEFERRED, 'the server is slow; the next attempt sends the remaining mails');

/** Retries after an unexpected error, except for the readers who already have the mail. */
function keepReached(error: unknown, outcomes: readonly Outcome[]): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new RetryLater('TIDINGS_DELIVERY_UNEXPECTED', message, {
    evidence: { reached: reachedBy(outcomes) },
    cause: error,
  });
}

const reachedBy = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ address, receipt }) => (receipt === undefined ? [] : [address]));

/**
 * Throws RetryLater if some readers may still get the mail, and GiveUp if none can. If some have it and the rest cannot
 * get it, the delivery is settled, and the receipt lists the refused readers.
 */
function conclude(outcomes: readonly Outcome[], before: number): Receipt {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const reached = reachedBy(outcomes);
  const [first] = failures;
  const [accepted] = outcomes.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt]));
  if (first === undefined && outcomes.length === 1 && accepted !== undefined) return accepted;
  const body = cutToKeptBytes(outcomes.map(formatOutcome).join('\n'));
  const later = failures.find((failure) => failure instanceof RetryLater);
  const cause = later ?? first;
  const isPermanent = failures.every((failure) => failure instanceof GiveUp && SINGLE_MAIL_CODES.has(failure.code));
  if (cause === undefined || (isPermanent && reached.length + before > 0)) {
    return { status: accepted?.status, body };
  }
  const evidence: ReceiverResponse = { ...cause.evidence, body, ...(reached.length === 0 ? {} : { reached }) };
  const total = outcomes.length + before;
  const message =
    total === 1 ? cause.message : `${failures.length} of ${total} readers do not have the mail yet: ${cause.message}`;
  if (later === undefined) throw new GiveUp(cause.code, message, { evidence, cause });
  throw new RetryLater(later.code, message, { after: later.after, evidence, cause });
}

/** Drops a partial character at the end. */
const cutToKeptBytes = (text: string) =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_KEPT_BYTES), { stream: true });

function formatOutcome({ address, receipt, failure }: Outcome): string {
  return `${address}: ${failure?.message ?? receipt?.body ?? 'accepted'}`;
}
