/** Port: log-in links and sessions of the console. It never sees a token. */

import type { ConsolePass } from '../model/console-pass.ts';
import type { Instant } from '../model/time.ts';

export interface ConsolePassStore {
  save(pass: ConsolePass): Promise<void>;
  /** An expired pass may still be returned: check `expiresAt`. */
  get(hash: string): Promise<ConsolePass | undefined>;
  /** Removes and returns it. Of several concurrent calls, one gets it. */
  take(hash: string): Promise<ConsolePass | undefined>;
  /** Removes all: every link and session ends. Returns how many. */
  removeAll(): Promise<number>;
  /** Deletes those that expired before this instant, where they do not expire by themselves. */
  prune(now: Instant): Promise<void>;
}
