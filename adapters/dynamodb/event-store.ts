/** EventStore on DynamoDB: events are recorded once by id, and found by id, by subject and on the timeline. */

import { type Delivery, deliveryId } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { DAY, hourOf, type Instant, plus } from '../../core/model/time.ts';
import type { Announcement, EventStore } from '../../core/ports/event-store.ts';
import { inParallel } from '../aws/parallel.ts';
import { instantOf } from './cursor.ts';
import { deliveryItem } from './delivery-item.ts';
import {
  type EventGroup,
  eventsFromItem,
  eventsItem,
  furtherNameItems,
  groupByTransition,
  isNamedBy,
  lateNameItems,
  pointerItem,
  pointsTo,
} from './event-item.ts';
import { readEventPage } from './event-page.ts';
import { eventKey, isEventId, linkKey, type StoredItem } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import { type Places, toSeconds } from './timeline.ts';

/** How long an event is kept after the next attempt to deliver it. The longest wait between attempts is 29 hours. */
const MARGIN_AFTER_ATTEMPT = 2 * DAY;

export function dynamoEventStore(ledger: LedgerTable): EventStore {
  const { table } = ledger;

  /** The items of these events, and the items they point to. */
  const findItems = async (ids: readonly string[], consistent: boolean): Promise<ReadonlyMap<string, StoredItem>> => {
    const readItems = async (missing: readonly string[]) => {
      const items = await table.getMany(missing.map(eventKey), consistent);
      return items.map((item) => [String(item.pk), item] as const);
    };
    const items = new Map(await readItems(ids));
    const firsts = new Set([...items.values()].flatMap((item) => pointsTo(item) ?? []));
    const missing = [...firsts].filter((id) => !items.has(id));
    for (const [id, item] of await readItems(missing)) items.set(id, item);
    return items;
  };

  const find = async (asked: readonly string[]): Promise<readonly TidingsEvent[]> => {
    const ids = asked.filter(isEventId);
    const items = await findItems(ids, false);
    // Events never change, so a stale read can only miss one that was just recorded: those are read again consistently.
    const late = ids.filter((id) => !isFound(items, id));
    const all = late.length === 0 ? items : new Map([...items, ...(await findItems(late, true))]);
    return ids.flatMap((id) => eventIn(all, id) ?? []);
  };

  return {
    record: (announcements) => record(ledger, announcements),

    async get(id) {
      return (await find([id]))[0];
    },

    getMany: find,

    list: (query) => readEventPage(ledger, (ids) => findItems(ids, true), query),

    /** From the timeline, which has the ids alone: a batch is recorded within seconds of its events. */
    async countByHour(since, limit) {
      const counted = new Set<string>();
      const counts = new Map<Instant, number>();
      for await (const { name, events } of ledger.timeline.readEventsBackward()) {
        const at = instantOf(name);
        if (at < since) break;
        // A batch that was recorded again has the same ids.
        const fresh = events.filter((id) => !counted.has(id));
        for (const id of fresh) counted.add(id);
        const hour = hourOf(at);
        if (counted.size > limit) {
          counts.delete(hour);
          return { counts, uncounted: hour };
        }
        if (fresh.length > 0) counts.set(hour, (counts.get(hour) ?? 0) + fresh.length);
      }
      return { counts };
    },

    /** DynamoDB deletes old items by their time to live. */
    async prune() {
      return 0;
    },
  };
}

const isFound = (items: ReadonlyMap<string, StoredItem>, id: string) => eventIn(items, id) !== undefined;

function eventIn(items: ReadonlyMap<string, StoredItem>, id: string): TidingsEvent | undefined {
  const item = items.get(id);
  const first = item === undefined ? undefined : items.get(pointsTo(item) ?? id);
  return first === undefined ? undefined : eventsFromItem(first).events.find((event) => event.id === id);
}

/**
 * Writes events before their deliveries. If the process dies in between, the batch is recorded again, with its deliveries.
 * In the other order an attempt could find a delivery without its event. Jobs are queued only after everything is written.
 */
async function record(ledger: LedgerTable, requested: readonly Announcement[]): Promise<void> {
  if (requested.length === 0) return;
  const { table, timeline, retention } = ledger;
  const announcements = mergeDuplicates(requested);
  const groups = groupByTransition(announcements);
  const deliveries = deliveriesIn(requested);
  const places = await timeline.add({
    events: announcements.map(({ event }) => event.id),
    deliveries: deliveries.map(({ id, subscription }) => ({ id, subscription })),
  });
  // Events of one record are written in sequence: if one fails, no later event of the record exists without it.
  const byRecord = Map.groupBy(groups, ([{ event }]) => `${event.source} ${event.subject}`);
  await inParallel([...byRecord.values()], async (ofRecord) => {
    for (const group of ofRecord) await recordGroup(ledger, group, places.events);
  });
  await inParallel(deliveries, (delivery) =>
    table.put(deliveryItem(delivery, places.deliveries.get(delivery.id) ?? '', retention), { pk: undefined }),
  );
}

/** A stream may contain a commit twice in one batch. Keeps the first announcement of an event, with the deliveries of all. */
function mergeDuplicates(announcements: readonly Announcement[]): readonly Announcement[] {
  const byEvent = Map.groupBy(announcements, ({ event }) => event.id);
  return [...byEvent.values()].flatMap(([first, ...again]) => {
    if (first === undefined) return [];
    return again.length === 0 ? [first] : [{ ...first, deliveries: deliveriesIn([first, ...again]) }];
  });
}

/** Without duplicates, in their order. */
function deliveriesIn(announcements: readonly Announcement[]): readonly Delivery[] {
  const byId = new Map<string, Delivery>();
  for (const one of announcements.flatMap(({ deliveries }) => deliveries)) if (!byId.has(one.id)) byId.set(one.id, one);
  return [...byId.values()];
}

async function recordGroup(ledger: LedgerTable, group: EventGroup, places: Places['events']): Promise<void> {
  const { table, retention } = ledger;
  const [{ event }, ...others] = group;
  const place = places.get(event.id) ?? '';
  const expiresAt = Math.max(
    toSeconds(plus(event.time, retention)),
    ...group.flatMap(({ deliveries }) => deliveries.map(neededUntil)),
  );
  // A refused write costs as much as one that is made: a replayed event is there already.
  const known = isReplayed(group) ? await table.get(eventKey(event.id), true) : undefined;
  const isWritten =
    known === undefined && (await table.put(eventsItem(group, place, expiresAt), { pk: undefined })) === 'written';
  const kept = isWritten ? undefined : (known ?? (await table.get(eventKey(event.id), true)));
  if (kept !== undefined && kept.place !== place) {
    await recordAgain(ledger, group, kept, places, expiresAt);
    return;
  }
  const pointers = others.map((other) => pointerItem(other, event.id, expiresAt));
  await inParallel(pointers, (pointer) => table.put(pointer, { pk: undefined }));
  const names = group.flatMap((one) => furtherNameItems(one, expiresAt));
  await inParallel(names, (item) => table.put(item));
  await linkOthers(ledger, group, expiresAt);
}

const isReplayed = (group: EventGroup) =>
  group.every(({ deliveries }) => deliveries.some(({ mark }) => mark === 'replay'));

/** For events that are already recorded: adds what was not recorded then. */
async function recordAgain(
  ledger: LedgerTable,
  group: EventGroup,
  kept: StoredItem,
  places: Places['events'],
  expiresAt: number,
): Promise<void> {
  const { table } = ledger;
  const first = pointsTo(kept) ?? group[0].event.id;
  const whole = pointsTo(kept) === undefined ? kept : await table.get(eventKey(first), true);
  const recordedIds = new Set(whole === undefined ? [] : eventsFromItem(whole).events.map(({ id }) => id));
  for (const announcement of group) {
    const { event, deliveries } = announcement;
    const late = eventsItem([announcement], places.get(event.id) ?? '', expiresAt);
    // The transition may have more events than before, because custom event types were added to the config.
    if (!recordedIds.has(event.id)) await table.put(late, { pk: undefined });
    else if (event.id !== first) await table.put(pointerItem(announcement, first, expiresAt), { pk: undefined });
    const names = lateNameItems(announcement, expiresAt);
    await inParallel(names, (item) => table.put(item));
    const known = event.id === group[0].event.id && whole !== undefined ? [kept, whole] : undefined;
    if (deliveries.length > 0) await keepEvents(ledger, [event.id], expiresAt, known);
  }
  await linkOthers(ledger, group, expiresAt);
}

/** Links deliveries to those of their events that do not name them, so that they are found by each event. */
async function linkOthers({ table }: LedgerTable, group: EventGroup, expiresAt: number): Promise<void> {
  const links = group.flatMap(({ event, deliveries }) =>
    deliveries.flatMap(({ id, subscription, events }) =>
      events.filter((one) => one !== event.id || !isNamedBy(event, id, subscription)).map((one) => linkKey(one, id)),
    ),
  );
  await inParallel(links, (link) => table.put({ ...link, expiresAt }));
}

function neededUntil({ dueAt }: Pick<Delivery, 'dueAt'>): number {
  return dueAt === null ? 0 : toSeconds(plus(dueAt, MARGIN_AFTER_ATTEMPT));
}

/** Extends the expiry of events if their delivery may take longer than the retention. Usually there is nothing to do. */
export async function keepForDelivery(ledger: LedgerTable, delivery: Delivery): Promise<void> {
  const until = neededUntil(delivery);
  const isWithinRetention = until <= toSeconds(plus(delivery.createdAt, ledger.retention));
  if (until > 0 && !(isWithinRetention && isAsOldAsItsEvent(delivery))) {
    await keepEvents(ledger, delivery.events, until);
  }
}

/** Replays and groups are younger than their events, so the expiry of these must be read. */
function isAsOldAsItsEvent({ id, subscription, events: [first = ''] }: Delivery): boolean {
  return id === deliveryId(first, subscription);
}

/** @param known their items, if they were read just now. @default - they are read */
async function keepEvents(
  ledger: LedgerTable,
  ids: readonly string[],
  until: number,
  known?: readonly StoredItem[],
): Promise<void> {
  const { table } = ledger;
  const all = new Set(known ?? (await readWithFirsts(ledger, ids)));
  await inParallel(
    [...all].filter(({ expiresAt }) => Number(expiresAt) < until),
    ({ pk, sk, expiresAt }) =>
      table.update({ pk: String(pk), sk: String(sk) }, { set: { expiresAt: until } }, { expiresAt }),
  );
}

async function readWithFirsts({ table }: LedgerTable, ids: readonly string[]): Promise<readonly StoredItem[]> {
  const items = await table.getMany(ids.map(eventKey), true);
  const firsts = new Set(items.flatMap((item) => pointsTo(item) ?? []));
  return [...items, ...(await table.getMany([...firsts].map(eventKey), true))];
}
