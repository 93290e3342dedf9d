/** The state of a subscription as people read it. The stored state, which events and JSON use, stays as it is. */

import type { Health, HealthState } from '../core/delivery/receivers/health.ts';

/** A subscription is called failing after half an hour; until then its last attempts failed, and it is not ok either. */
export function shownState({ state, failingSince }: Pick<Health, 'state' | 'failingSince'>): HealthState | 'retrying' {
  return state === 'ok' && failingSince !== null ? 'retrying' : state;
}
