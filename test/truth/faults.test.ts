/** The short form of the truth run `faults`: some calls of the scenario, and some interleavings. */

import { describe, expect, it } from 'vitest';
import { play, runFaults } from './faults.ts';

describe('when a port call fails', () => {
  it('the same events are recorded, carried by one delivery each and accepted by the same receivers', async () => {
    // A prime step reaches every kind of call. The long form uses every call.
    const report = await runFaults({ step: 83, interleavings: 12 });
    expect(report.differences).toEqual([]);
    expect(report.calls).toBeGreaterThan(1_500);
    expect(report.runs).toBeGreaterThan(70);
  });

  it('the scenario without a fault contains every kind of outcome', async () => {
    const { outcome, calls } = await play();
    const statusesOf = (name: string) =>
      new Set(outcome.carried.filter((line) => line.startsWith(`${name} `)).map((line) => line.split(' ').at(-1)));
    expect(statusesOf('gone')).toEqual(new Set(['held']));
    for (const name of ['flaky', 'slow', 'halted', 'halted-chat', 'chat', 'night', 'digest', 'watch'])
      expect(statusesOf(name)).toEqual(new Set(['settled']));
    // A closed task is not announced as overdue.
    const digested = outcome.accepted.filter((line) => line.startsWith('digest ')).map((line) => line.split(' ')[2]);
    expect(digested).not.toContain('task.overdue');
    expect(outcome.carried.some((line) => /^digest \S+ task\.overdue/.test(line))).toBe(true);
    expect(outcome.events).toContain('subscription.disabled subscription/gone');
    expect(outcome.events).toContain('subscription.failing subscription/slow');
    expect(outcome.events).toContain('subscription.recovered subscription/slow');
    expect(outcome.accepted.some((line) => line.startsWith('gone '))).toBe(false);
    const used = ['deliveries.gather', 'agenda.postpone', 'threads.save', 'manifests.write', 'queue.acknowledge'];
    expect(new Set(calls)).toEqual(new Set([...calls, ...used]));
  });
});
