/** How often monitors cause a read: many of them at once, or in a row, cost no more than one. */

import { expect, it } from 'vitest';
import { openServiceMetrics } from '../../runtime/embedded/service-metrics.ts';
import { createTimedRead } from '../../runtime/timed-read.ts';

it('reads once for all who ask within the time in which a result is fresh', async () => {
  let reads = 0;
  const read = async () => ++reads;
  const timed = createTimedRead(read, { freshMs: 1e9 });
  expect(await Promise.all([timed(), timed(), timed()])).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }]);
  expect(await timed()).toEqual({ value: 1 });
  const always = createTimedRead(read);
  expect([await always(), await always()]).toEqual([{ value: 2 }, { value: 3 }]);
});

it('renders the metrics once in that time', async () => {
  const metrics = openServiceMetrics({ version: '1', process: false, freshMs: 1e9 });
  const [first, second] = await Promise.all([metrics.render(), metrics.render()]);
  expect(second).toBe(first);
  metrics.countReload('applied');
  expect(await metrics.render()).toBe(first);
});
