/** What the states of sources are called, with their icon and tone. */

import type { SourceStatus } from '../runtime/inspect/status.ts';
import type { StatusProps } from './parts/status.tsx';

const STATES: Readonly<Record<string, StatusProps>> = {
  ok: { tone: 'good', icon: 'ok', word: 'polled' },
  new: { tone: 'plain', icon: 'wait', word: 'first scan soon' },
};

export function isSourceOk({ state }: Pick<SourceStatus, 'state'>): boolean {
  return Object.hasOwn(STATES, state);
}

/** Any other state is a problem, and its name says which. */
export function sourceState({ state }: Pick<SourceStatus, 'state'>): StatusProps {
  return STATES[state] ?? { tone: 'late', icon: 'late', word: state.replaceAll('_', ' ') };
}
