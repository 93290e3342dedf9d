/** Filters that are tested in a thread of their own. */

import { afterEach, expect, it, vi } from 'vitest';
import type { Subscription } from '../../../core/model/subscription.ts';
import { type ThreadedFilters, threadedFilters } from '../../../runtime/embedded/threaded-filters.ts';
import { event, subscription } from '../../samples.ts';

let filters: ThreadedFilters;

afterEach(async () => {
  vi.useRealTimers();
  await filters.close();
});

const wants = (name: string, ...types: string[]): Subscription => subscription(name, { where: { type: types } });

it('are answered in the order of the subscriptions, also if one has changed or several ask at the same time', async () => {
  filters = threadedFilters();
  const sample = event('evt_1');
  const many = Array.from({ length: 25 }, (_, n) => wants(`sub-${n}`, n % 2 === 0 ? sample.type : 'other'));
  const expected = many.map((_, n) => n % 2 === 0);
  const answers = await Promise.all([filters.test(sample, many), filters.test(sample, many.toReversed())]);
  expect(answers).toEqual([expected, expected.toReversed()]);
  const changed = [wants('sub-0', 'other'), ...many.slice(1)];
  expect(await filters.test(sample, changed)).toEqual([false, ...expected.slice(1)]);
  expect(await filters.test({ ...sample, type: 'other' }, changed)).toEqual([
    true,
    ...expected.slice(1).map((one) => !one),
  ]);
});

it('are tested where they are asked for while the thread cannot run, which is tried again after a minute', async () => {
  filters = threadedFilters();
  const sample = event('evt_1');
  const one = [wants('one', sample.type)];
  const before = performance.now();
  const asked = filters.test(sample, one);
  await filters.close();
  expect(await asked).toBeUndefined();
  expect(await filters.test(sample, one)).toBeUndefined();
  vi.spyOn(performance, 'now').mockReturnValue(before + 120_000);
  expect(await filters.test(sample, one)).toEqual([true]);
});
