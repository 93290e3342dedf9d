/** What must hold after a storm, checked against the commits, the account and the receivers. Read-only. */

import { workResourceOf } from '../../adapters/sources/work/resources.ts';
import { nextDelay, RETRY_DELAYS } from '../../core/delivery/schedule.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import { compileGlob } from '../../core/filters/match.ts';
import type { AttemptMoment } from '../../core/model/agenda.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { isSameValue } from '../../core/model/json.ts';
import type { Transition } from '../../core/model/snapshot.ts';
import { between, type Instant } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { cleanRow } from '../../core/resources/clean.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { Accepted } from './storm-receivers.ts';

export interface StormOutcome {
  readonly stores: DatabaseStores;
  readonly snapshots: SnapshotStore;
  readonly simulator: Simulator;
  /** All commits that are announced. */
  readonly transitions: readonly Transition[];
  readonly accepted: readonly Accepted[];
  /** Event types by subscription. */
  readonly wanted: Readonly<Record<string, readonly string[]>>;
  /** The last names of the subscriptions that were renamed, by the names in `wanted`. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The receiver of each subscription that delivers to a machine. */
  readonly receiverOf: Readonly<Record<string, string>>;
}

const ALL = 100_000;

/** Returns one line per violation. */
export async function checkStorm(outcome: StormOutcome): Promise<readonly string[]> {
  const { stores, transitions, accepted, wanted, renamed, receiverOf } = outcome;
  // Test events do not come from a commit.
  const events = (await stores.events.list({ limit: ALL })).events.filter(({ test }) => test !== true);
  const deliveries = (await stores.deliveries.list({ limit: ALL })).map(withFirstName(renamed));
  const due = await findOpenWork(stores);
  return [
    ...due.map(({ delivery, subscription }) => `still on the agenda: ${subscription} ${delivery}`),
    ...checkRecorded(events, transitions),
    ...findOutOfOrder(events),
    ...findAnnouncedAgain(events, transitions),
    ...Object.entries(wanted).flatMap(([name, types]) => [
      ...checkCarriers(name, eventsFor(name, types, events), deliveries),
      ...checkArrived(name, receiverOf[name], eventsFor(name, types, events), accepted),
    ]),
    ...findLostMembers(deliveries),
    ...findGivenUpWithoutSecret(deliveries),
    ...findDifferingBodies(accepted),
    ...(await compareWithAccount(outcome)),
  ];
}

/** What is on the agenda, except the next open digest, which always is. */
export async function findOpenWork({
  agenda,
  deliveries,
}: Pick<StormOutcome['stores'], 'agenda' | 'deliveries'>): Promise<readonly AttemptMoment[]> {
  const due = await agenda.due('9999', ALL);
  const found = await Promise.all(due.map(({ delivery }) => deliveries.get(delivery)));
  return due.filter((_, index) => {
    const delivery = found[index];
    return delivery?.status !== 'waiting' || delivery.standing === undefined || delivery.events.length > 0;
  });
}

/** The longest wait with a correct clock: for the last attempt. A digest on the day when the clock changes is 25 hours away. */
const MAX_WAIT = nextDelay(RETRY_DELAYS.length, 1) ?? 0;

/** What waits longer than it can after the clock was put back. */
export async function findTooLate({ agenda }: Pick<DatabaseStores, 'agenda'>, now: Instant): Promise<string[]> {
  return (await agenda.due('9999', 1000))
    .filter(({ at }) => between(now, at) > MAX_WAIT)
    .map(({ delivery, at }) => `${delivery} waits until ${at} after the clock was put back`);
}

/** Whether the first scan of each resource is complete. */
export async function isBaselined(
  { scanStates }: Pick<DatabaseStores, 'scanStates'>,
  resources: readonly string[],
): Promise<boolean> {
  const states = await Promise.all(resources.map((resource) => scanStates.get('main', resource)));
  return states.every((state) => state?.baselinedAt != null);
}

/** Finished deliveries keep the name that their subscription had; the others have its new name. */
export function withFirstName(renamed: StormOutcome['renamed']) {
  const first = new Map(Object.entries(renamed).map(([from, to]) => [to, from]));
  return <T extends { readonly subscription: string }>(one: T): T => ({
    ...one,
    subscription: first.get(one.subscription) ?? one.subscription,
  });
}

/** Every event that a commit implies is recorded once, and no other event is. */
function checkRecorded(events: readonly TidingsEvent[], transitions: readonly Transition[]): string[] {
  const implied = new Map(transitions.flatMap((one) => deriveEvents(one)).map((event) => [event.id, event]));
  const recorded = new Set(events.map(({ id }) => id));
  return [
    ...[...implied.values()]
      .filter(({ id }) => !recorded.has(id))
      .map((event) => `never announced: ${describeEvent(event)}`),
    ...events.filter(({ id }) => !implied.has(id)).map((event) => `no commit implies: ${describeEvent(event)}`),
    ...(recorded.size === events.length ? [] : ['an event is recorded twice']),
  ];
}

function findOutOfOrder(events: readonly TidingsEvent[]): string[] {
  const bySubject = Map.groupBy(events, ({ source, subject }) => `${source} ${subject}`);
  return [...bySubject.values()].flatMap((ofRecord) =>
    ofRecord
      .filter(({ data }, at) => data.version < (ofRecord[at - 1]?.data.version ?? 0))
      .map((event) => `out of order: ${describeEvent(event)}`),
  );
}

/**
 * A task is overdue once for each due date: other rules, another name of its status or another role do not repeat it. Only if its
 * own status or date changed in between may it come again.
 */
function findAnnouncedAgain(events: readonly TidingsEvent[], transitions: readonly Transition[]): string[] {
  const overdue = events.filter(({ type }) => type === 'task.overdue');
  const byDate = Map.groupBy(overdue, ({ subject, data }) => `${subject} ${String(data.record.datedue)}`);
  const isEdited = (subject: string, from: number, to: number) =>
    transitions.some(
      ({ before, after }) =>
        `task/${after.key.id}` === subject &&
        after.key.resource === 'task' &&
        after.version > from &&
        after.version <= to &&
        EDITED.some((field) => before?.record[field] !== after.record[field]),
    );
  return [...byDate.values()].flatMap((ofDate) =>
    ofDate
      .slice(1)
      .filter(({ subject, data }, at) => !isEdited(subject, ofDate[at]?.data.version ?? 0, data.version))
      .map((event) => `announced again for the same date: ${describeEvent(event)}`),
  );
}

const EDITED = ['statusid', 'datedue', 'dateclosed'];

/** A subscription gets no events about itself. */
function eventsFor(name: string, types: readonly string[], events: readonly TidingsEvent[]): readonly TidingsEvent[] {
  const globs = types.map(compileGlob);
  return events.filter(({ type, subject }) => globs.some((wants) => wants(type)) && subject !== `subscription/${name}`);
}

/** Exactly one delivery that is not part of a group carries each event, and it is settled. */
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
  return events.filter(({ id }) => !came.has(id)).map((event) => `${name}: ${describeEvent(event)} never arrived`);
}

/** Every delivery that waited before the storm is settled, and each replay to a machine arrived by itself. */
export function findLostBacklog(
  waiting: readonly Delivery[],
  deliveries: readonly Delivery[],
  accepted: readonly Accepted[],
  receiverOf: StormOutcome['receiverOf'],
): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  // A group that was not sent may itself be part of a later one.
  const carrierOf = (delivery: Delivery | undefined): Delivery | undefined =>
    delivery?.status === 'gathered' ? carrierOf(byId.get(delivery.into ?? '')) : delivery;
  const unsettled = waiting.filter(({ id }) => carrierOf(byId.get(id))?.status !== 'settled');
  const replays = Map.groupBy(
    waiting.filter(({ subscription, mark }) => mark === 'replay' && receiverOf[subscription] !== undefined),
    ({ subscription, events }) => `${receiverOf[subscription]} ${events[0]}`,
  );
  const arrived = Map.groupBy(accepted, ({ receiver, id }) => `${receiver} ${id}`);
  return [
    ...unsettled.map(({ id, subscription }) => `${subscription}: ${id} of the backlog is ${byId.get(id)?.status}`),
    ...[...replays]
      .filter(([name, all]) => (arrived.get(name)?.length ?? 0) < all.length)
      .map(([name, all]) => `${name}: ${arrived.get(name)?.length ?? 0} of ${all.length} replays arrived`),
  ];
}

function findLostMembers(deliveries: readonly Delivery[]): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return deliveries
    .filter(({ status }) => status === 'gathered')
    .filter(({ id, into = '', events }) => into === id || !events.every((one) => byId.get(into)?.events.includes(one)))
    .map(({ id }) => `${id} is gathered into a delivery that does not carry it`);
}

/** A secret that is missing for a moment postpones a delivery; it does not fail it. A test fails at once. */
function findGivenUpWithoutSecret(deliveries: readonly Delivery[]): string[] {
  return deliveries
    .filter(({ mark }) => mark !== 'test')
    .filter(({ attempts }) =>
      attempts.some(({ code, ownFault }) => code?.startsWith('TIDINGS_SECRET_') && ownFault === undefined),
    )
    .map(({ id, subscription }) => `${subscription}: ${id} was given up for a missing secret`);
}

function isSameBody(one: string, other: string): boolean {
  return one === other || isSameValue(JSON.parse(one), JSON.parse(other));
}

/** Requests with the same id have the same body, in whatever order DynamoDB returned the keys of its maps. */
function findDifferingBodies(accepted: readonly Accepted[]): string[] {
  const byName = Map.groupBy(
    accepted.filter(({ id }) => id !== undefined),
    ({ receiver, id }) => `${receiver} ${id}`,
  );
  return [...byName]
    .filter(([, [first, ...others]]) => others.some(({ body }) => !isSameBody(body, first?.body ?? '')))
    .map(([name]) => `${name}: different bodies`);
}

async function compareWithAccount({ simulator, snapshots }: StormOutcome): Promise<string[]> {
  const rows = simulator.account.list('task', { limit: '1000' });
  const checks = rows.map(async (row) => {
    const { id, fields } = cleanRow(workResourceOf('task'), row);
    const stored = (await snapshots.get({ source: 'main', resource: 'task', id }))?.record;
    const isSame = (['title', 'statusid', 'datedue'] as const).every((field) => stored?.[field] === fields[field]);
    return isSame ? [] : [`task ${id} differs from the account`];
  });
  return (await Promise.all(checks)).flat();
}

const describeEvent = ({ id, type, subject, data }: TidingsEvent) => `${type} ${subject} v${data.version} ${id}`;
