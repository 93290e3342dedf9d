/** Sends events as mail: one copy per reader, none to readers who unsubscribed, and no second copy after a retry. */

import { isMuted, unsubscribeLink } from '../../../core/delivery/unsubscribe.ts';
import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { ReceiverResponse } from '../../../core/model/receiver-response.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { EmailSettings } from './settings.ts';
import { EMAIL_TEMPLATE_PARTS } from './template-parts.ts';
import { DEFERRED, type MailTransport, OF_ONE_MAIL } from './transport.ts';

export interface EmailChannelOptions {
  readonly mail: {
    /** `Tidings <tidings@example.com>` */
    readonly from: string;
  };
  /** Closed with the channels. */
  readonly transport: MailTransport;
  readonly links: Links;
  /** Where readers end a subscription, and what signs their links: a reference for `Secrets`. @default - mails have no such link */
  readonly unsubscribe?: { readonly url: string; readonly secret: string };
  readonly secrets: Secrets;
  /**
   * Milliseconds for all readers together; after two thirds of it no further one is begun with, and the rest is for the
   * next attempt. Keeps an attempt within the time for which its job is ours, here and in AWS. @default 30000
   */
  readonly timeoutMs?: number;
}

export interface EmailChannels {
  channelFor(target: EmailSettings): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/** Of all responses together. */
const KEPT_BYTES = 4096;

export function emailChannels(options: EmailChannelOptions): EmailChannels {
  const { mail, transport, links, unsubscribe, secrets, timeoutMs: patience = PATIENCE_MS } = options;
  return {
    channelFor: (target) => ({
      async send(outbound, signal) {
        const time = timeOf(patience, signal);
        const readers = readersOf(target, outbound);
        if (readers.length === 0) return { body: 'everybody unsubscribed' };
        const left = readers.filter((address) => !isMuted(outbound.reached ?? [], address));
        if (left.length === 0) return { body: 'everybody else has it already' };
        // Loaded at the first mail: it would slow down the cold start of a function that sends webhooks.
        const { composeMail } = await import('./compose-mail.ts');
        const words =
          outbound.subscription.template === undefined
            ? undefined
            : await renderSubscriptionTemplate(outbound, {
                links,
                parts: EMAIL_TEMPLATE_PARTS,
                sanitizeHtml: (await import('./template-html.ts')).sanitizeTemplateHtml,
              });
        const secret = unsubscribe === undefined ? undefined : await secrets.resolve(unsubscribe.secret);
        const sendOne = (address: string): Promise<Receipt> => {
          const reader = { subscription: outbound.subscription.name, address };
          const outgoing = composeMail(outbound, {
            from: mail.from,
            to: address,
            links,
            ...(words === undefined ? {} : { template: words }),
            ...(unsubscribe === undefined || secret === undefined
              ? {}
              : { unsubscribe: unsubscribeLink(unsubscribe.url, reader, secret) }),
          });
          return transport.send(outgoing, time.stop);
        };
        const outcomes = await sendEach(left, sendOne, time);
        const receipt = conclude(outcomes, readers.length - left.length);
        return words?.problem === undefined ? receipt : { ...receipt, remark: words.problem };
      },
    }),
    close: () => transport.close(),
  };
}

/** Each once, whatever the list says, without those who left. */
function readersOf({ to }: EmailSettings, { muted = [] }: OutboundMessage): readonly string[] {
  const wanted = to.filter((address) => !isMuted(muted, address));
  return wanted.filter((address, index) => !isMuted(wanted.slice(0, index), address));
}

type Failure = RetryLater | GiveUp;

interface Outcome {
  readonly address: string;
  readonly receipt?: Receipt;
  readonly failure?: Failure;
}

/** A mail that is cut off may have arrived: with less than this part of the patience left, none is begun. */
const SPARE = 1 / 3;

interface Time {
  /** After this no further reader is begun with. */
  readonly lastBegin: number;
  readonly over: AbortSignal;
  /** Aborts when the time is over or the caller aborts. */
  readonly stop: AbortSignal;
}

function timeOf(patience: number, signal: AbortSignal | undefined): Time {
  const over = AbortSignal.timeout(patience);
  const stop = signal === undefined ? over : AbortSignal.any([over, signal]);
  return { lastBegin: performance.now() + patience * (1 - SPARE), over, stop };
}

/** One after the other. A trouble of the server itself ends it: the others would only meet the same. */
async function sendEach(
  addresses: readonly string[],
  sendOne: (address: string) => Promise<Receipt>,
  { lastBegin, over }: Time,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const restIsLate = () => addresses.slice(outcomes.length).map((address) => ({ address, failure: noTimeLeft() }));
  for (const [index, address] of addresses.entries()) {
    if (index > 0 && performance.now() > lastBegin) return [...outcomes, ...restIsLate()];
    try {
      outcomes.push({ address, receipt: await sendOne(address) });
    } catch (error) {
      if (over.aborted) return [...outcomes, ...restIsLate()];
      if (!(error instanceof RetryLater || error instanceof GiveUp)) throw keepReached(error, outcomes);
      outcomes.push({ address, failure: error });
      if (!OF_ONE_MAIL.has(error.code)) {
        return [...outcomes, ...addresses.slice(index + 1).map((late) => ({ address: late, failure: error }))];
      }
    }
  }
  return outcomes;
}

const noTimeLeft = () => new RetryLater(DEFERRED, 'the server takes long; the rest is for the next attempt');

/** A fault of our own after some have their copy: it is retried, but not for those. */
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
 * Retries if a reader may still get the mail, for those readers only. Gives up if no reader can. If some have it and the
 * rest cannot be reached, the delivery is done, and the receipt says who was refused.
 */
function conclude(outcomes: readonly Outcome[], before: number): Receipt {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const reached = reachedBy(outcomes);
  const [first] = failures;
  const [taken] = outcomes.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt]));
  if (first === undefined && outcomes.length === 1 && taken !== undefined) return taken;
  const body = startOf(outcomes.map(sayOutcome).join('\n'));
  const later = failures.find((failure) => failure instanceof RetryLater);
  const cause = later ?? first;
  const isOver = failures.every((failure) => failure instanceof GiveUp && OF_ONE_MAIL.has(failure.code));
  if (cause === undefined || (isOver && reached.length + before > 0)) {
    return { ...(taken?.status === undefined ? {} : { status: taken.status }), body };
  }
  const evidence: ReceiverResponse = { ...cause.evidence, body, ...(reached.length === 0 ? {} : { reached }) };
  const total = outcomes.length + before;
  const message =
    total === 1 ? cause.message : `${failures.length} of ${total} readers have no mail yet: ${cause.message}`;
  if (later === undefined) throw new GiveUp(cause.code, message, { evidence, cause });
  throw new RetryLater(later.code, message, { after: later.after, evidence, cause });
}

/** Half a character at the end is dropped. */
const startOf = (text: string) => new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT_BYTES), { stream: true });

function sayOutcome({ address, receipt, failure }: Outcome): string {
  return `${address}: ${failure?.message ?? receipt?.body ?? 'taken'}`;
}
