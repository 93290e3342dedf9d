/** The places of request bodies in memory: who waits, who gives way, and who gets a place next. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { type BodyPlace, createBodyPlaces } from '../../service/body-places.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };
const stays = () => false;

function open(maxReading: number, maxBytes = 1000) {
  const places = createBodyPlaces({ maxReading, maxBytes });
  const got: string[] = [];
  const taken = new Map<string, BodyPlace>();
  const take = (name: string, bytes = 1, hasLeft = stays) =>
    places.take(bytes, hasLeft).then((place) => {
      got.push(place === undefined ? `not ${name}` : name);
      if (place === undefined) return;
      place.onGiveWay = () => got.push(`${name} gives way`);
      taken.set(name, place);
    });
  const of = (name: string) => {
    const place = taken.get(name);
    if (place === undefined) throw new Error(`${name} has no place`);
    return place;
  };
  return { take, got, of };
}

it('go to those that wait, in their order', async () => {
  const { take, got, of } = open(2);
  for (const name of ['a', 'b', 'c', 'd']) void take(name);
  await vi.waitFor(() => expect(got).toEqual(['a', 'b']), PATIENCE);
  of('b').endReading(1);
  of('a').free();
  await vi.waitFor(() => expect(got).toEqual(['a', 'b', 'c', 'd']), PATIENCE);
});

it('hold no more bytes than they may, until the requests are answered', async () => {
  const { take, got, of } = open(10, 100);
  for (const name of ['a', 'b']) void take(name, 60);
  void take('small', 20);
  await vi.waitFor(() => expect(got).toEqual(['a', 'small']), PATIENCE);
  of('small').endReading(20);
  of('a').endReading(60);
  await sleep(100);
  expect(got).toEqual(['a', 'small']);
  of('a').free();
  await vi.waitFor(() => expect(got).toEqual(['a', 'small', 'b']), PATIENCE);
});

it('keep what was read of a body whose length was not known', async () => {
  const { take, got, of } = open(10, 100);
  for (const name of ['a', 'b']) void take(name, 100);
  await vi.waitFor(() => expect(got).toEqual(['a']), PATIENCE);
  of('a').endReading(0);
  await vi.waitFor(() => expect(got).toEqual(['a', 'b']), PATIENCE);
});

it('are left to others by a slow body, but not by one of which more has arrived', async () => {
  const { take, got, of } = open(2);
  await Promise.all([take('a'), take('slow')]);
  of('slow').isWaiting = true;
  await sleep(1000);
  // Nobody waits.
  expect(got).toEqual(['a', 'slow']);
  await take('b');
  expect(got).toEqual(['a', 'slow', 'slow gives way', 'b']);
});

it('are not kept for a caller who has left', async () => {
  const { take, got, of } = open(1);
  await take('a');
  void take('left', 1, () => true);
  void take('b');
  of('a').free();
  await vi.waitFor(() => expect(got).toEqual(['a', 'not left', 'b']), PATIENCE);
});

it('are refused after some seconds', async () => {
  const { take, got } = open(1);
  await take('a');
  await take('b');
  expect(got).toEqual(['a', 'not b']);
}, 60_000);
