/** What an entry of the catalogue says about a type of event. */

import type { Transition } from '../model/snapshot.ts';

export interface EventType {
  /** `task.closed` */
  readonly type: string;
  /** One line for people. */
  readonly meaning: string;
  /** Whether this transition is such an event. */
  readonly fires: (transition: Transition) => boolean;
}
