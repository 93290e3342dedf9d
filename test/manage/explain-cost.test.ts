/** What an explanation costs: not more because others have many subscriptions, in Slack and in the API. */

import { expect, it } from 'vitest';
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
