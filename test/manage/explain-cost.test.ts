/** What an explanation costs: not more because others have many subscriptions, in Slack and in the API. */

import { expect, it } from 'vitest';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { cpuMillis } from '../cpu-time.ts';
import { snapshot, subscription } from '../samples.ts';
import { startApiWorld } from './api-world.ts';
import { startSlackWorld, textIn } from './slack/slack-world.ts';

type Stores = Awaited<ReturnType<typeof startSlackWorld>>['embedded'];

/** A task that was changed a hundred times. */
async function storeVersions(embedded: Stores) {
  for (let version = 1; version <= 100; version++) {
    const record = { id: '1', title: `Draft ${version}`, status: 'Open', dateclosed: null };
    await embedded.snapshots.commit([{ snapshot: snapshot('1', { version, record }), expected: version - 1 }]);
  }
  await announceAll(embedded, {});
}

async function addForeign({ subscriptions }: Pick<Stores, 'subscriptions'>) {
  const where = { data: { record: { title: [{ wildcard: '*a*b*' }], status: [{ 'equals-ignore-case': 'x' }] } } };
  const to = { channel: 'slack', settings: { channel: 'C2' } };
  for (let n = 0; n < 600; n++) await subscriptions.add(subscription(`s${n}`, { declared: false, where, to }));
}

/** Milliseconds of CPU time. */
async function measure(work: () => Promise<void>): Promise<number> {
  const from = cpuMillis();
  await work();
  return cpuMillis() - from;
}

it('is the same in Slack', async () => {
  const world = await startSlackWorld();
  await storeVersions(world.embedded);
  const why = () => measure(async () => expect(textIn((await world.type('why task/1')).replies)).toContain('task/1: '));
  await why();
  const alone = await why();
  await addForeign(world.embedded);
  expect(await why()).toBeLessThan(200 + 3 * alone);
  await world.stop();
}, 60_000);

it('is the same in the API', async () => {
  const world = await startApiWorld();
  await storeVersions(world.embedded);
  const get = () => measure(async () => expect((await world.ask('GET', '/records/task/1')).status).toBe(200));
  await get();
  const alone = await get();
  await addForeign(world.embedded);
  expect(await get()).toBeLessThan(200 + 3 * alone);
  await world.stop();
}, 60_000);

it('is the same for what time will bring', async () => {
  const world = await startApiWorld();
  for (let n = 1; n <= 300; n++) {
    const record = { id: String(n), title: `Draft ${n}`, status: 'Open', datedue: '2026-11-16', dateclosed: null };
    const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
    const due = snapshot(String(n), { record, stage, nextMoment: '2026-11-16T23:00:00.000Z' });
    await world.embedded.snapshots.commit([{ snapshot: due, expected: 0 }]);
  }
  const { token: key } = await world.makeKey(['read', 'subscribe'], ['task.*']);
  await world.ask('POST', '/subscriptions', { name: 'own', url: world.receiver.url, events: ['task.*'] }, { key });
  const look = () =>
    measure(async () => {
      const { body } = await world.ask(
        'POST',
        '/subscriptions/own/preview',
        { until: '2026-11-21T00:00:00Z' },
        { key },
      );
      expect(body.count).toBeGreaterThanOrEqual(300);
      const forecast = await world.ask('GET', '/forecast?until=7d', undefined, { key });
      expect(forecast.body.count).toBeGreaterThanOrEqual(300);
    });
  await look();
  const alone = await look();
  await addForeign(world.embedded);
  expect(await look()).toBeLessThan(200 + 3 * alone);
  await world.stop();
}, 60_000);
