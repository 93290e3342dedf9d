/** Announcing that is interrupted, and the cost of a batch. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { storedId } from '../../adapters/stored-job.ts';
import { announce } from '../../core/events/announce.ts';
import { DAY, fixedClock } from '../../core/model/time.ts';
import type { Job } from '../../core/ports/queue.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { NOON, snapshot, subscription } from '../samples.ts';

const closed = (source: string, id: string) => {
  const key = { source, resource: 'task', id };
  const before = snapshot(id, { key });
  const record = { ...before.record, status: 'Closed', dateclosed: '2026-11-14' };
  return { before, after: { ...before, version: 2, record, stage: { closed: true } } };
};

/** A queue that records the jobs it gets. */
function recordingQueue() {
  const jobs: Job[] = [];
  const send = async (sent: readonly Job[]) => {
    jobs.push(...sent);
  };
  return { jobs, queue: { send, receive: async () => [], acknowledge: async () => undefined } };
}

describe('the zone of a source', () => {
  const setUp = async () => {
    const stores = sqliteStores(openDatabase(':memory:'));
    await stores.subscriptions.applyDeclared([subscription('ops')]);
    const asked: string[] = [];
    const zoneOf = async (source: string) => {
      asked.push(source);
      return 'Europe/Berlin';
    };
    return {
      asked,
      ports: {
        ...stores,
        clock: fixedClock(NOON),
        channels: channelRegistry,
        customEvents: [],
        zoneOf,
        queue: recordingQueue().queue,
      },
    };
  };

  it('is read once per batch, however many events there are', async () => {
    const { asked, ports } = await setUp();
    const sources = ['main', 'other', 'main', 'main', 'other'];
    const events = await announce(
      ports,
      sources.map((source, n) => closed(source, String(n))),
    );
    expect(events.filter(({ type }) => type === 'task.closed')).toHaveLength(5);
    expect(asked).toEqual(['main', 'other']);
  });

  it('is read again for the next batch, because a poll may have found it', async () => {
    const { asked, ports } = await setUp();
    await announce(ports, [closed('main', '1')]);
    await announce(ports, [closed('main', '2')]);
    expect(asked).toEqual(['main', 'main']);
  });

  it('is not read without events', async () => {
    const { asked, ports } = await setUp();
    await announce(ports, [{ before: snapshot('1'), after: snapshot('1', { version: 2 }) }]);
    expect(asked).toEqual([]);
  });
});

describe('announcing on DynamoDB, when the process dies after any call', () => {
  let tables: LocalTables;
  beforeAll(async () => {
    tables = await startLocalTables();
  });
  afterAll(async () => tables.stop());

  it('leaves no delivery without its event, and a repetition records everything', async () => {
    const transitions = ['1', '2', '3'].map((id) => closed('main', id));
    let calls = 0;
    for (let isOver = false; !isOver; calls++) {
      const names = await tables.create();
      const clock = fixedClock(NOON);
      const open = (client: LocalTables['client']) =>
        dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
      const stores = open(tables.client);
      await stores.subscriptions.applyDeclared(
        ['ops', 'audit'].map((name) => subscription(name, { events: ['task.closed'] })),
      );
      const dying = tables.connect({ maxAttempts: 1 });
      let left = calls;
      dying.middlewareStack.add(
        (next) => async (args) => {
          if (left <= 0) throw new Error('killed');
          left -= 1;
          return next(args);
        },
        { step: 'initialize' },
      );
      const { jobs, queue } = recordingQueue();
      const ports = { clock, channels: channelRegistry, customEvents: [], zoneOf: async () => 'UTC', queue };
      isOver = await announce({ ...ports, ...open(dying) }, transitions).then(
        () => true,
        () => false,
      );
      dying.destroy();
      // A delivery without its event would be given up at its first attempt.
      for (const { delivery: id } of await stores.agenda.due('9999', 99)) {
        const events = (await stores.deliveries.get(id))?.events ?? [];
        expect(await stores.events.getMany(events)).toHaveLength(1);
      }
      if (!isOver) expect(jobs).toEqual([]);
      const events = await announce({ ...ports, ...stores }, transitions);
      expect((await stores.events.getMany(events.map(({ id }) => id))).map(({ id }) => id)).toEqual(
        events.map(({ id }) => id),
      );
      expect(await stores.agenda.due('9999', 99)).toHaveLength(6);
      expect(new Set(jobs.map(storedId)).size).toBe(6);
    }
    expect(calls).toBeGreaterThan(5);
  });
});
