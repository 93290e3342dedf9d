/**
 * Replays a period in steps, each short enough for one request. A step that is repeated changes nothing: the deliveries of a
 * run are named after its start.
 */

import { replay } from '../../../core/delivery/replay.ts';
import { compileGlob } from '../../../core/filters/match.ts';
import { compilePattern } from '../../../core/filters/pattern.ts';
import { skipReason } from '../../../core/model/delivery.ts';
import type { Pace } from '../../../core/model/pace.ts';
import type { Instant } from '../../../core/model/time.ts';
import { recordChange } from '../../../core/ports/audit-store.ts';
import { eventFilterFor } from '../events-within.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import type { Caller } from '../http/caller.ts';
import { runWithinBudget } from '../http/work-budget.ts';
import { type ReplayRequest, replayForCaller, resolveReplayPeriod } from './replay-for-caller.ts';
import { findChangeable, findSubscriptionFor } from './subscriptions.ts';

/** What is replayed, with its ends fixed. */
export interface ReplayRun {
  readonly since: Instant;
  readonly until: Instant;
  /** Event types; `*` stands for any characters. */
  readonly type: string;
  readonly startedAt: Instant;
  /** The number of matching events when it started. */
  readonly count: number;
}

/** Counts the events and writes the audit entry. Nothing is sent yet. */
export async function startReplay(
  api: ApiPorts,
  caller: Caller,
  name: string,
  request: Pick<ReplayRequest, 'since' | 'until' | 'type'>,
): Promise<ReplayRun> {
  const { count } = await replayForCaller(api, caller, name, { ...request, dryRun: true });
  const startedAt = api.clock.now();
  const { since, until } = resolveReplayPeriod(api, request, startedAt);
  await recordChange(api, caller, {
    action: 'subscription.replayed',
    target: `subscription/${name}`,
    details: { count },
  });
  return { since, until, type: request.type ?? '*', startedAt, count };
}

export interface ReplayPosition {
  /** The cursor of the last step. @default - the first step */
  readonly after?: string;
  /** The number of events of all steps before. */
  readonly sent: number;
}

/** Events that a step reads. */
const STEP_SIZE = 500;

/** Opens the deliveries of the next events. `next` is null after the last step. */
export async function replayStep(
  api: ApiPorts,
  caller: Caller,
  name: string,
  { since, until, type, startedAt }: ReplayRun,
  { after, sent }: ReplayPosition,
): Promise<{ readonly sent: number; readonly next: string | null }> {
  const subscription = await findChangeable(api, caller, name);
  const page = await api.events.list({
    since,
    until,
    types: subscription.events,
    limit: STEP_SIZE,
    after,
  });
  const isAsked = compileGlob(type);
  const isVisible = await eventFilterFor(api, caller);
  const hasContent = subscription.where === undefined ? () => true : compilePattern(subscription.where);
  const events = page.events.filter(
    (event) => event.test !== true && isAsked(event.type) && isVisible(event) && hasContent(event),
  );
  if (events.length > 0) {
    await replay(api, subscription, events, { at: startedAt, sent });
  }
  return { sent: sent + events.length, next: page.more && page.cursor !== undefined ? page.cursor : null };
}

export interface ReplayProgress {
  readonly delivered: number;
  /** Settled without being sent: all events were outdated, or the reader has unsubscribed. */
  readonly skipped: number;
  /** Sent together with others in one message. */
  readonly gathered: number;
  readonly failed: number;
  /** Not attempted yet, retrying, or held by a pause. */
  readonly open: number;
  /** Whether there are more deliveries than were counted. */
  readonly more: boolean;
}

const PAGE_SIZE = 500;
const MAX_COUNTED = 20_000;

/** How far the messages of a run are. */
export async function readReplayProgress(
  api: ApiPorts,
  caller: Caller,
  name: string,
  startedAt: Instant,
): Promise<ReplayProgress> {
  await findSubscriptionFor(api, caller, name);
  // The address of the page names the start: an early one has everything read that was ever sent to the subscription.
  return runWithinBudget(api, caller, (pace) => countProgress(api, name, startedAt, pace), { mayWait: true });
}

async function countProgress(
  { deliveries }: Pick<ApiPorts, 'deliveries'>,
  name: string,
  startedAt: Instant,
  pace: Pace,
): Promise<ReplayProgress> {
  const counts = { delivered: 0, skipped: 0, gathered: 0, failed: 0, open: 0 };
  let counted = 0;
  for (let after: string | undefined, isEnd = false; !isEnd && counted < MAX_COUNTED; ) {
    const page = await deliveries.page({ subscription: name, limit: PAGE_SIZE, after });
    for (const delivery of page.deliveries) {
      const { status, mark, createdAt } = delivery;
      if (mark !== 'replay' || createdAt !== startedAt) continue;
      counted += 1;
      if (status === 'settled') counts[skipReason(delivery) === undefined ? 'delivered' : 'skipped'] += 1;
      else if (status === 'gathered' || status === 'failed') counts[status] += 1;
      else counts.open += 1;
    }
    after = page.cursor;
    isEnd = after === undefined || page.deliveries.some(({ createdAt }) => createdAt < startedAt);
    await pace();
  }
  return { ...counts, more: counted >= MAX_COUNTED };
}
