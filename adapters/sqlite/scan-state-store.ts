/** ScanStateStore on SQLite. */

import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import type { Instant } from '../../core/model/time.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { Database } from './database.ts';
import { parse } from './rows.ts';

export function sqliteScanStateStore(db: Database): ScanStateStore {
  const find = (source: string, resource: string): ScanState | undefined => {
    const row = db.prepare('SELECT body FROM scans WHERE source = ? AND resource = ?').get(source, resource);
    const stored = parse<Partial<ScanState>>(row);
    return stored === undefined ? undefined : complete(source, resource, stored);
  };
  return {
    async get(source, resource) {
      return find(source, resource);
    },

    async save(state) {
      const { source, resource, version } = state;
      return db.transaction(() => {
        if ((find(source, resource)?.version ?? 0) !== version - 1) return false;
        db.prepare('INSERT OR REPLACE INTO scans (source, resource, body) VALUES (?, ?, ?)').run(
          source,
          resource,
          JSON.stringify(state),
        );
        return true;
      });
    },

    async requestScan(source, at) {
      db.prepare('INSERT OR REPLACE INTO scans (source, resource, body) VALUES (?, ?, ?)').run(
        source,
        REQUEST,
        JSON.stringify({ at }),
      );
    },

    async ofSource(source) {
      const states = new Map<string, ScanState>();
      let requestedAt: Instant | undefined;
      for (const row of db.prepare('SELECT resource, body FROM scans WHERE source = ?').all(source)) {
        const [resource, body] = [String(row.resource), JSON.parse(String(row.body))];
        if (resource === REQUEST) requestedAt = String(body.at);
        else states.set(resource, complete(source, resource, body));
      }
      return requestedAt === undefined ? { states } : { states, requestedAt };
    },
  };
}

/** A state written by an earlier version lacks newer fields. */
function complete(source: string, resource: string, stored: Partial<ScanState>): ScanState {
  return { ...initialScanState(source, resource), ...stored };
}

/** In place of a resource, whose names are letters: the row of the last request. */
const REQUEST = '#request';
