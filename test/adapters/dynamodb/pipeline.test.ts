/** The core functions on DynamoDB, from a change in the account to a settled delivery. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import { workApi } from '../../../adapters/sources/work/client.ts';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { announce } from '../../../core/events/announce.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage } from '../../../core/ports/channel.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import { deliverJob } from '../../deliver-job.ts';
import { subscription } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { recordStream } from './recorded-stream.ts';
import { lagBehind } from './replica.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

async function setUp(reads: 'at once' | 'a moment late') {
  const simulator = await startSimulator({ tasks: 120, now: '2026-11-16T08:00:00Z', speed: 0 });
  const clock = { now: () => new Date(simulator.account.clock.now()).toISOString() };
  const names = await tables.create();
  const client = tables.connect();
  const stream = recordStream(client);
  const replica = reads === 'at once' ? undefined : await lagBehind(client, tables, names);
  const database = openDatabase(':memory:');
  const stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
  const queue = sqliteQueue(database);
  const token = simulator.tokens.Administrator[0] ?? '';
  const api = workApi({ baseUrl: simulator.url, token, perMinute: Number.POSITIVE_INFINITY });
  const sent: OutboundMessage[] = [];
  let down = false;
  const channel: Channel = {
    async send(message) {
      if (down) throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 500');
      sent.push(message);
      return { status: 200, body: 'ok' };
    },
  };
  const zoneOf = async () => 'UTC';
  const ports = { ...stores, queue, clock, zoneOf, random: () => 0.5, rules: defaultRules };
  const resources = [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }];
  return {
    simulator,
    stores,
    snapshots: stores.snapshots,
    sent,
    setDown: (value: boolean) => {
      down = value;
    },
    poll: (everything = false) =>
      poll(
        { ...stores, api, clock, holder: 'test' },
        {
          source: 'main',
          baseUrl: 'https://work.example.com/api',
          resources,
          rules: defaultRules,
          reserve: 0,
          timeZone: 'UTC',
          everything,
        },
      ),
    async carry() {
      // A minute has passed: earlier writes are visible everywhere, new ones are not.
      await replica?.catchUp();
      await tick(ports);
      const transitions = stream.take().flatMap((record) => transitionFromRecord(record) ?? []);
      await announce({ ...ports, channels: channelRegistry, customEvents: [] }, transitions);
      const jobs = await queue.receive({ limit: 500, visibility: MINUTE }, clock.now());
      await Promise.all(
        jobs.map(({ job }) => deliverJob({ ...ports, channels: channelRegistry, channelFor: () => channel }, job)),
      );
      for (const job of jobs) await queue.acknowledge(job);
    },
    async close() {
      await api.close();
      await simulator.stop();
      client.destroy();
      database.close();
    },
  };
}

describe('poll, tick, announce and deliver over DynamoDB', () => {
  it.each(['at once', 'a moment late'] as const)(
    'send each change and time-triggered event once, despite a failing receiver, when replicas are updated %s',
    async (reads) => {
      const pipeline = await setUp(reads);
      const { simulator, stores, sent } = pipeline;
      await stores.subscriptions.applyDeclared([
        subscription('ops', { events: ['task.closed', 'task.overdue', 'task.deleted'] }),
      ]);
      await pipeline.poll();
      await pipeline.carry();
      expect(sent).toEqual([]);

      const open = simulator.account.list('task', { excludeclosed: 't', limit: '2' }).map(({ id }) => String(id));
      const [closed = '', deleted = ''] = open;
      simulator.account.update('task', closed, { statusid: 7 });
      simulator.account.remove('task', deleted);
      simulator.account.clock.advance(6 * MINUTE);
      pipeline.setDown(true);
      await pipeline.poll(true);
      await pipeline.carry();
      expect(sent).toEqual([]);
      pipeline.setDown(false);
      for (const wait of [10 * SECOND, 3 * MINUTE, 10 * MINUTE]) {
        simulator.account.clock.advance(wait);
        await pipeline.carry();
      }
      const sentEvents = () => sent.map(({ events: [event] }) => `${event.type} ${event.subject}`).sort();
      expect(sentEvents()).toEqual([`task.closed task/${closed}`, `task.deleted task/${deleted}`]);
      expect(await stores.deliveries.list({ status: 'pending', limit: 9 })).toEqual([]);
      const [delivery] = await stores.deliveries.list({ status: 'settled', limit: 1 });
      expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['retry', 'accepted']);

      simulator.account.clock.advance(3 * DAY);
      await pipeline.carry();
      // Without a scan that confirms the tasks, none is called overdue.
      expect(sentEvents()).toHaveLength(2);
      await pipeline.poll();
      await pipeline.carry();
      await pipeline.carry();
      expect(sentEvents().filter((line) => line.startsWith('task.overdue')).length).toBeGreaterThan(0);
      expect(new Set(sentEvents()).size).toBe(sentEvents().length);
      await pipeline.poll(true);
      await pipeline.carry();
      expect(new Set(sentEvents()).size).toBe(sentEvents().length);
      await pipeline.close();
    },
  );

  it('write no health for a poll that changes nothing, although DynamoDB does not keep the order of its keys', async () => {
    const pipeline = await setUp('at once');
    const key = { source: 'main', resource: 'source', id: 'main' };
    await pipeline.poll();
    const first = await pipeline.snapshots.get(key);
    expect(first?.record).toMatchObject({ state: 'ok', baselined: true });
    pipeline.simulator.account.clock.advance(6 * MINUTE);
    expect((await pipeline.poll()).scans).toHaveLength(1);
    expect(await pipeline.snapshots.get(key)).toEqual(first);
    await pipeline.close();
  });
});
