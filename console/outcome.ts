/** Says what became of an event for one subscription: who got it, who did not, and why. Pure. */

import { sayDelay } from '../core/delivery/explain-wait.ts';
import type { MatchExplanation } from '../core/filters/explain-match.ts';
import { attemptsMade } from '../core/model/delivery.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Instant } from '../core/model/time.ts';
import type { DeliveryView } from '../manage/api/view-delivery.ts';
import { formatUntil } from './parts/moment.tsx';
import { counted } from './parts/notice.ts';
import { deliveryState } from './parts/state.tsx';
import type { StatusProps } from './parts/status.tsx';

export interface Outcome {
  /** `delivered` */
  readonly state: StatusProps;
  /** `204 in 156 ms`, `other event types: invoice.*` */
  readonly detail: string;
  /** What a button does: sends it once more, tries it now, or sends it at all. Null: there is none. */
  readonly action: 'Resend' | 'Retry now' | 'Send' | null;
}

export interface OutcomeFacts {
  /** Null if the subscription was removed. */
  readonly verdict: MatchExplanation | null;
  readonly delivery: DeliveryView | null;
}

export interface OutcomeTime {
  readonly zone: string;
  readonly now: Instant;
}

export function describeOutcome({ verdict, delivery }: OutcomeFacts, event: TidingsEvent, time: OutcomeTime): Outcome {
  if (delivery === null) return describeMismatch(verdict);
  const notes = [
    ...(verdict === null ? ['the subscription was removed'] : []),
    ...(verdict !== null && !verdict.wanted && event.test !== true ? ['it would not match now'] : []),
  ];
  return {
    state: deliveryState(delivery),
    detail: [describeProgress(delivery, time), ...notes].filter((text) => text !== '').join('; '),
    // To a reader who unsubscribed, nothing would be sent again either.
    action: verdict === null || isUnsubscribed(delivery) ? null : ACTIONS[delivery.status],
  };
}

const isUnsubscribed = ({ skipped }: DeliveryView) => skipped?.endsWith('unsubscribed') === true;

/** What waits is sent by itself, and what is held when its subscription is resumed: to send it now would send it twice. */
const ACTIONS: Readonly<Record<DeliveryView['status'], Outcome['action']>> = {
  settled: 'Resend',
  gathered: 'Resend',
  failed: 'Retry now',
  pending: 'Retry now',
  waiting: null,
  held: null,
};

/** How far a delivery is: the response, the reason why it was skipped or failed, or what it waits for. */
export function describeProgress(delivery: DeliveryView, { zone, now }: OutcomeTime): string {
  const { status, attempts, events, wait, skipped } = delivery;
  const last = attempts.at(-1);
  const tries = counted(attemptsMade(delivery), 'attempt');
  const before = last === undefined ? '' : `, ${tries} so far`;
  if (wait !== null) return `${sayDelay(wait, (at) => formatUntil(at, zone, now))}${before}`;
  if (skipped !== null) return skipped;
  switch (status) {
    case 'settled': {
      if (last === undefined) return '';
      const others = events.length > 1 ? `, in a message with ${counted(events.length, 'event')}` : '';
      const remark = last.message === undefined ? '' : `; ${last.message}`;
      return `${last.status ?? 'accepted'} in ${last.ms} ms, ${tries}${others}${remark}`;
    }
    case 'gathered':
      return 'as a part of another message';
    case 'failed':
      return `given up after ${tries}: ${last?.message ?? last?.code ?? `response ${last?.status ?? 'none'}`}`;
    default:
      return last === undefined ? 'no attempt yet' : `due now${before}`;
  }
}

function describeMismatch(verdict: MatchExplanation | null): Outcome {
  const base = { state: { tone: 'plain', icon: 'none', word: 'no match' }, action: null } as const;
  if (verdict === null) return { ...base, detail: 'the subscription was removed' };
  if (verdict.wanted) {
    const detail = 'it matches now, but did not when the event was announced';
    return { state: { ...base.state, word: 'not sent' }, detail, action: 'Send' };
  }
  if (verdict.because === 'type') {
    return { ...base, detail: `wants other event types: ${verdict.events.join(', ')}` };
  }
  const reasons = verdict.mismatches.map(
    ({ path, expected, found }) => `${path} should be ${expected}, but is ${found}`,
  );
  return { ...base, detail: reasons.join('; ') };
}
