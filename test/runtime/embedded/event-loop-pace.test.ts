/** Announcing many events that take long to match leaves the event loop to others. */

import { expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { fixedClock } from '../../../core/model/time.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { announceAll } from '../../../runtime/embedded/pipeline.ts';
import { NOON, SECRET, snapshot, subscription } from '../../samples.ts';

it('lets the loop turn between events that take long to match', async () => {
  const tree = { source: { baseUrl: 'http://127.0.0.1:9', token: 'token', timeZone: 'UTC' }, subscriptions: [] };
  const embedded = await openEmbedded({
    config: parseTree('test', tree, {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: fixedClock(NOON),
    holder: 'test',
    random: () => 0.5,
  });
  // The letters of each wildcard are in the text, and not in this order.
  const description = `aab${'a'.repeat(40_000)}aab`;
  const wildcards = Array.from({ length: 100 }, (_, index) => ({ wildcard: `*aaa*aaaab${'a'.repeat(index)}b*` }));
  const settings = { url: 'https://ops.example.com/', secret: SECRET };
  await embedded.subscriptions.save(
    subscription('ops', { where: { data: { record: { description: wildcards } } }, to: { channel: 'http', settings } }),
  );
  const commit = (version: number, title: string) =>
    embedded.snapshots.commit(
      Array.from({ length: 20 }, (_, index) => ({
        snapshot: snapshot(`${index}`, { version, record: { id: `${index}`, title, description } }),
        expected: version - 1,
      })),
    );
  await commit(1, 'before');
  await announceAll(embedded, {});
  await commit(2, 'after');
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const announced = await announceAll(embedded, {});
  isOver = true;
  expect(announced).toBe(20);
  expect(turns).toBeGreaterThan(10);
  await embedded.close();
});
