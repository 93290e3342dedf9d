/** Sends recorded events of a period, or one of them, to a subscription again, as far as the caller may see them. */

import { createMessageCounter, refuseReader } from '../../../core/delivery/replay.ts';
import { visitMatches } from '../../../core/filters/backtest.ts';
import { compileGlob } from '../../../core/filters/match.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { type Duration, type Instant, plus } from '../../../core/model/time.ts';
import { resendEvents } from '../../../core/subscriptions/verbs.ts';
import { eventFilterFor } from '../events-within.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import type { Caller } from '../http/caller.ts';
import { invalid, notAReader, notFound, Problem } from '../http/problem.ts';
import { maxDeliveries, takeQuota } from '../http/quotas.ts';
import { parsePeriodStart } from '../http/read-request.ts';
import { runWithinBudget } from '../http/work-budget.ts';
import { findChangeable } from './subscriptions.ts';

export interface ReplayRequest {
  readonly since?: string;
  readonly until?: string;
  readonly type?: string;
  readonly event?: string;
  /** Only with `event`: one of its readers, such as `main/5`. @default - everyone whom it concerns */
  readonly person?: string;
  readonly dryRun?: boolean;
}

/** One call replays up to this many. In AWS it has to end before API Gateway does. */
const MAX_REPLAYED = { embedded: 10_000, aws: 2_000 } as const;

/** How long one takes in AWS, at most. */
const REPLAY_TIME: Duration = 8;

/** @param request of the `Idempotency-Key`: repeated, it sends each event once. @default - none */
export async function replayForCaller(
  api: ApiPorts,
  caller: Caller,
  name: string,
  what: ReplayRequest,
  request?: string,
) {
  const subscription = await findChangeable(api, caller, name);
  const { ids, event, messages: ofAll } = await selectEvents(api, caller, subscription, what);
  const { dryRun = false } = what;
  const most = MAX_REPLAYED[api.mode];
  if (!dryRun && ids.length > most) {
    const detail = `expected a period with at most ${most} matching events, got ${ids.length}: replay it in parts`;
    throw invalid([{ pointer: '/since', detail }]);
  }
  api.assertUnitsLeft?.();
  if (!dryRun && api.mayGoOn?.(ids.length * REPLAY_TIME) === false) {
    const detail = 'to find the events took so long that there is no time left to send them: replay a shorter period';
    throw new Problem(422, 'TIDINGS_API_BUDGET', { detail });
  }
  await api.beginLong?.();
  const { person } = what;
  const refusal = person === undefined ? undefined : await refuseReader(api, subscription, event, person);
  if (refusal !== undefined) throw notAReader('/person', refusal);
  const messages = person === undefined ? ofAll : ids.length;
  const limit = maxDeliveries(api, caller);
  if (!dryRun && messages > limit) {
    const detail = `this key may make ${limit} deliveries at once, and the replay would make ${messages}: replay a shorter period`;
    throw new Problem(403, 'TIDINGS_API_QUOTA', { detail });
  }
  if (!dryRun) await takeQuota(api, caller, 'deliveries', messages);
  if (!dryRun) await resendEvents(api, caller, subscription, ids, { request, person });
  return { count: ids.length, messages, dryRun };
}

/**
 * The ends of the period of a request. An event that is older than the retention is still there only because something waits for it: to
 * send it again would keep it for ever.
 */
export function resolveReplayPeriod(
  { config: { retention } }: Pick<ApiPorts, 'config'>,
  { since = '', until }: Pick<ReplayRequest, 'since' | 'until'>,
  now: Instant,
) {
  const from = parsePeriodStart(since, now) ?? now;
  const kept = plus(now, -retention);
  return {
    since: from > kept ? from : kept,
    until: (until === undefined ? undefined : parsePeriodStart(until, now)) ?? now,
  };
}

/** Ids, not events: a period may have hundreds of thousands of them, with long texts. */
interface SelectedEvents {
  readonly ids: readonly string[];
  /** The event that the request names. @default - it names a period */
  readonly event?: TidingsEvent;
  /** For all readers. */
  readonly messages: number;
}

async function selectEvents(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  { event, since, until, type = '*' }: ReplayRequest,
): Promise<SelectedEvents> {
  if ((event === undefined) === (since === undefined)) {
    throw invalid([{ pointer: '/since', detail: 'expected either event, or since with its options' }]);
  }
  const isVisible = await eventFilterFor(api, caller);
  const countMessages = createMessageCounter(api, subscription);
  if (event !== undefined) {
    const recorded = await api.events.get(event);
    const isKept = recorded !== undefined && recorded.time >= plus(api.clock.now(), -api.config.retention);
    if (!isKept || !isVisible(recorded)) throw notFound(`event '${event}'`);
    return { ids: [recorded.id], event: recorded, messages: await countMessages(recorded) };
  }
  const now = api.clock.now();
  const period = resolveReplayPeriod(api, { since, until }, now);
  if (period.since > now) throw invalid([{ pointer: '/since', detail: 'expected a time in the past' }]);
  if (period.until < period.since)
    throw invalid([{ pointer: '/until', detail: `expected a time after ${period.since}` }]);
  const isType = compileGlob(type);
  const isWanted = (one: TidingsEvent) => isType(one.type) && isVisible(one);
  const ids: string[] = [];
  let messages = 0;
  const visit = async (one: TidingsEvent) => {
    ids.push(one.id);
    messages += await countMessages(one);
  };
  await runWithinBudget(api, caller, (pace) =>
    visitMatches(api.events, subscription, period, visit, { types: caller.events, isVisible: isWanted, pace }),
  );
  return { ids, messages };
}
