/** Agenda on SQLite: the `due_at` column of the deliveries. */

import type { AttemptMoment } from '../../core/model/agenda.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { takeTurns } from '../../core/model/take-turns.ts';
import type { Instant } from '../../core/model/time.ts';
import type { Agenda, ReadBacklog } from '../../core/ports/agenda.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database, Row } from './database.ts';
import { OPEN } from './delivery-page.ts';

export function sqliteAgenda(db: Database): Agenda {
  return {
    async due(until, limit) {
      const rows = db.rows(
        `SELECT due_at, id, subscription, attempts FROM deliveries WHERE due_at <= ? ORDER BY due_at, position LIMIT ?`,
        ...[until, limit],
      );
      return rows.map(toMoment);
    },

    async postpone({ delivery: id, at }, to) {
      const move = db.prepare(
        `UPDATE deliveries SET due_at = ?, body = json_set(body, '$.dueAt', ?) WHERE id = ? AND due_at = ?`,
      );
      return db.batchWrite(() => move.run(to, to, id, at).changes === 1);
    },
  };
}

/** How many of the earliest are read, beside those of each subscription. */
const EARLIEST = 1000;

/** Of each subscription. */
const OF_EACH = 50;

/** Deliveries that are looked at, of all subscriptions together and of each. What is queued, and not attempted yet, is among them. */
const LOOKED_AT = 20_000;
const MIN_LOOKED_AT = 50;
const MAX_LOOKED_AT = 1000;

/** Subscriptions of one owner that are looked at, others each time: owners take turns, and a key with a thousand would take the time of all. */
const OF_OWNER = 20;

/** To look at many subscriptions takes longer than to queue a batch. So many times as long nothing but the earliest is read. */
const REST_PER_LOOK = 5;

/** Some of each subscription, of some of each owner, then the earliest. Without an index of its own, only the oldest deliveries of a subscription are looked at. */
export function sqliteBacklog(
  db: Database,
  { due }: Pick<Agenda, 'due'>,
  subscriptions: Pick<SubscriptionStore, 'list'>,
): ReadBacklog {
  const ofEach = `SELECT due_at, id, subscription, attempts FROM
      (SELECT due_at, id, subscription, attempts FROM deliveries
       WHERE status = ? AND ${OPEN} AND subscription = ? ORDER BY position LIMIT ?)
    WHERE due_at <= ? LIMIT ${OF_EACH}`;
  let restsUntil = 0;
  let looks = 0;
  const hasOpen = `SELECT 1 FROM deliveries INDEXED BY deliveries_open WHERE ${OPEN} AND subscription = ? LIMIT 1`;
  // Those of removed subscriptions come as the earliest: of these there may be any number of names.
  const chooseNames = async (): Promise<readonly string[]> => {
    const pace = createEventLoopPace();
    const withOpen: Subscription[] = [];
    for (const one of await subscriptions.list()) {
      if (db.row(hasOpen, one.name) !== undefined) withOpen.push(one);
      await pace();
    }
    const byOwner = Map.groupBy(withOpen, ({ name, owner = ` ${name}` }) => owner);
    return [...byOwner.values()].flatMap((own) => {
      const first = own.length > OF_OWNER ? (looks * OF_OWNER) % own.length : 0;
      return [...own.slice(first), ...own.slice(0, first)].slice(0, OF_OWNER).map(({ name }) => name);
    });
  };
  const findOfEach = async (until: Instant, found: Map<string, AttemptMoment>) => {
    if (performance.now() < restsUntil) return;
    const pace = createEventLoopPace();
    const names = await chooseNames();
    looks += 1;
    // Without what else runs meanwhile: on a busy machine it would rest for a minute.
    let [worked, from] = [0, performance.now()];
    const oldest = Math.min(MAX_LOOKED_AT, Math.max(MIN_LOOKED_AT, Math.floor(LOOKED_AT / names.length)));
    for (const subscription of names) {
      const rows = ['pending', 'waiting'].flatMap((status) => db.rows(ofEach, status, subscription, oldest, until));
      for (const moment of rows.map(toMoment)) found.set(moment.delivery, moment);
      worked += performance.now() - from;
      await pace();
      from = performance.now();
    }
    restsUntil = performance.now() + worked * REST_PER_LOOK;
  };
  return async (until, limit) => {
    const found = new Map<string, AttemptMoment>();
    await findOfEach(until, found);
    for (const moment of await due(until, Math.min(limit, EARLIEST))) found.set(moment.delivery, moment);
    return takeTurns([...found.values()], ({ subscription }) => subscription).slice(0, limit);
  };
}

function toMoment([at, id, subscription, attempts]: Row): AttemptMoment {
  return {
    kind: 'attempt',
    at: String(at),
    delivery: String(id),
    subscription: String(subscription),
    attempt: Number(attempts) + 1,
  };
}
