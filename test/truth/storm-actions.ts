/** Actions of a storm that both modes share: in the account, on subscriptions, and on the clock. */

import { type ReplayPorts, replay } from '../../core/delivery/replay.ts';
import { retryNow } from '../../core/delivery/retry.ts';
import { type Delivery, deliveryId, openDelivery } from '../../core/model/delivery.ts';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../../core/model/time.ts';
import type { DeliveryQuery, DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { SeededRandom } from './seeded-random.ts';

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

/** Polls only tasks, every minute. */
export const STORM_SOURCE = {
  resources: { ...Object.fromEntries(OTHERS.map((name) => [name, 'off'])), task: { every: '1m' } },
};

/** Time that may pass between two steps. */
export const JUMPS = [SECOND, 10 * SECOND, 40 * SECOND, MINUTE, MINUTE, 3 * MINUTE, 10 * MINUTE, HOUR, 9 * HOUR];

/** Reads the people and invoices too, which messages name. */
export const STORM_SOURCE_WITH_PEOPLE = {
  resources: { ...STORM_SOURCE.resources, person: { every: '1m' }, invoice: { every: '1m' } },
};

/** Hands a task to other people, or to nobody. */
export function handOver({ account }: Simulator, chance: SeededRandom): void {
  const task = chance.pick(account.list('task', { limit: '100' }));
  const staff = account.list('person').filter(({ groupid, active }) => groupid === '3' && active === 't');
  const people = [chance.pick(staff), chance.pick(staff)].slice(0, Math.floor(chance.unit() * 3));
  account.update('task', String(task?.id), { assigneeid: [...new Set(people.map((one) => one?.id ?? ''))].join(',') });
}

/** A part of an unpaid invoice comes in. */
export function payPart({ account }: Simulator, chance: SeededRandom): void {
  const invoice = chance.pick(account.list('invoice', { status: 'outstanding' }));
  if (invoice !== undefined && Number(invoice.balance) > 1)
    account.pay(invoice.id ?? '', (Number(invoice.balance) * 0.6).toFixed(2));
}

/** The token's person has another role for a while, and sees less or other things. */
export function changeRole(simulator: Simulator, token: string, chance: SeededRandom): void {
  simulator.setRole(token, chance.pick(['Manager', 'Executive', 'Resource', undefined] as const));
}

export function restoreRoles({ tokens, setRole }: Simulator): void {
  for (const token of tokens.Administrator) setRole(token, undefined);
}

/** Makes a random change to a random task; due dates may be in the past. */
export function changeTask({ account }: Simulator, chance: SeededRandom): void {
  const task = chance.pick(account.list('task', { limit: '100' }));
  const due = account.clock.now() + Math.floor((chance.unit() - 0.4) * 5) * DAY;
  const fields = chance.pick([
    { statusid: 7 },
    { statusid: 1 },
    { statusid: 2 },
    { title: `Title ${Math.floor(chance.unit() * 1e6)}` },
    { datedue: new Date(due).toISOString().slice(0, 10) },
  ]);
  if (task !== undefined && fields !== undefined) account.update('task', String(task.id), fields);
}

/** Faults of the API that distort what it shows, and none of which may invent or lose an event. */
const DISTORTIONS: readonly Parameters<Simulator['setFaults']>[0][] = [
  { wrongCount: { by: 1, resource: 'task' } },
  { serverError: { unfiltered: true, resource: 'task' } },
  { replicaLag: { ms: 40_000, probability: 0.5 } },
  { clockOffset: { ms: -10 * MINUTE } },
  { clockOffset: { ms: 4 * MINUTE } },
  { smallPages: { rows: 3 } },
  { oddRow: { row: 'repeated' } },
  { unnamedGroup: true },
];

export function distortSource(simulator: Simulator, chance: SeededRandom): void {
  clearSource(simulator);
  simulator.setFaults(chance.pick(DISTORTIONS) ?? {});
}

export function clearSource(simulator: Simulator): void {
  const names = new Set(DISTORTIONS.flatMap((faults) => Object.keys(faults)));
  for (const name of names) simulator.setFaults({ [name]: false });
}

/** A person gets another name, a project another client, or a status the name of the closed one: no task changes by that. */
export function changeNames({ account }: Simulator, chance: SeededRandom): void {
  const person = chance.pick(account.list('person').filter(({ groupid }) => groupid === '3'));
  const project = chance.pick(account.list('project'));
  const client = chance.pick(account.list('client', { active: 't' }));
  const act = chance.pick([
    () => account.update('person', person?.id ?? '', { lastname: `Eliot${Math.floor(chance.unit() * 99)}, PhD` }),
    () => account.update('project', project?.id ?? '', { clientid: client?.id ?? '' }),
    () => account.update('taskstatus', '3', { name: chance.unit() < 0.5 ? 'Closed' : 'In Internal Review' }),
  ]);
  act?.();
}

/** Replays the first five events. */
export async function replayFirstEvents(
  ports: ReplayPorts & { readonly subscriptions: SubscriptionStore },
  name: string,
): Promise<void> {
  const subscription = await ports.subscriptions.get(name);
  const { events } = await ports.events.list({ limit: 5 });
  if (subscription !== undefined) await replay(ports, subscription, events);
}

/** Opens this many deliveries of the first event at once, as a large replay does. */
export async function pileUp({ events, clock }: ReplayPorts, name: string, count: number): Promise<void> {
  const [event] = (await events.list({ limit: 1 })).events;
  if (event === undefined) return;
  const now = clock.now();
  const open = (index: number): Delivery => ({
    ...openDelivery(event, name, now),
    id: deliveryId('replay', event.id, name, `${now} ${index}`),
    mark: 'replay',
    dueAt: now,
  });
  await events.record([{ event, deliveries: Array.from({ length: count }, (_, index) => open(index)) }]);
}

export async function retryAll(
  ports: { readonly deliveries: DeliveryStore; readonly clock: Clock },
  query: DeliveryQuery,
): Promise<void> {
  for (const { id } of await ports.deliveries.list(query)) await retryNow(ports, id);
}

export const times = <T>(count: number, act: T): readonly T[] => Array.from({ length: count }, () => act);
