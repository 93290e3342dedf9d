/** Several batches in one run, on an agenda index that lags behind its table. */

import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { storedId } from '../../../adapters/stored-job.ts';
import type { AttemptMoment } from '../../../core/model/agenda.ts';
import { fixedClock, MINUTE } from '../../../core/model/time.ts';
import type { Job } from '../../../core/ports/queue.ts';
import type { Invocation } from '../../../runtime/aws/lambda-handler.ts';
import { tickAll } from '../../../runtime/aws/tick.ts';
import { delivery, event, NOON } from '../../samples.ts';

describe('tickAll', () => {
  it('queues each delivery once in a run, and reaches entries after those that the index repeats', async () => {
    const db = openDatabase(':memory:');
    const store = sqliteStores(db);
    const ids = Array.from({ length: 1300 }, (_, n) => String(n));
    await store.events.record(
      ids.map((id) => ({ event: event(id), deliveries: [delivery(id, 'ops', { dueAt: NOON })] })),
    );
    let before: readonly AttemptMoment[] | undefined;
    const due = async (until: string, limit: number) => {
      const now = await store.agenda.due(until, 10_000);
      const entries = before ?? now;
      before = now;
      return entries.slice(0, limit);
    };
    const jobs: Job[] = [];
    const send = async (sent: readonly Job[]) => {
      jobs.push(...sent);
    };
    const counted = new Map<string, number>();
    const call: Invocation = {
      log: new Logger({ logLevel: 'SILENT' }),
      count: (metric, value) => counted.set(metric, value),
      id: 'call',
      timeLeft: () => MINUTE,
      stopBefore: () => new AbortController().signal,
    };
    await tickAll(
      {
        ...store,
        agenda: { ...store.agenda, due },
        queue: { ...store.queue, send },
        openDigests: async () => {},
        clock: fixedClock(NOON),
      },
      call,
    );
    expect(jobs).toHaveLength(1300);
    expect(new Set(jobs.map(storedId)).size).toBe(1300);
    expect(counted.get('oldestDue')).toBe(0);
  });
});
