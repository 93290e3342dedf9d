/** The short form of the truth run `soak`. The long form also measures the heap. */

import { describe, expect, it } from 'vitest';
import { runSoak } from './soak.ts';
import { findUnaccepted, heapGrowth } from './soak-checks.ts';
import { openSoakSink } from './soak-sink.ts';

describe('fifty receivers that refuse, hang and cut connections', () => {
  it('accepted every settled event, and every other delivery is pending or has failed all attempts', async () => {
    const sink = await openSoakSink(3);
    const report = await runSoak({ events: 2_000, endpoints: 50, url: sink.url, waves: 4, timeout: 500 });
    await sink.close();
    expect(report.lost).toEqual([]);
    expect(findUnaccepted(report, sink)).toEqual([]);
    expect(report.events).toBe(2_000);
    expect(Object.values(report.statuses).reduce((sum, count) => sum + count)).toBe(2_000);
    expect(report.statuses.settled).toBeGreaterThan(1_950);
    for (const count of Object.values(sink.responses)) expect(count).toBeGreaterThan(40);
  });
});

describe('the checks', () => {
  it('report a settled event that was never accepted', () => {
    const accepted = new Map([['0', new Map([['evt_1', 2]])]]);
    expect(findUnaccepted({ settled: [['evt_1']] }, { accepted })).toEqual([]);
    expect(findUnaccepted({ settled: [['evt_1', 'evt_2'], ['evt_1']] }, { accepted })).toEqual([
      'endpoint-0 never accepted evt_2',
      'endpoint-1 never accepted evt_1',
    ]);
  });

  it('report a heap that grows after the warm-up', () => {
    const level = [10, 60, 100, 101, 99, 100, 102, 100].map((megabytes) => megabytes * 1e6);
    expect(heapGrowth(level)).toBeLessThan(1.05);
    const growing = Array.from({ length: 20 }, (_, wave) => (100 + 3 * wave) * 1e6);
    expect(heapGrowth(growing)).toBeGreaterThan(1.2);
  });
});
