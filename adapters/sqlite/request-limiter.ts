/** RequestLimiter on SQLite. */

import { plus } from '../../core/model/time.ts';
import { chargeToken, takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import type { Database } from './database.ts';

export function sqliteRequestLimiter(db: Database): RequestLimiter {
  const find = (caller: string) => {
    const [fullAt] = db.row('SELECT full_at FROM request_buckets WHERE caller = ?', caller) ?? [];
    return typeof fullAt === 'string' ? fullAt : undefined;
  };
  const save = (caller: string, fullAt: string) =>
    db.prepare('INSERT OR REPLACE INTO request_buckets (caller, full_at) VALUES (?, ?)').run(caller, fullAt);
  return {
    used: async (caller, size, now) => tokensUsed(find(caller), size, now),

    async take(caller, size, now) {
      return db.transaction(() => {
        const result = takeToken(find(caller), size, now);
        if ('wait' in result) return result.wait;
        save(caller, result.fullAt);
        return 0;
      });
    },

    async charge(caller, size, now) {
      return db.transaction(() => {
        const { fullAt, wait } = chargeToken(find(caller), size, now);
        save(caller, fullAt);
        return wait;
      });
    },

    async giveBack(caller, { interval }) {
      db.transaction(() => {
        const fullAt = find(caller);
        if (fullAt === undefined) return;
        const earlier = plus(fullAt, -interval);
        db.prepare('UPDATE request_buckets SET full_at = ? WHERE caller = ?').run(earlier, caller);
      });
    },
  };
}
