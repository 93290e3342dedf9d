/**
 * What a forecast reads and works on for a key with event types: nothing about what the key may not see, so that neither its time
 * nor its budget shows how much there is. And it lets other work run in between.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDelivery } from '../../core/model/delivery.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, HOUR, plus } from '../../core/model/time.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { forecastMessages } from '../../runtime/inspect/forecast-messages.ts';
import { preview } from '../../runtime/inspect/preview.ts';
import { event, NOON, snapshot, subscription } from '../samples.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

/** Records by resource that the stores returned: moments, snapshots by id, and open ones. */
let read: Record<'due' | 'getMany' | 'listOpen', string[]>;
let world: ApiWorld;

beforeEach(async () => {
  read = { due: [], getMany: [], listOpen: [] };
  world = await startApiWorld({
    config: { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' } },
    wrap: (api) => ({
      ...api,
      snapshots: {
        ...api.snapshots,
        due: async (...args) => {
          const moments = await api.snapshots.due(...args);
          read.due.push(...moments.map(({ key }) => key.resource));
          return moments;
        },
        getMany: async (source, resource, ids) => {
          const found = await api.snapshots.getMany(source, resource, ids);
          read.getMany.push(...[...found].map(() => resource));
          return found;
        },
        async *listOpen(source, resource) {
          for await (const one of api.snapshots.listOpen(source, resource)) {
            read.listOpen.push(resource);
            yield one;
          }
        },
      },
    }),
  });
});
afterEach(() => world.stop());

/** Overdue from midnight on. */
async function commit(resource: string, count: number) {
  for (let n = 1; n <= count; n++) {
    const record: Fields =
      resource === 'invoice'
        ? { id: String(n), number: `I${n}`, datedue: '2026-11-14', total: 10, balance: 10, status: 'Sent' }
        : { id: String(n), title: `Draft ${n}`, status: 'Open', datedue: '2026-11-14', dateclosed: null };
    const stage = { ...stageOnDay(resource, record, '2026-11-14', world.embedded.config.rules) };
    const key = { source: 'main', resource, id: String(n) };
    const due = snapshot(String(n), { key, record, stage, nextMoment: '2026-11-15T00:00:00.000Z' });
    await world.embedded.snapshots.commit([{ snapshot: due, expected: 0 }]);
  }
}

const SLACK = { channel: 'slack', settings: { webhook: 'https://hooks.slack.com/services/T0/B0/x' } };

/** A key with event types, and its subscription, which an operator may have given more types. */
async function makeOwn(types: readonly string[], change: Partial<Subscription> = {}) {
  const key = await world.makeKey(['read', 'subscribe'], types);
  const own = { declared: false, owner: key.id, createdAt: NOON, events: types, to: SLACK, ...change };
  await world.embedded.subscriptions.add(subscription('own', own));
  return {
    ask: async () => {
      const { body: forecast } = await world.ask('GET', '/forecast?until=2d', undefined, { key: key.token });
      const until = plus(NOON, 2 * DAY);
      const { body: own } = await world.ask('POST', '/subscriptions/own/preview', { until }, { key: key.token });
      expect(own.messages).toEqual(forecast.messages);
      return { forecast, own };
    },
  };
}

describe('a forecast for a key with event types', () => {
  it('reads no moments of resources that the key may not see', async () => {
    await commit('task', 30);
    await commit('invoice', 2);
    const { ask } = await makeOwn(['invoice.*']);
    const { forecast, own } = await ask();
    expect([forecast.count, own.count]).toEqual([2, 2]);
    expect(read.due).not.toContain('task');
    expect(read.getMany).not.toContain('task');
  });

  it('reads no moments of records if the key may see no event that time causes to them', async () => {
    await commit('task', 30);
    const { ask } = await makeOwn(['task.closed', 'task.created']);
    const { forecast } = await ask();
    expect([forecast.count, forecast.messages]).toEqual([0, []]);
    expect(read).toEqual({ due: [], getMany: [], listOpen: [] });
  });

  it('derives and matches no events of other types', async () => {
    await commit('task', 30);
    const shows = (type: string) => type === 'task.due_soon';
    const period = { from: NOON, until: plus(NOON, 2 * DAY) };
    const only = [subscription('own', { events: ['task.*'] })];
    const { events } = await preview(world.api, world.api.config, period, NOON, { only, shows });
    expect(events).toEqual([]);
  });

  it('lists no open records of types that the key may not see in the digest of its subscription', async () => {
    await commit('task', 30);
    await commit('invoice', 2);
    const wide = ['task.overdue', 'invoice.overdue'];
    const { ask } = await makeOwn(['invoice.overdue'], { events: wide, digest: { at: '08:00' } });
    const { forecast } = await ask();
    expect(forecast.messages).toMatchObject([
      { at: '2026-11-15T08:00:00.000Z', count: 2, types: ['invoice.overdue'] },
      { at: '2026-11-16T08:00:00.000Z', count: 2, types: ['invoice.overdue'] },
    ]);
    expect(read.listOpen).not.toContain('task');
  });

  it('has the message that waits, whatever waits for others and whatever else waits for its subscription', async () => {
    const wide = ['task.closed', 'invoice.paid'];
    const { ask } = await makeOwn(['task.closed'], { events: wide, digest: { at: '18:00' } });
    const hidden = event('hidden', { type: 'invoice.paid', subject: 'invoice/1' });
    const names = Array.from({ length: 2001 }, (_, n) => `other${n}`);
    const ofOthers = names.map((name) => openDelivery(hidden, name, NOON, plus(NOON, HOUR)));
    await world.embedded.events.record([{ event: hidden, deliveries: ofOthers }]);
    const ofOwn = names.map((name) => ({
      ...openDelivery(hidden, 'own', NOON, '2026-11-14T18:00:00.000Z'),
      id: `dlv_${name}`,
      incarnation: NOON,
    }));
    await world.embedded.events.record([{ event: hidden, deliveries: ofOwn }]);
    const closed = event('1');
    const waits = openDelivery(closed, 'own', NOON, '2026-11-14T18:00:00.000Z');
    await world.embedded.events.record([{ event: closed, deliveries: [{ ...waits, incarnation: NOON }] }]);
    const { forecast } = await ask();
    expect(forecast.messages).toMatchObject([{ at: '2026-11-14T18:00:00.000Z', count: 1, types: ['task.closed'] }]);
  });
});

describe('a forecast', () => {
  it('lets other work run in between, for each record and each delivery that it reads', async () => {
    await commit('task', 40);
    const digest = subscription('digest', { events: ['task.overdue'], digest: { at: '08:00' }, to: SLACK });
    const closed = event('1');
    const delivery = openDelivery(closed, 'digest', NOON, '2026-11-14T18:00:00.000Z');
    const waiting = Array.from({ length: 250 }, (_, n) => ({ ...delivery, id: `dlv_${n}` }));
    await world.embedded.events.record([{ event: closed, deliveries: waiting }]);
    let count = 0;
    const pace = async () => {
      count += 1;
    };
    const period = { from: NOON, until: plus(NOON, 2 * DAY) };
    const previewed = await preview(world.api, world.api.config, period, NOON, { only: [digest], pace });
    expect(count).toBeGreaterThanOrEqual(80);
    count = 0;
    const messages = await forecastMessages(world.api, previewed, NOON, { pace });
    expect(messages).toHaveLength(3);
    // Two digests of 40 tasks each, and three pages of deliveries.
    expect(count).toBeGreaterThanOrEqual(83);
  });
});
