/** Port: the audit trail. Entries are kept as long as events. Only the outcome of an entry is ever changed. */

import type { AuditEntry } from '../model/audit.ts';
import type { Instant } from '../model/time.ts';

interface AuditQuery {
  /** The cursor of an earlier page: continue after it. @default - from the newest on */
  readonly after?: string;
  readonly limit: number;
}

interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Where this page ended; undefined when nothing follows. */
  readonly cursor: string | undefined;
}

export interface AuditStore {
  /** An entry with the id and instant of an earlier one replaces it, in its place. */
  append(entry: AuditEntry): Promise<void>;
  page(query: AuditQuery): Promise<AuditPage>;
  /** Deletes entries before this instant, where they do not expire by themselves. */
  prune(before: Instant): Promise<void>;
}
