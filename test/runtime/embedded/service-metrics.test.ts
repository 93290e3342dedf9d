import { expect, it } from 'vitest';
import { jobFor } from '../../../core/ports/queue.ts';
import { openServiceMetrics } from '../../../runtime/embedded/service-metrics.ts';
import { delivery, NOON } from '../../samples.ts';

it('counts postponed attempts by their cause, and no other job without an attempt', async () => {
  const { watcher, render } = openServiceMetrics({ version: '1', process: false });
  const job = jobFor(delivery('1', 'ops'));
  for (const because of ['day-start', 'quiet-hours', 'day-start'] as const)
    watcher.unattempted(job, { kind: 'postponed', until: NOON, because });
  watcher.unattempted(job, { kind: 'held' });
  watcher.unattempted(job, { kind: 'stale', because: 'changed' });
  const lines = (await render()).text.split('\n').filter((line) => line.startsWith('tidings_deliveries_postponed'));
  expect(lines.sort()).toEqual([
    'tidings_deliveries_postponed_total{because="day-start"} 2',
    'tidings_deliveries_postponed_total{because="quiet-hours"} 1',
  ]);
});
