/** Ledger on SQLite: one table per kind of thing, the thing itself as JSON, beside it the columns we search by. */

import type { TidingsEvent } from '../../core/model/event.ts';
import { cacheJson } from '../../core/model/event-json.ts';
import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { plus } from '../../core/model/time.ts';
import type { Ledger, SubscriptionLedger } from '../../core/ports/ledger.ts';
import type { Database } from './database.ts';
import { addDelivery, deliveries } from './deliveries.ts';
import { parse, parseAll, parseOnce } from './rows.ts';
import { turnMemo } from './turn-memo.ts';

export function sqliteLedger(db: Database): Ledger {
  return { ...events(db), ...deliveries(db), ...subscriptions(db), ...threads(db), ...scans(db), ...leases(db) };
}

function events(db: Database): Pick<Ledger, 'record' | 'event' | 'eventsById' | 'events' | 'prune'> {
  return {
    async record(announcements) {
      if (announcements.length === 0) return;
      const addEvent = db.prepare('INSERT OR IGNORE INTO events (id, time, subject, body) VALUES (?, ?, ?, ?)');
      db.transaction(() => {
        for (const { event, deliveries } of announcements) {
          addEvent.run(event.id, event.time, event.subject, JSON.stringify(event));
          for (const delivery of deliveries) addDelivery(db, delivery);
        }
      });
    },

    async prune(before) {
      const old = `SELECT id FROM events WHERE time < ?
        AND NOT EXISTS (SELECT 1 FROM delivery_events JOIN deliveries ON deliveries.id = delivery_events.delivery
                        WHERE delivery_events.event = events.id AND deliveries.due_at IS NOT NULL)`;
      return db.transaction(() => {
        const ids = db
          .prepare(old)
          .all(before)
          .map(({ id }) => String(id));
        const removeEvent = db.prepare('DELETE FROM events WHERE id = ?');
        for (const id of ids) removeEvent.run(id);
        db.prepare(
          `DELETE FROM deliveries WHERE due_at IS NULL AND NOT EXISTS
             (SELECT 1 FROM json_each(deliveries.body, '$.events'), events WHERE events.id = json_each.value)`,
        ).run();
        return ids.length;
      });
    },

    async event(id) {
      return parse<TidingsEvent>(db.prepare('SELECT body FROM events WHERE id = ?').get(id));
    },

    eventsById: (ids) =>
      db.readTogether(() =>
        ids.flatMap((id) => {
          const row = db.row('SELECT body FROM events WHERE id = ?', id);
          return row === undefined ? [] : [parseEvent(String(row[0]))];
        }),
      ),

    async events({ since = '', subject, after, limit }) {
      const position = after === undefined ? 0 : Number(after);
      const rows =
        subject === undefined
          ? db
              .prepare('SELECT position, body FROM events WHERE position > ? AND time >= ? ORDER BY position LIMIT ?')
              .all(position, since, limit)
          : db
              .prepare(
                'SELECT position, body FROM events WHERE subject = ? AND position > ? AND time >= ? ORDER BY position LIMIT ?',
              )
              .all(subject, position, since, limit);
      const last = rows.at(-1);
      return { events: parseAll<TidingsEvent>(rows), cursor: last === undefined ? after : String(last.position) };
    },
  };
}

/** Most are read to be sent, as they are. */
function parseEvent(body: string): TidingsEvent {
  return cacheJson(JSON.parse(body) as TidingsEvent, body);
}

function subscriptions(db: Database): SubscriptionLedger {
  const save = (subscription: Subscription) => {
    memo.forget();
    db.prepare('INSERT OR REPLACE INTO subscriptions (name, declared, body) VALUES (?, ?, ?)').run(
      subscription.name,
      subscription.declared ? 1 : 0,
      JSON.stringify(subscription),
    );
  };
  const remove = (name: string) => {
    memo.forget();
    return db.prepare('DELETE FROM subscriptions WHERE name = ?').run(name).changes > 0;
  };
  const read = parseOnce<Subscription>();
  const memo = turnMemo<Subscription | undefined>();
  return {
    async saveSubscription(subscription) {
      save(subscription);
    },

    async changeSubscription(name, change) {
      return db.transaction(() => {
        const row = db.row('SELECT body FROM subscriptions WHERE name = ?', name);
        if (row !== undefined) save(change(read(String(row[0]))));
        return row !== undefined;
      });
    },

    async removeSubscription(name) {
      return remove(name);
    },

    async subscription(name) {
      return memo.recall(name, () => {
        const row = db.row('SELECT body FROM subscriptions WHERE name = ?', name);
        return row === undefined ? undefined : read(String(row[0]));
      });
    },

    async subscriptions() {
      const rows = db.prepare('SELECT body FROM subscriptions ORDER BY name').all();
      return rows.map(({ body }) => read(String(body)));
    },

    async applyDeclared(declared, over = (one) => one) {
      return db.transaction(() => {
        const rows = db.prepare('SELECT name, declared, body FROM subscriptions').all();
        const known = new Map(rows.map(({ name, body }) => [String(name), String(body)]));
        const wanted = declared.map((one) => {
          const body = known.get(one.name);
          return over(one, body === undefined ? undefined : read(body));
        });
        const names = new Set(wanted.map(({ name }) => name));
        const removed = rows
          .filter(({ name, declared }) => declared === 1 && !names.has(String(name)))
          .map(({ name }) => String(name));
        for (const name of removed) remove(name);
        const written = wanted.filter((subscription) => known.get(subscription.name) !== JSON.stringify(subscription));
        for (const subscription of written) save(subscription);
        const namesOf = (isNew: boolean) =>
          written.filter(({ name }) => known.has(name) !== isNew).map(({ name }) => name);
        return { added: namesOf(true), changed: namesOf(false), removed };
      });
    },
  };
}

function threads(db: Database): Pick<Ledger, 'thread' | 'saveThread'> {
  return {
    async thread(subscription, subject) {
      const row = db
        .prepare('SELECT thread FROM threads WHERE subscription = ? AND subject = ?')
        .get(subscription, subject);
      return row === undefined ? undefined : String(row.thread);
    },

    async saveThread(subscription, subject, thread) {
      db.prepare('INSERT OR REPLACE INTO threads (subscription, subject, thread) VALUES (?, ?, ?)').run(
        subscription,
        subject,
        thread,
      );
    },
  };
}

function scans(db: Database): Pick<Ledger, 'scanState' | 'saveScanState'> {
  const read = (source: string, resource: string): ScanState | undefined => {
    const row = db.prepare('SELECT body FROM scans WHERE source = ? AND resource = ?').get(source, resource);
    const kept = parse<Partial<ScanState>>(row);
    // A state written by an earlier version lacks what came later.
    return kept === undefined ? undefined : { ...initialScanState(source, resource), ...kept };
  };
  return {
    async scanState(source, resource) {
      return read(source, resource);
    },

    async saveScanState(state) {
      const { source, resource, version } = state;
      return db.transaction(() => {
        if ((read(source, resource)?.version ?? 0) !== version - 1) return false;
        db.prepare('INSERT OR REPLACE INTO scans (source, resource, body) VALUES (?, ?, ?)').run(
          source,
          resource,
          JSON.stringify(state),
        );
        return true;
      });
    },
  };
}

function leases(db: Database): Pick<Ledger, 'acquireLease' | 'releaseLease'> {
  return {
    async acquireLease(name, holder, now, duration) {
      // One statement: a new holder gets a new fence, the same holder keeps its own, a stranger in time gets no row.
      const row = db
        .prepare(
          `INSERT INTO leases (name, holder, fence, until) VALUES (?, ?, 1, ?)
           ON CONFLICT DO UPDATE SET
             fence = fence + (until <= ?4 OR holder <> excluded.holder),
             holder = excluded.holder,
             until = excluded.until
           WHERE holder = excluded.holder OR until <= ?4
           RETURNING fence`,
        )
        .get(name, holder, plus(now, duration), now);
      return row === undefined ? undefined : { name, holder, fence: Number(row.fence) };
    },

    async releaseLease({ name, holder, fence }) {
      db.prepare(`UPDATE leases SET until = '' WHERE name = ? AND holder = ? AND fence = ?`).run(name, holder, fence);
    },
  };
}
