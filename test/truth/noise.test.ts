/** The short form of the truth run `noise`. */

import { expect, it } from 'vitest';
import { runNoise } from './noise.ts';

it('emits no events for renamed other records, changed roles and changed formats', async () => {
  const report = await runNoise({ tasks: 60, days: 30, every: 6 });
  expect(report.unexpected).toEqual([]);
  expect(report.changes).toBeGreaterThan(50);
  expect(report.scans).toBeGreaterThan(200);
});
