/** What an entry of the catalogue says about a type of event. */

import type { Fields } from '../model/record.ts';
import type { Change, Transition } from '../model/snapshot.ts';

export interface EventType {
  /** `task.closed` */
  readonly type: string;
  /** One line for people. */
  readonly meaning: string;
  /** Whether this transition is such an event; `changes` are those of watched fields. */
  readonly fires: (transition: Transition, changes: readonly Change[]) => boolean;
  /** What happened, as a person would say it in one line. */
  readonly say: (record: Fields) => string;
}
