/** SubscriptionStore on SQLite. */

import { fromStored, type StoredSubscription, type Subscription, toStored } from '../../core/model/subscription.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import type { Database } from './database.ts';
import { readCache } from './read-cache.ts';

export function sqliteSubscriptionStore(db: Database): SubscriptionStore {
  /** As last read. It may have megabytes, and is read for each batch of events, and for each delivery of a subscription that was removed. */
  let listed: { readonly revision: number; readonly subscriptions: readonly Subscription[] } | undefined;
  /** As last read, by name: one is parsed again when its text has changed. Earlier versions are not kept: a key may make thousands. */
  const parsed = new Map<string, { readonly body: string; readonly subscription: Subscription }>();
  const parse = (name: string, body: string): Subscription => {
    const known = parsed.get(name);
    if (known?.body === body) return known.subscription;
    const subscription = fromStored(JSON.parse(body) as StoredSubscription);
    parsed.set(name, { body, subscription });
    return subscription;
  };
  const cache = readCache<Subscription | undefined>();
  const find = (name: string): Subscription | undefined => {
    const row = db.row('SELECT body FROM subscriptions WHERE name = ?', name);
    if (row !== undefined) return parse(name, String(row[0]));
    parsed.delete(name);
    return undefined;
  };
  const readAll = (): readonly Subscription[] => {
    const rows = db.rows('SELECT name, body FROM subscriptions ORDER BY name');
    const names = new Set(rows.map(([name]) => String(name)));
    for (const name of parsed.keys()) if (!names.has(name)) parsed.delete(name);
    return rows.map(([name, body]) => parse(String(name), String(body)));
  };
  /** Reads only what has changed since: a key may change one of its subscriptions each second. Undefined if that is not known any more. */
  const readChanged = ({ revision: since, subscriptions }: NonNullable<typeof listed>, until: number) => {
    const changes = db.rows('SELECT name FROM subscription_changes WHERE revision > ? AND revision <= ?', since, until);
    if (changes.length !== until - since) return undefined;
    const next = [...subscriptions];
    for (const name of new Set(changes.map(([name]) => String(name)))) {
      const at = placeOf(name, next);
      const found = find(name);
      next.splice(at, next[at]?.name === name ? 1 : 0, ...(found === undefined ? [] : [found]));
    }
    return next;
  };
  /** The same array as long as nothing has changed: much is derived of it. */
  const readList = (): readonly Subscription[] => {
    // Before the rows: a commit in between is then noticed by the next call.
    const revision = Number(db.row('SELECT coalesce(max(revision), 0) FROM subscription_changes')?.[0]);
    if (listed?.revision === revision) return listed.subscriptions;
    const subscriptions = (listed && readChanged(listed, revision)) ?? readAll();
    listed = { revision, subscriptions };
    return subscriptions;
  };
  /** Overwrites what the write deletes: earlier versions stored secrets here. */
  const eraseDeleted = <T>(write: () => T): T => {
    db.prepare('PRAGMA secure_delete = ON').get();
    try {
      return write();
    } finally {
      db.prepare('PRAGMA secure_delete = OFF').get();
    }
  };
  const save = (subscription: Subscription) => {
    cache.clear();
    const statement = db.prepare('INSERT OR REPLACE INTO subscriptions (name, declared, body) VALUES (?, ?, ?)');
    const { name, declared } = subscription;
    eraseDeleted(() => statement.run(name, declared ? 1 : 0, JSON.stringify(toStored(subscription))));
  };
  const remove = (name: string) => {
    cache.clear();
    return eraseDeleted(() => db.prepare('DELETE FROM subscriptions WHERE name = ?').run(name).changes > 0);
  };
  return {
    listNamed: async (prefix) => readList().filter(({ name }) => name.startsWith(prefix)),

    async get(name) {
      return cache.get(name, () => find(name));
    },

    async list() {
      const subscriptions = readList();
      // What is announced is delivered in the same turn, and each delivery asks for its subscription.
      cache.addAll((name) => parsed.get(name)?.subscription);
      return subscriptions;
    },

    async save(subscription) {
      db.durableTransaction(() => save(subscription));
    },

    async add(subscription, replaces = () => false) {
      return db.durableTransaction(() => {
        const stored = find(subscription.name);
        const isAdded = stored === undefined || replaces(stored);
        if (isAdded) save(subscription);
        return isAdded;
      });
    },

    async update(name, change) {
      return db.durableTransaction(() => {
        const stored = find(name);
        if (stored !== undefined) save(change(stored));
        return stored !== undefined;
      });
    },

    async remove(name, assertRemovable = () => {}) {
      return db.durableTransaction(() => {
        const stored = find(name);
        if (stored !== undefined) assertRemovable(stored);
        return stored !== undefined && remove(name);
      });
    },

    async applyDeclared(declared, merge = (one) => one) {
      return db.durableTransaction(() => {
        const rows = db.prepare('SELECT name, declared, body FROM subscriptions').all();
        const stored = new Map(rows.map(({ name, body }) => [String(name), String(body)]));
        const wanted = declared.map((one) => {
          const body = stored.get(one.name);
          return merge(one, body === undefined ? undefined : parse(one.name, body));
        });
        const names = new Set(wanted.map(({ name }) => name));
        const removed = rows
          .filter(({ name, declared }) => declared === 1 && !names.has(String(name)))
          .map(({ name }) => String(name));
        for (const name of removed) remove(name);
        const written = wanted.filter(
          (subscription) => stored.get(subscription.name) !== JSON.stringify(toStored(subscription)),
        );
        for (const subscription of written) save(subscription);
        const namesOf = (isNew: boolean) =>
          written.filter(({ name }) => stored.has(name) !== isNew).map(({ name }) => name);
        return { added: namesOf(true), changed: namesOf(false), removed };
      });
    },
  };
}

/** Where the name is in a list sorted by name, or has to be inserted. */
function placeOf(name: string, sorted: readonly Pick<Subscription, 'name'>[]): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle]?.name ?? '') < name) from = middle + 1;
    else to = middle;
  }
  return from;
}
