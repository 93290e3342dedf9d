/** What must hold after a storm, held against the commits, the account and what receivers took. Changes nothing. */

import { deriveEvents } from '../../core/events/derive.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Transition } from '../../core/model/snapshot.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { cleanRow } from '../../core/resources/clean.ts';
import { compileGlob } from '../../core/subscriptions/match.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { Taken } from './storm-receivers.ts';

export interface Aftermath {
  readonly stores: DatabaseStores;
  readonly snapshots: SnapshotStore;
  readonly simulator: Simulator;
  /** Every commit that is news. */
  readonly transitions: readonly Transition[];
  readonly taken: readonly Taken[];
  /** Event types by subscription. */
  readonly wanted: Readonly<Record<string, readonly string[]>>;
  /** Where what is for a machine arrives, by subscription. */
  readonly placeOf: Readonly<Record<string, string>>;
}

const ALL = 100_000;

/** Every line is a broken promise. */
export async function judge(aftermath: Aftermath): Promise<readonly string[]> {
  const { stores, transitions, taken, wanted, placeOf } = aftermath;
  // What a person made up to see whether it arrives never happened.
  const events = (await stores.events.list({ limit: ALL })).events.filter(({ test }) => test !== true);
  const deliveries = await stores.deliveries.list({ limit: ALL });
  const due = await stores.agenda.due('9999', ALL);
  return [
    ...due.map(({ delivery, subscription }) => `never came to rest: ${subscription} ${delivery}`),
    ...notOnce(events, transitions),
    ...outOfOrder(events),
    ...Object.entries(wanted).flatMap(([name, types]) => [
      ...badlyCarried(name, eventsFor(name, types, events), deliveries),
      ...neverCame(name, placeOf[name], eventsFor(name, types, events), taken),
    ]),
    ...lostMembers(deliveries),
    ...otherBodies(taken),
    ...(await notAsInTheAccount(aftermath)),
  ];
}

/** Each event that a commit means is recorded, once, and no other is. */
function notOnce(events: readonly TidingsEvent[], transitions: readonly Transition[]): string[] {
  const meant = new Map(transitions.flatMap((one) => deriveEvents(one)).map((event) => [event.id, event]));
  const told = new Set(events.map(({ id }) => id));
  return [
    ...[...meant.values()].filter(({ id }) => !told.has(id)).map((event) => `never announced: ${nameOf(event)}`),
    ...events.filter(({ id }) => !meant.has(id)).map((event) => `nothing happened: ${nameOf(event)}`),
    ...(told.size === events.length ? [] : ['an event is recorded twice']),
  ];
}

function outOfOrder(events: readonly TidingsEvent[]): string[] {
  const bySubject = Map.groupBy(events, ({ source, subject }) => `${source} ${subject}`);
  return [...bySubject.values()].flatMap((ofRecord) =>
    ofRecord
      .filter(({ data }, at) => data.version < (ofRecord[at - 1]?.data.version ?? 0))
      .map((event) => `after a later one: ${nameOf(event)}`),
  );
}

/** A subscription gets no events about itself. */
function eventsFor(name: string, types: readonly string[], events: readonly TidingsEvent[]): readonly TidingsEvent[] {
  const globs = types.map(compileGlob);
  return events.filter(({ type, subject }) => globs.some((wants) => wants(type)) && subject !== `subscription/${name}`);
}

/** By exactly one delivery that is part of no other, and that one is settled. */
function badlyCarried(name: string, events: readonly TidingsEvent[], deliveries: readonly Delivery[]): string[] {
  const own = deliveries.filter(({ subscription, mark }) => subscription === name && mark === undefined);
  const carriers = own.filter(({ status }) => status !== 'gathered');
  return events.flatMap((event) => {
    const by = carriers.filter((delivery) => delivery.events.includes(event.id)).map(({ status }) => status);
    return by.join() === 'settled'
      ? []
      : [`${name}: ${nameOf(event)} is carried by ${by.join(' and ') || 'no delivery'}`];
  });
}

function neverCame(
  name: string,
  place: string | undefined,
  events: readonly TidingsEvent[],
  taken: readonly Taken[],
): string[] {
  if (place === undefined) return [];
  const came = new Set(taken.filter((one) => one.place === place).map(({ id }) => id));
  return events.filter(({ id }) => !came.has(id)).map((event) => `${name}: ${nameOf(event)} never came`);
}

function lostMembers(deliveries: readonly Delivery[]): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return deliveries
    .filter(({ status }) => status === 'gathered')
    .filter(({ id, into = '', events }) => into === id || !events.every((one) => byId.get(into)?.events.includes(one)))
    .map(({ id }) => `${id} is gathered into a delivery that does not carry it`);
}

/** The same id always comes with the same body. */
function otherBodies(taken: readonly Taken[]): string[] {
  const byName = Map.groupBy(
    taken.filter(({ id }) => id !== undefined),
    ({ place, id }) => `${place} ${id}`,
  );
  return [...byName]
    .filter(([, all]) => new Set(all.map(({ body }) => body)).size > 1)
    .map(([name]) => `${name}: bodies`);
}

async function notAsInTheAccount({ simulator, snapshots }: Aftermath): Promise<string[]> {
  const rows = simulator.account.list('task', { limit: '1000' });
  const looks = rows.map(async (row) => {
    const { id, fields } = cleanRow(resourceOf('task'), row);
    const kept = (await snapshots.get({ source: 'main', resource: 'task', id }))?.record;
    const isSame = (['title', 'statusid', 'datedue'] as const).every((field) => kept?.[field] === fields[field]);
    return isSame ? [] : [`task ${id} is not as the account has it`];
  });
  return (await Promise.all(looks)).flat();
}

const nameOf = ({ id, type, subject, data }: TidingsEvent) => `${type} ${subject} v${data.version} ${id}`;
