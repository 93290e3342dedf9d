/** Says what became of an event for one subscription: who got it, who did not, and why. Pure. */

import type { MatchExplanation } from '../core/filters/explain-match.ts';
import type { Delivery } from '../core/model/delivery.ts';
import { attemptsMade } from '../core/model/delivery.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { IconName } from './parts/icon.tsx';
import type { Tone } from './parts/status.tsx';
import { formatInstant } from './parts/time.tsx';

export interface Outcome {
  readonly tone: Tone;
  readonly icon: IconName;
  /** `delivered` */
  readonly word: string;
  /** `204 in 156 ms`, `other event types: invoice.*` */
  readonly detail: string;
  /** Whether sending it again makes sense. */
  readonly canResend: boolean;
}

export interface OutcomeFacts {
  /** Null if the subscription was removed. */
  readonly verdict: MatchExplanation | null;
  readonly delivery: Pick<Delivery, 'status' | 'attempts' | 'dueAt' | 'events' | 'notBefore'> | null;
  readonly receiverPaused: { readonly until: string; readonly reason: string | null } | null;
}

export function describeOutcome(
  { verdict, delivery, receiverPaused }: OutcomeFacts,
  event: TidingsEvent,
  zone: string,
): Outcome {
  const isRemoved = verdict === null;
  if (delivery === null) return describeMismatch(verdict);
  const moment = (at: string) => formatInstant(at, zone, 'moment');
  const last = delivery.attempts.at(-1);
  const count = attemptsMade(delivery);
  const tries = count === 1 ? '1 attempt' : `${count} attempts`;
  const problem = last?.message ?? last?.code ?? `response ${last?.status ?? 'none'}`;
  const notes = [
    ...(isRemoved ? ['the subscription was removed'] : []),
    ...(verdict !== null && !verdict.wanted && event.test !== true ? ['it would not match now'] : []),
    ...(receiverPaused === null ? [] : [`the receiver is paused until ${moment(receiverPaused.until)}`]),
  ];
  const say = (tone: Tone, icon: IconName, word: string, detail: string): Outcome => ({
    tone,
    icon,
    word,
    detail: [detail, ...notes].filter((text) => text !== '').join('; '),
    canResend: !isRemoved,
  });
  switch (delivery.status) {
    case 'settled': {
      if (last?.outcome === 'skipped') return say('plain', 'none', 'not sent', last.message ?? 'it was out of date');
      const answer = last?.status === undefined ? 'accepted' : `${last.status}`;
      const others = delivery.events.length > 1 ? `, in a message with ${delivery.events.length} events` : '';
      return say('good', 'ok', 'delivered', last === undefined ? '' : `${answer} in ${last.ms} ms, ${tries}${others}`);
    }
    case 'gathered':
      return say('good', 'ok', 'delivered', 'as a part of another message');
    case 'failed':
      return say('late', 'bad', 'failed', `given up after ${tries}: ${problem}`);
    case 'held':
      return say('soon', 'held', 'held', 'the subscription is paused or disabled; it is sent when it is resumed');
    case 'waiting':
      return say('plain', 'wait', 'waiting', describeWait(delivery, moment));
    default: {
      if (last === undefined) return say('plain', 'wait', 'on its way', 'no attempt yet');
      const next = delivery.dueAt === null ? '' : `; next attempt ${moment(delivery.dueAt)}`;
      return say('late', 'late', 'retrying', `${tries}, last: ${problem}${next}`);
    }
  }
}

function describeWait(
  { notBefore, dueAt }: Pick<Delivery, 'dueAt' | 'notBefore'>,
  moment: (at: string) => string,
): string {
  const at = dueAt === null ? '' : ` at ${moment(dueAt)}`;
  const isForDay = notBefore !== undefined && dueAt !== null && dueAt >= notBefore;
  return isForDay ? `for the start of the readers’ day${at}` : `to be sent together with others${at}`;
}

function describeMismatch(verdict: MatchExplanation | null): Outcome {
  const base = { tone: 'plain', icon: 'none', word: 'no match' } as const;
  if (verdict === null) return { ...base, detail: 'the subscription was removed', canResend: false };
  if (verdict.wanted) {
    const detail = 'it matches now, but did not when the event was announced';
    return { ...base, word: 'not sent', detail, canResend: true };
  }
  if (verdict.because === 'type') {
    return { ...base, detail: `wants other event types: ${verdict.events.join(', ')}`, canResend: false };
  }
  const reasons = verdict.mismatches.map(
    ({ path, expected, found }) => `${path} should be ${expected}, but is ${found}`,
  );
  return { ...base, detail: reasons.join('; '), canResend: false };
}
