/** Queue on SQLite: a job is a row that is hidden while it is processed and deleted when it is acknowledged. */

import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { Job, NewJob, Queue, ReceivedJob, ReceiveOptions } from '../../core/ports/queue.ts';
import { kindOfGroup, readStoredJob, storedId } from '../stored-job.ts';
import type { Database } from './database.ts';

/** Which of the jobs that are sent are received in the same write. */
export interface TakeOptions extends ReceiveOptions {
  readonly limit: number;
  readonly room: NonNullable<ReceiveOptions['room']>;
}

const TAKE_NONE: TakeOptions = { limit: 0, visibility: 0, room: () => 0 };

export interface SendOptions {
  /** @default - none is received in the same write */
  readonly take?: TakeOptions;
  /** Positions of deliveries that were just recorded, by their ids. @default - they are read */
  readonly recorded?: ReadonlyMap<string, { readonly position: number }>;
}

/**
 * Queues the jobs. Those that the receiver has room for are received at once, unless an earlier job of their group is
 * queued or in flight: jobs of a group keep their order. Runs in the caller's transaction.
 */
export function sendJobs(
  db: Database,
  jobs: readonly NewJob[],
  now: Instant,
  { take = TAKE_NONE, recorded }: SendOptions = {},
): readonly ReceivedJob[] {
  // A job that is queued already is left as it is, also in the group of an earlier name of its subscription.
  const add = db.prepare(
    `INSERT OR IGNORE INTO jobs (grouping, position, attempt, delivery, visible_at, receives) SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE position = ?2 AND attempt = ?3 AND delivery = ?4)`,
  );
  const isQueued = (group: string) => db.row('SELECT 1 FROM jobs WHERE grouping = ? LIMIT 1', group) !== undefined;
  const room = new Map<string, number>();
  const taken: ReceivedJob[] = [];
  for (const { notBefore = now, ...job } of jobs) {
    const { kind, attempt, group } = job;
    const id = storedId(job);
    const canTake = notBefore <= now && taken.length < take.limit;
    const position = recorded?.get(id)?.position ?? positionOf(db, job);
    const left = canTake ? (room.get(group) ?? (isQueued(group) ? 0 : take.room(group, kind))) : 0;
    if (left <= 0) {
      room.set(group, 0);
      add.run(group, position, attempt, id, notBefore < now ? now : notBefore, 0);
      continue;
    }
    room.set(group, left - 1);
    const { changes } = add.run(group, position, attempt, id, plus(now, take.visibility), 1);
    if (changes !== 1) continue;
    taken.push({ job, receipt: `${position}:1`, receives: 1 });
    take.took?.(group, 1);
  }
  return taken;
}

export function sqliteQueue(db: Database): Queue {
  /** The group served last. The next call starts after it, so that all groups get their turn. */
  let last = '';
  return {
    async send(jobs, now) {
      if (jobs.length === 0) return;
      db.transaction(() => sendJobs(db, jobs, now));
    },

    async receive(options, now) {
      const hidden = plus(now, options.visibility);
      return db.batchWrite(() => {
        const limit = typeof options.limit === 'function' ? options.limit() : options.limit;
        const { room = () => limit } = options;
        const received: ReceivedJob[] = [];
        if (limit <= 0) return received;
        for (const group of groupsAfter(db, last)) {
          const wanted = Math.min(limit - received.length, room(group, kindOfGroup(group)));
          const jobs = wanted > 0 ? receiveFrom(db, group, wanted, now, hidden) : [];
          if (jobs.length > 0) last = group;
          if (jobs.length > 0) options.took?.(group, jobs.length);
          received.push(...jobs);
          if (received.length >= limit) break;
        }
        return received;
      });
    },

    async acknowledge(received) {
      await db.batchWrite(() => removeJob(db, received));
    },
  };
}

/** The position of its delivery; for other work the one it is queued at, or the next of its group. */
function positionOf(db: Database, job: Job): number {
  const { kind, group } = job;
  const id = storedId(job);
  const [position] =
    db.row('SELECT position FROM deliveries WHERE id = ?', id) ??
    (kind === 'task'
      ? db.row('SELECT position FROM jobs WHERE grouping = ? AND delivery = ?', group, id)
      : undefined) ??
    db.row('SELECT 1 + ifnull(max(position), 0) FROM jobs WHERE grouping = ?', group) ??
    [];
  return Number(position);
}

/** Has no effect with an earlier receipt: another receiver has the job now. */
export function removeJob(db: Database, { job: { attempt, group }, receipt }: ReceivedJob): void {
  const [position, receives] = receipt.split(':');
  db.prepare('DELETE FROM jobs WHERE grouping = ? AND position = ? AND attempt = ? AND receives = ?').run(
    group,
    Number(position),
    attempt,
    Number(receives),
  );
}

/** Hides a job in flight for longer. Has no effect with an earlier receipt. */
export function hideJob(db: Database, { job: { attempt, group }, receipt }: ReceivedJob, until: Instant): void {
  const [position, receives] = receipt.split(':');
  db.prepare('UPDATE jobs SET visible_at = ? WHERE grouping = ? AND position = ? AND attempt = ? AND receives = ?').run(
    until,
    group,
    Number(position),
    attempt,
    Number(receives),
  );
}

/** Each group once, starting after `start`. Skips from group to group in the index, however many jobs each has. */
function* groupsAfter(db: Database, start: string): Generator<string> {
  const next = (after: string) => {
    const name = db.row('SELECT min(grouping) FROM jobs WHERE grouping > ?', after)?.[0];
    return typeof name === 'string' ? name : undefined;
  };
  for (let name = next(start); name !== undefined; name = next(name)) yield name;
  for (let name = next(''); name !== undefined && name <= start; name = next(name)) yield name;
}

/** A job is hidden for 15 minutes at most. If it is hidden for longer, the clock ran ahead and was put back. */
const MAX_HIDDEN = 20 * MINUTE;

function receiveFrom(db: Database, group: string, limit: number, now: Instant, hiddenUntil: Instant): ReceivedJob[] {
  const rows = db.rows(
    `SELECT position, delivery, attempt, receives + 1 FROM jobs
     WHERE grouping = ? AND (visible_at <= ? OR visible_at > ?) ORDER BY position LIMIT ?`,
    group,
    now,
    plus(now, MAX_HIDDEN),
    limit,
  );
  // Row by row: UPDATE … RETURNING goes through a temporary table and takes longer.
  const hide = db.prepare(
    'UPDATE jobs SET visible_at = ?, receives = receives + 1 WHERE grouping = ? AND position = ? AND attempt = ?',
  );
  return rows.map(([position, id, attempt, receives]) => {
    hide.run(hiddenUntil, group, Number(position), Number(attempt));
    return {
      job: readStoredJob({ id: String(id), attempt: Number(attempt), group }),
      receipt: `${position}:${receives}`,
      receives: Number(receives),
    };
  });
}
