/** Builds and sends the message of one attempt, and describes the result. Records nothing. */

import { clip } from '../messages/clip.ts';
import { type TemplateOutcome, templateOutcomeOf } from '../messages/subscription-template.ts';
import { type Attempt, attemptsMade } from '../model/delivery.ts';
import { isOwnFault } from '../model/error-codes.ts';
import { errorMessage, GiveUp, RetryLater } from '../model/errors.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Target } from '../model/subscription.ts';
import { between, type Clock } from '../model/time.ts';
import type { Channel, OutboundMessage, Receipt } from '../ports/channel.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import { type BuildMessageOptions, type BuildMessagePorts, buildMessage, saveThread } from './build-message.ts';
import type { Claim } from './claim.ts';
import { ownFaults } from './receivers/own-faults.ts';

export interface MakeAttemptPorts extends BuildMessagePorts {
  readonly channelFor: (target: Target) => Channel;
  readonly clock: Clock;
}

export interface AttemptResult {
  readonly record: Attempt;
  /** Milliseconds the receiver asked us to wait. */
  readonly asked?: number | undefined;
  /** The receiver responded with 410 Gone or its equivalent. */
  readonly gone?: boolean;
  /** What became of the template. @default - it has none, or it was left out */
  readonly template?: TemplateOutcome | undefined;
  /** The events that were sent. @default - none */
  readonly sent?: readonly TidingsEvent[];
}

/** What a receiver says may be in it, such as all names of its certificate. It is stored with each attempt, and logged. */
const MAX_ERROR_LENGTH = 1000;

/**
 * Sends the message of a delivery. Never throws: the result says what the receiver answered or what went wrong. Undefined if the
 * claim was lost while the message was built: another job sends it.
 */
export async function makeAttempt(
  ports: MakeAttemptPorts,
  options: BuildMessageOptions,
  claim: Pick<Claim, 'confirm'>,
  signal: AbortSignal | undefined,
): Promise<AttemptResult | undefined> {
  const { clock } = ports;
  const at = clock.now();
  const number = attemptsMade(options.delivery) + 1;
  // Until the message is built nothing is sent, so an unexpected error is our own.
  let isBuilt = false;
  let message: OutboundMessage | undefined;
  try {
    message = await buildMessage(ports, options, at);
    if (!(await claim.confirm())) return undefined;
    isBuilt = true;
    if (message === undefined) {
      const isOpenDigest = options.delivery.standing !== undefined;
      const reason = isOpenDigest ? 'skipped: nothing is open' : 'skipped: all events are outdated';
      return { record: { number, at, ms: 0, outcome: 'skipped', message: reason, ...omittedFrom(options, []) } };
    }
    const receipt = await ports.channelFor(message.subscription.to).send(message, signal);
    const { thread: _, remark, skipped, ...response } = await withThread(ports.threads, message, receipt);
    if (skipped !== undefined) return { record: { number, at, ms: 0, outcome: 'skipped', message: skipped } };
    const omitted = omittedFrom(options, message.events);
    const record: Attempt = { number, at, ms: between(at, clock.now()), outcome: 'accepted', ...response, ...omitted };
    // A message on a success is a remark.
    return {
      record: remark === undefined ? record : { ...record, message: remark },
      sent: message.events,
      template: templateOutcomeOf(message),
    };
  } catch (error) {
    // An unexpected error is retried like a receiver's failure, so that a bug does not lose events.
    const refusal = error instanceof RetryLater || error instanceof GiveUp ? error : undefined;
    const isOwn = refusal === undefined ? !isBuilt : isOwnFault(refusal.code);
    const record: Attempt = {
      number,
      at,
      ms: between(at, clock.now()),
      outcome: error instanceof GiveUp && !isOwn ? 'gave-up' : 'retry',
      code: refusal?.code ?? 'TIDINGS_DELIVERY_UNEXPECTED',
      message: clip(errorMessage(error), MAX_ERROR_LENGTH),
      ...refusal?.evidence,
    };
    return {
      record: isOwn ? { ...record, ownFault: ownFaults(options.delivery) + 1 } : record,
      asked: error instanceof RetryLater ? error.after : undefined,
      gone: error instanceof GiveUp && error.gone,
      template: message && templateOutcomeOf(message),
    };
  }
}

/** What a person's message left out: it may concern them again while the message of another person is retried. */
function omittedFrom(
  { delivery, events }: Pick<BuildMessageOptions, 'delivery' | 'events'>,
  sent: readonly TidingsEvent[],
): Pick<Attempt, 'omitted'> {
  if (delivery.person === undefined || delivery.mark !== undefined) return {};
  const included = new Set(sent.map(({ id }) => id));
  const omitted = events.flatMap(({ id }) => (included.has(id) ? [] : [id]));
  return omitted.length === 0 ? {} : { omitted };
}

/** The receiver has the message: if saving the thread fails, the next message starts a new thread, and this one is not resent. */
async function withThread(threads: ThreadStore, message: OutboundMessage, receipt: Receipt): Promise<Receipt> {
  if (receipt.thread === undefined) return receipt;
  try {
    await saveThread(threads, message, receipt.thread);
    return receipt;
  } catch (error) {
    return { remark: `delivered, but saving the thread id failed: ${errorMessage(error)}`, ...receipt };
  }
}
