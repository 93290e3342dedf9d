/** How often tick reads the subscriptions to find their owners. */

import { expect, it } from 'vitest';
import type { Subscription } from '../../../core/model/subscription.ts';
import { type Instant, MINUTE, plus } from '../../../core/model/time.ts';
import { createOwnerLookup } from '../../../runtime/aws/find-owners.ts';
import { NOON, subscription } from '../../samples.ts';

function openLookup(...stored: Subscription[]) {
  let now: Instant = NOON;
  let reads = 0;
  const subscriptions = {
    list: async () => {
      reads += 1;
      return stored;
    },
  };
  const find = createOwnerLookup({ subscriptions, clock: { now: () => now } });
  return {
    find: async (...names: string[]) => Object.fromEntries(await find(new Set(names))),
    reads: () => reads,
    stored,
    advance: (millis: number) => {
      now = plus(now, millis);
    },
  };
}

it('finds the owners of subscriptions that have one', async () => {
  const { find } = openLookup(subscription('a', { owner: 'key_1' }), subscription('b'));
  expect(await find('a', 'b', 'removed')).toEqual({ a: 'key_1' });
});

it('reads nothing when nothing is due, and a name it knows only every 15 minutes', async () => {
  const world = openLookup(subscription('a', { owner: 'key_1' }));
  await world.find();
  expect(world.reads()).toBe(0);
  for (let minutes = 0; minutes < 15; minutes++) {
    expect(await world.find('a')).toEqual({ a: 'key_1' });
    world.advance(MINUTE);
  }
  expect(world.reads()).toBe(1);
  world.stored.splice(0, 1, subscription('a', { owner: 'key_2' }));
  expect(await world.find('a')).toEqual({ a: 'key_2' });
});

it('reads again for a name it does not know, once per tick', async () => {
  const world = openLookup(subscription('a', { owner: 'key_1' }));
  await world.find('a');
  world.advance(MINUTE);
  world.stored.push(subscription('b', { owner: 'key_2' }));
  for (let batch = 0; batch < 3; batch++) expect(await world.find('b', 'removed')).toEqual({ b: 'key_2' });
  expect(world.reads()).toBe(2);
});
