/** RequestLimiter on SQLite. */

import { takeToken } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import type { Database } from './database.ts';

export function sqliteRequestLimiter(db: Database): RequestLimiter {
  return {
    async take(caller, size, now) {
      return db.transaction(() => {
        const [fullAt] = db.row('SELECT full_at FROM request_buckets WHERE caller = ?', caller) ?? [];
        const result = takeToken(typeof fullAt === 'string' ? fullAt : undefined, size, now);
        if ('wait' in result) return result.wait;
        db.prepare('INSERT OR REPLACE INTO request_buckets (caller, full_at) VALUES (?, ?)').run(caller, result.fullAt);
        return 0;
      });
    },
  };
}
