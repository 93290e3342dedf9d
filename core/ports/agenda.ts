/** Port: deliveries ordered by the time of their next attempt. */

import type { AttemptMoment } from '../model/agenda.ts';
import type { Instant } from '../model/time.ts';

export interface Agenda {
  /** Attempts due at or before `until`, earliest first. */
  due(until: Instant, limit: number): Promise<readonly AttemptMoment[]>;
  /** Moves an attempt to another time, if it is still due when the moment says. Returns false if it is not. */
  postpone(moment: AttemptMoment, to: Instant): Promise<boolean>;
}

/** Attempts due at or before `until`. If there are more than `limit`, as many of each owner as of any other, where owners are known, and of each of its subscriptions. */
export type ReadBacklog = (until: Instant, limit: number) => Promise<readonly AttemptMoment[]>;
