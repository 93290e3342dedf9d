/** Port: the keys of the management API. It never sees a token. */

import type { ApiKey } from '../model/api-key.ts';
import type { Instant } from '../model/time.ts';

export interface ApiKeyStore {
  get(id: string): Promise<ApiKey | undefined>;
  /** Oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Adds it, or replaces the one with the same id. */
  save(key: ApiKey): Promise<void>;
  /** Has no effect on a key that was removed. */
  markUsed(id: string, at: Instant): Promise<void>;
  /** Returns false when there was none. */
  remove(id: string): Promise<boolean>;
}
