/** What the states of deliveries, attempts and subscriptions are called, with their icon and tone. */

import type { Attempt, Delivery } from '../../core/model/delivery.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import type { StatusProps } from './status.tsx';

export function deliveryState({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): StatusProps {
  switch (status) {
    case 'settled':
      return attempts.at(-1)?.outcome === 'skipped'
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

export function attemptState({ outcome }: Pick<Attempt, 'outcome'>): StatusProps {
  switch (outcome) {
    case 'accepted':
      return { icon: 'ok', word: 'accepted', tone: 'good' };
    case 'retry':
      return { icon: 'late', word: 'failed', tone: 'late' };
    case 'gave-up':
      return { icon: 'bad', word: 'failed, given up', tone: 'late' };
    case 'skipped':
      return { icon: 'none', word: 'skipped, out of date', tone: 'plain' };
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
