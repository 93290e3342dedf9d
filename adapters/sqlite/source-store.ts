/** SourceStore on SQLite. The revision is a counter that each write increments in its own transaction. */

import type { SourceStore, StoredSource } from '../../core/ports/source-store.ts';
import type { Database } from './database.ts';
import { parse, parseAll } from './rows.ts';

export function sqliteSourceStore(db: Database): SourceStore {
  /** @param make returns how many rows it changed */
  const write = (make: () => number | bigint): boolean =>
    db.durableTransaction(() => {
      const isWritten = make() > 0;
      if (isWritten) countSourceChange(db);
      return isWritten;
    });
  return {
    async get(name) {
      return parse<StoredSource>(db.prepare('SELECT body FROM sources WHERE name = ?').get(name));
    },

    async list() {
      return parseAll<StoredSource>(db.prepare('SELECT body FROM sources ORDER BY name').all());
    },

    async add(source) {
      const insert = db.prepare('INSERT OR IGNORE INTO sources (name, version, body) VALUES (?, ?, ?)');
      return write(() => insert.run(source.name, source.version, JSON.stringify(source)).changes);
    },

    async update(source) {
      const { name, version } = source;
      const update = db.prepare('UPDATE sources SET version = ?, body = ? WHERE name = ? AND version = ?');
      return write(() => update.run(version, JSON.stringify(source), name, version - 1).changes);
    },

    async remove(name, version) {
      return write(() => db.prepare('DELETE FROM sources WHERE name = ? AND version = ?').run(name, version).changes);
    },

    async revision() {
      return Number(db.row('SELECT revision FROM source_changes')?.[0] ?? 0);
    },
  };
}

function countSourceChange(db: Database): void {
  db.prepare('UPDATE source_changes SET revision = revision + 1').run();
}

/** Adds or replaces it, within a transaction of the caller. */
export function insertSource(db: Database, source: StoredSource): void {
  const insert = db.prepare('INSERT OR REPLACE INTO sources (name, version, body) VALUES (?, ?, ?)');
  insert.run(source.name, source.version, JSON.stringify(source));
  countSourceChange(db);
}
