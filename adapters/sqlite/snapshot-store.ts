/** SnapshotStore, ChangeFeed and History on SQLite: a commit and its row in the feed are one transaction. */

import { setImmediate } from 'node:timers/promises';
import type { RecordKey } from '../../core/model/record.ts';
import { isOpenItem, type Snapshot, type Transition } from '../../core/model/snapshot.ts';
import type {
  ChangeFeed,
  CommitOutcome,
  FeedEntry,
  History,
  SnapshotStore,
  SnapshotWrite,
} from '../../core/ports/snapshot-store.ts';
import type { Database } from './database.ts';
import { deleteExpired, deleteInParts, PART_SIZE } from './delete-in-parts.ts';
import { acknowledgeFeed, readFeed, readMarks } from './feed-table.ts';
import { createFeedTail, type FeedTail, type StoredEntry } from './feed-tail.ts';
import { readCache } from './read-cache.ts';

/** Rows that a list reads at a time. Where lists take turns, to parse and judge a page takes a few milliseconds. */
const PAGE_SIZE = 500;
const TURN_PAGE_SIZE = 100;

/** Rows per insert of a baseline: a call of SQLite costs as much as the insert of a row. */
const BLOCK_SIZE = 20;

/**
 * After a commit of this many snapshots the event loop has some turns: a baseline, which commits one batch after the other,
 * delays deliveries by a batch and not by a page, and the next page is received meanwhile.
 */
const LARGE_COMMIT_SIZE = 150;

/** From its commit to its request, a delivery takes about as many. With nothing to do, a turn takes microseconds. */
const TURNS_AFTER_LARGE_COMMIT = 4;

/** @param tail of the feed, for stores that acknowledge it in a write of their own */
export function sqliteSnapshotStore(
  db: Database,
  tail: FeedTail = createFeedTail(),
): SnapshotStore & ChangeFeed & History {
  const read = ({ source, resource, id }: RecordKey): Snapshot | undefined => {
    const row = db
      .prepare('SELECT body FROM snapshots WHERE source = ? AND resource = ? AND id_length = ? AND id = ?')
      .get(source, resource, id.length, id);
    return row === undefined ? undefined : parseSnapshot(row.body);
  };

  /** What the transaction has added to the feed. */
  let added: StoredEntry[] = [];
  const addToFeed = (
    { key: { source, resource, id }, cause }: Snapshot,
    before: string | null,
    after: string,
  ): void => {
    if (cause === 'baseline') return;
    const { lastInsertRowid } = db
      .prepare('INSERT INTO feed (before, after, source, resource, id) VALUES (?, ?, ?, ?, ?)')
      .run(before, after, source, resource, id);
    added.push({ position: Number(lastInsertRowid), before, after });
  };

  /** Needs no read before: an existing row makes the insert a no-op, which is a conflict. */
  const insert = (snapshot: Snapshot): CommitOutcome => {
    const { source, resource, id } = snapshot.key;
    const body = JSON.stringify(snapshot);
    const { changes } = db
      .prepare(
        `INSERT OR IGNORE INTO snapshots (source, resource, id_length, id, version, next_moment, standing, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(source, resource, id.length, id, snapshot.version, snapshot.nextMoment, openMark(snapshot), body);
    if (changes === 0) return 'conflict';
    addToFeed(snapshot, null, body);
    return 'committed';
  };

  const update = (snapshot: Snapshot, expected: number): CommitOutcome => {
    const before = read(snapshot.key);
    if (before?.version !== expected) return 'conflict';
    const { source, resource, id } = snapshot.key;
    const body = JSON.stringify(snapshot);
    db.prepare(
      `UPDATE snapshots SET version = ?, next_moment = ?, standing = ?, body = ?
       WHERE source = ? AND resource = ? AND id_length = ? AND id = ?`,
    ).run(snapshot.version, snapshot.nextMoment, openMark(snapshot), body, source, resource, id.length, id);
    addToFeed(snapshot, JSON.stringify(before), body);
    return 'committed';
  };

  const write = ({ snapshot, expected }: SnapshotWrite): CommitOutcome =>
    expected === 0 ? insert(snapshot) : update(snapshot, expected);

  const writeAll = (writes: readonly SnapshotWrite[]): CommitOutcome[] => {
    const outcomes: CommitOutcome[] = [];
    while (outcomes.length < writes.length) {
      const block = writes.slice(outcomes.length, outcomes.length + BLOCK_SIZE);
      const isDone = isBaseline(block) && insertBlock(db, block);
      outcomes.push(...(isDone ? block.map(() => 'committed' as const) : block.map(write)));
    }
    return outcomes;
  };

  const cache = readCache<Snapshot | undefined>();
  const turns = createTurns();

  return {
    async get(key) {
      return cache.get(`${key.source}/${key.resource}/${key.id}`, () => read(key));
    },

    async getMany(source, resource, ids) {
      const entries = ids.map((id) => [id, read({ source, resource, id })] as const);
      return new Map(entries.flatMap(([id, snapshot]) => (snapshot === undefined ? [] : [[id, snapshot] as const])));
    },

    list: (source, resource) => listPages(db, source, resource),

    listOpen: (source, resource) => listPages(db, source, resource, { condition: 'standing IS NOT NULL', turns }),

    async commit(writes) {
      cache.clear();
      if (writes.length === 0) return [];
      added = [];
      const outcomes = db.transaction(() => writeAll(writes));
      tail.add(added);
      const turns = writes.length < LARGE_COMMIT_SIZE ? 0 : TURNS_AFTER_LARGE_COMMIT;
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      return outcomes;
    },

    async removeExpired(source, resource, now) {
      cache.clear();
      for await (const { key, expiresAt } of listPages(db, source, resource, { turns }))
        if (expiresAt !== undefined && expiresAt < now) deleteExpired(db, key, now);
      cache.clear();
    },

    async due({ source, resource, resources, after = '', until }, limit) {
      const rows = db
        .prepare(
          `SELECT next_moment, source, resource, id FROM snapshots WHERE next_moment > ?1 AND next_moment <= ?2
           AND (?3 IS NULL OR source = ?3) AND (?4 IS NULL OR resource = ?4)
           AND (?6 IS NULL OR resource IN (SELECT value FROM json_each(?6)))
           ORDER BY next_moment, source, resource, id_length, id LIMIT ?5`,
        )
        .all(after, until, source ?? null, resource ?? null, limit, resources ? JSON.stringify([...resources]) : null);
      return rows.map(({ next_moment, source, resource, id }) => ({
        kind: 'stage' as const,
        at: String(next_moment),
        key: { source: String(source), resource: String(resource), id: String(id) },
      }));
    },

    async read(consumer, limit, after = 0): Promise<readonly FeedEntry[]> {
      const rows = tail.read(consumer, limit, after) ?? readFeed(db, consumer, limit, after);
      return rows.map((row) => ({ position: Number(row.position), transition: parseTransition(row) }));
    },

    marks: async () => readMarks(db),

    async transitionsOf({ source, resource, id }, limit) {
      const rows = db
        .prepare(
          `SELECT before, after FROM feed WHERE source = ? AND resource = ? AND id = ?
           ORDER BY position DESC LIMIT ?`,
        )
        .all(source, resource, id, limit);
      return rows.map(parseTransition).reverse();
    },

    // The oldest come first: no others are read. One that was recorded before the clock was put back keeps those after it.
    prune: (before) =>
      deleteInParts(
        db,
        'feed',
        `SELECT position FROM
           (SELECT position, after FROM feed WHERE position <= (SELECT min(position) FROM feed_consumers)
            ORDER BY position LIMIT ${PART_SIZE})
         WHERE json_extract(after, '$.committedAt') < ?`,
        before,
      ),

    async acknowledge(consumer, position) {
      acknowledgeFeed(db, { consumer, position });
      tail.acknowledged({ consumer, position });
    },
  };
}

/** Waits for a turn of the event loop in which no other page is read. */
type Turns = () => Promise<void>;

/**
 * All lists of what is open together read one page in a turn of the event loop: a key may have a thousand digests at the same minute, and each of
 * them reads everything that is open. Responses, deliveries and `/health` have the time between two pages.
 */
function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

interface ListOptions {
  /** @default - all snapshots of the resource */
  readonly condition?: string;
  /** @default - reads on at once */
  readonly turns?: Turns;
}

async function* listPages(
  db: Database,
  source: string,
  resource: string,
  { condition = 'TRUE', turns }: ListOptions = {},
): AsyncGenerator<Snapshot> {
  const size = turns === undefined ? PAGE_SIZE : TURN_PAGE_SIZE;
  const step = db.prepare(
    `SELECT id, body FROM snapshots WHERE source = ? AND resource = ? AND (id_length, id) > (?, ?) AND ${condition}
     ORDER BY id_length, id LIMIT ${size}`,
  );
  for (let last = ''; ; ) {
    await turns?.();
    const rows = step.all(source, resource, last.length, last);
    for (const row of rows) yield parseSnapshot(row.body);
    if (rows.length < size) return;
    last = String(rows.at(-1)?.id);
  }
}

/** The column `standing`, an older name for open, which has an index of the rows that are not null. */
const openMark = (snapshot: Snapshot): 1 | null => (isOpenItem(snapshot) ? 1 : null);

/** Adds or replaces a snapshot of another database. It is not added to the feed: its events were derived there. */
export function copySnapshot(db: Database, snapshot: Snapshot): void {
  const { source, resource, id } = snapshot.key;
  const { version, nextMoment } = snapshot;
  db.prepare(
    `INSERT OR REPLACE INTO snapshots (source, resource, id_length, id, version, next_moment, standing, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(source, resource, id.length, id, version, nextMoment, openMark(snapshot), JSON.stringify(snapshot));
}

/** A full block of baseline records of one resource. They are not added to the feed. */
function isBaseline(block: readonly SnapshotWrite[]): boolean {
  const first = block[0]?.snapshot.key;
  const belongs = ({ snapshot: { key, cause }, expected }: SnapshotWrite) =>
    expected === 0 && cause === 'baseline' && key.source === first?.source && key.resource === first.resource;
  return block.length === BLOCK_SIZE && block.every(belongs);
}

const INSERT_BLOCK = `INSERT INTO snapshots (source, resource, id_length, id, version, next_moment, standing, body)
  VALUES (?1, ?2, ?, ?, ?, ?, ?, ?)${', (?1, ?2, ?, ?, ?, ?, ?, ?)'.repeat(BLOCK_SIZE - 1)}`;

/** Inserts all rows, or none and returns false if one of them exists. */
function insertBlock(db: Database, block: readonly SnapshotWrite[]): boolean {
  const values: (string | number | null)[] = [];
  for (const { snapshot } of block) {
    const { source, resource, id } = snapshot.key;
    if (values.length === 0) values.push(source, resource);
    const { version, nextMoment } = snapshot;
    values.push(id.length, id, version, nextMoment, openMark(snapshot), JSON.stringify(snapshot));
  }
  try {
    db.prepare(INSERT_BLOCK).run(...values);
    return true;
  } catch (error) {
    if (isPrimaryKeyConflict(error)) return false;
    throw error;
  }
}

/** SQLITE_CONSTRAINT_PRIMARYKEY. */
function isPrimaryKeyConflict(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 1555;
}

function parseTransition({ before, after }: { readonly before?: unknown; readonly after?: unknown }): Transition {
  return { before: before === null ? null : parseSnapshot(before), after: parseSnapshot(after) };
}

/** Unchecked: only this adapter writes the rows, and the schema version guarantees their form. */
function parseSnapshot(body: unknown): Snapshot {
  return JSON.parse(String(body)) as Snapshot;
}
