/** Describes a subscription: what it brings, and what it would have brought. */

import { sayEvent } from '../../core/events/catalogue.ts';
import { DEFAULT_GATHER_WINDOW, nextDigest } from '../../core/events/deliver-at.ts';
import { visitMatches } from '../../core/filters/backtest.ts';
import { printQuery } from '../../core/filters/query.ts';
import type { QuerySubscription } from '../../core/filters/query-compile.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { between, DAY, type Instant, plus, SECOND } from '../../core/model/time.ts';
import type { SlackPorts } from './slack-ports.ts';

/** The query that it was made from; for others the event types. */
export function queryOf({ madeBy, events, digest, quiet }: Subscription): string {
  if (madeBy?.query !== undefined) return madeBy.query;
  return printQuery({ events, conditions: [], ...(digest && { digest }), ...(quiet && { quiet }) });
}

/** The query in its standard form. */
export const normalizeQuery = (text: string) => printQuery(parseQuery(text));

export interface Backtested {
  readonly messages: number;
  readonly events: number;
  /** The newest that were read, at most three. */
  readonly samples: readonly string[];
  /** Whether all events were read: not if that takes too long. */
  readonly isComplete: boolean;
}

const DAYS = 7;
const MAX_SAMPLES = 3;

/** In AWS each event takes a request to the table, within the minute that an execution has, and deliveries of others wait for it. */
const MAX_TIME_MS = 10 * SECOND;

class TakesTooLong extends Error {}

/**
 * What the last seven days would have brought.
 * @param now milliseconds of a steady clock. @default - that of the process
 */
export async function backtestQuery(
  { events, clock, inTurn }: Pick<SlackPorts, 'events' | 'clock' | 'inTurn'>,
  query: QuerySubscription,
  zone: string,
  now: () => number = () => performance.now(),
): Promise<Backtested> {
  const until = clock.now();
  const since = plus(until, -DAYS * DAY);
  const times: Instant[] = [];
  // The events of a week of many previews at a time would fill the memory.
  let newest: readonly TidingsEvent[] = [];
  const visit = (event: TidingsEvent) => {
    times.push(event.time);
    newest = [...newest, event].slice(-MAX_SAMPLES);
  };
  const isComplete = await inTurn(async (pace) => {
    const end = now() + MAX_TIME_MS;
    const orStop = async () => {
      await pace();
      if (now() > end) throw new TakesTooLong();
    };
    try {
      await visitMatches(events, query, { since, until }, visit, { pace: orStop });
      return true;
    } catch (error) {
      if (!(error instanceof TakesTooLong)) throw error;
      return false;
    }
  });
  return {
    isComplete,
    messages: countMessages(times, query, zone),
    events: times.length,
    samples: newest.toReversed().map((event) => sayEvent(event)),
  };
}

/** Events of half a minute are one message; with a digest, all until its time. */
function countMessages(moments: readonly Instant[], { digest }: QuerySubscription, zone: string): number {
  const times = moments.toSorted();
  if (digest !== undefined) return new Set(times.map((time) => nextDigest(digest, time, zone))).size;
  let count = 0;
  let start: Instant | undefined;
  for (const time of times) {
    if (start !== undefined && between(start, time) < DEFAULT_GATHER_WINDOW) continue;
    start = time;
    count += 1;
  }
  return count;
}

/** `14 messages, about 2 a day in the last 7 days.`, and how many events they list if that differs. */
export function describeBacktest({ messages, events, isComplete }: Omit<Backtested, 'samples'>): string {
  const period = `in the last ${DAYS} days.`;
  if (isComplete) return `${describeCount(messages, events)} ${period}`;
  const tooMany = 'There are too many events to read all.';
  if (messages === 0) return `no messages with the oldest events ${period} ${tooMany}`;
  return `at least ${messages === 1 ? '1 message' : `${messages} messages`} ${period} ${tooMany}`;
}

function describeCount(messages: number, events: number): string {
  if (messages === 0) return 'no messages';
  const perDay = messages / DAYS;
  const listed = events === messages ? '' : ` with ${events} events`;
  const total = `${messages} ${messages === 1 ? 'message' : 'messages'}${listed}`;
  if (messages === 1) return total;
  return perDay >= 1 ? `${total}, about ${Math.round(perDay)} a day` : `${total}, less than one a day`;
}
