/** What the states of deliveries, attempts and subscriptions are called, with their icon and tone. */

import { type Attempt, attemptSkipReason, skipReason } from '../../core/model/delivery.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import type { StatusProps } from './status.tsx';

/** Waits that a failing receiver causes. */
const TROUBLE: readonly string[] = ['retry', 'receiver-paused', 'subscription-disabled'];

export function deliveryState(delivery: Pick<DeliveryView, 'status' | 'attempts' | 'wait'>): StatusProps {
  const { status, attempts, wait } = delivery;
  if (wait !== null && status === 'pending') {
    return TROUBLE.includes(wait.because)
      ? { icon: 'late', word: attempts.length === 0 ? 'waiting' : 'retrying', tone: 'late' }
      : { icon: 'wait', word: 'waiting', tone: 'plain' };
  }
  switch (status) {
    case 'settled':
      return skipReason(delivery) !== undefined
        ? { icon: 'none', word: 'skipped', tone: 'plain' }
        : { icon: 'ok', word: 'delivered', tone: 'good' };
    case 'failed':
      return { icon: 'bad', word: 'failed', tone: 'late' };
    case 'held':
      return { icon: 'held', word: 'held', tone: 'soon' };
    case 'gathered':
      return { icon: 'send', word: 'in another message', tone: 'plain' };
    case 'waiting':
      return { icon: 'wait', word: 'waiting', tone: 'plain' };
    case 'pending':
      return attempts.length === 0
        ? { icon: 'wait', word: 'on its way', tone: 'plain' }
        : { icon: 'late', word: 'retrying', tone: 'late' };
  }
}

export function attemptState(attempt: Attempt): StatusProps {
  if (attemptSkipReason(attempt) !== undefined) return { icon: 'none', word: 'skipped', tone: 'plain' };
  switch (attempt.outcome) {
    case 'accepted':
      return { icon: 'ok', word: 'accepted', tone: 'good' };
    case 'retry':
      return { icon: 'late', word: 'failed', tone: 'late' };
    case 'gave-up':
      return { icon: 'bad', word: 'failed, given up', tone: 'late' };
    case 'skipped':
      return { icon: 'none', word: 'skipped', tone: 'plain' };
  }
}

/** Whether every attempt since the last success failed, too few or for too short a time to call it failing. */
export function isRetrying({ state, failingSince }: Pick<SubscriptionView, 'state' | 'failingSince'>): boolean {
  return state === 'ok' && failingSince !== null;
}

export function subscriptionState(view: Pick<SubscriptionView, 'state' | 'failingSince'>): StatusProps {
  switch (view.state) {
    case 'ok':
      return isRetrying(view)
        ? { icon: 'late', word: 'retrying', tone: 'late' }
        : { icon: 'ok', word: 'working', tone: 'good' };
    case 'failing':
      return { icon: 'late', word: 'failing', tone: 'late' };
    case 'paused':
      return { icon: 'held', word: 'paused', tone: 'soon' };
    case 'disabled':
      return { icon: 'bad', word: 'disabled', tone: 'late' };
  }
}
