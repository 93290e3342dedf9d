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
import type { Accepted } from './storm-receivers.ts';

export interface StormOutcome {
  readonly stores: DatabaseStores;
  readonly snapshots: SnapshotStore;
  readonly simulator: Simulator;
  /** Every commit that is news. */
  readonly transitions: readonly Transition[];
  readonly accepted: readonly Accepted[];
  /** Event types by subscription. */
  readonly wanted: Readonly<Record<string, readonly string[]>>;
  /** Where what is for a machine arrives, by subscription. */
  readonly receiverOf: Readonly<Record<string, string>>;
}

const ALL = 100_000;

/** Every line is a broken promise. */
export async function checkStorm(outcome: StormOutcome): Promise<readonly string[]> {
  const { stores, transitions, accepted, wanted, receiverOf } = outcome;
  // What a person made up to see whether it arrives never happened.
  const events = (await stores.events.list({ limit: ALL })).events.filter(({ test }) => test !== true);
  const deliveries = await stores.deliveries.list({ limit: ALL });
  const due = await stores.agenda.due('9999', ALL);
  return [
    ...due.map(({ delivery, subscription }) => `never came to rest: ${subscription} ${delivery}`),
    ...checkRecorded(events, transitions),
    ...findOutOfOrder(events),
    ...Object.entries(wanted).flatMap(([name, types]) => [
      ...checkCarriers(name, eventsFor(name, types, events), deliveries),
      ...checkArrived(name, receiverOf[name], eventsFor(name, types, events), accepted),
    ]),
    ...findLostMembers(deliveries),
    ...findDifferingBodies(accepted),
    ...(await compareWithAccount(outcome)),
  ];
}

/** Each event that a commit means is recorded, once, and no other is. */
function checkRecorded(events: readonly TidingsEvent[], transitions: readonly Transition[]): string[] {
  const meant = new Map(transitions.flatMap((one) => deriveEvents(one)).map((event) => [event.id, event]));
  const told = new Set(events.map(({ id }) => id));
  return [
    ...[...meant.values()].filter(({ id }) => !told.has(id)).map((event) => `never announced: ${describeEvent(event)}`),
    ...events.filter(({ id }) => !meant.has(id)).map((event) => `nothing happened: ${describeEvent(event)}`),
    ...(told.size === events.length ? [] : ['an event is recorded twice']),
  ];
}

function findOutOfOrder(events: readonly TidingsEvent[]): string[] {
  const bySubject = Map.groupBy(events, ({ source, subject }) => `${source} ${subject}`);
  return [...bySubject.values()].flatMap((ofRecord) =>
    ofRecord
      .filter(({ data }, at) => data.version < (ofRecord[at - 1]?.data.version ?? 0))
      .map((event) => `after a later one: ${describeEvent(event)}`),
  );
}

/** A subscription gets no events about itself. */
function eventsFor(name: string, types: readonly string[], events: readonly TidingsEvent[]): readonly TidingsEvent[] {
  const globs = types.map(compileGlob);
  return events.filter(({ type, subject }) => globs.some((wants) => wants(type)) && subject !== `subscription/${name}`);
}

/** By exactly one delivery that is part of no other, and that one is settled. */
function checkCarriers(name: string, events: readonly TidingsEvent[], deliveries: readonly Delivery[]): string[] {
  const own = deliveries.filter(({ subscription, mark }) => subscription === name && mark === undefined);
  const carriers = own.filter(({ status }) => status !== 'gathered');
  return events.flatMap((event) => {
    const by = carriers.filter((delivery) => delivery.events.includes(event.id)).map(({ status }) => status);
    return by.join() === 'settled'
      ? []
      : [`${name}: ${describeEvent(event)} is carried by ${by.join(' and ') || 'no delivery'}`];
  });
}

function checkArrived(
  name: string,
  receiver: string | undefined,
  events: readonly TidingsEvent[],
  accepted: readonly Accepted[],
): string[] {
  if (receiver === undefined) return [];
  const came = new Set(accepted.filter((one) => one.receiver === receiver).map(({ id }) => id));
  return events.filter(({ id }) => !came.has(id)).map((event) => `${name}: ${describeEvent(event)} never came`);
}

function findLostMembers(deliveries: readonly Delivery[]): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return deliveries
    .filter(({ status }) => status === 'gathered')
    .filter(({ id, into = '', events }) => into === id || !events.every((one) => byId.get(into)?.events.includes(one)))
    .map(({ id }) => `${id} is gathered into a delivery that does not carry it`);
}

/** The same id always comes with the same body. */
function findDifferingBodies(accepted: readonly Accepted[]): string[] {
  const byName = Map.groupBy(
    accepted.filter(({ id }) => id !== undefined),
    ({ receiver, id }) => `${receiver} ${id}`,
  );
  return [...byName]
    .filter(([, all]) => new Set(all.map(({ body }) => body)).size > 1)
    .map(([name]) => `${name}: bodies`);
}

async function compareWithAccount({ simulator, snapshots }: StormOutcome): Promise<string[]> {
  const rows = simulator.account.list('task', { limit: '1000' });
  const looks = rows.map(async (row) => {
    const { id, fields } = cleanRow(resourceOf('task'), row);
    const kept = (await snapshots.get({ source: 'main', resource: 'task', id }))?.record;
    const isSame = (['title', 'statusid', 'datedue'] as const).every((field) => kept?.[field] === fields[field]);
    return isSame ? [] : [`task ${id} is not as the account has it`];
  });
  return (await Promise.all(looks)).flat();
}

const describeEvent = ({ id, type, subject, data }: TidingsEvent) => `${type} ${subject} v${data.version} ${id}`;
