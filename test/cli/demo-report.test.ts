import { describe, expect, it } from 'vitest';
import { createDemoReport } from '../../cli/demo-report.ts';
import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { terminal } from '../../runtime/terminal/terminal.ts';
import { delivery, event, NOON } from '../samples.ts';

function openReport() {
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const report = createDemoReport(terminal(stream, stream, {}), { now: () => NOON });
  return { report, lines: () => text.split('\n').filter((line) => line !== '') };
}

function result(subscription: string, outcome: 'accepted' | 'retry', events = 1): DeliveryResult {
  const attempt = { number: 1, at: NOON, ms: 3, outcome, ...(outcome === 'retry' ? { message: '503 from erp' } : {}) };
  return {
    delivery: delivery('1', subscription, { dueAt: NOON }),
    attempt,
    events: Array.from({ length: events }, (_, index) => event(String(index + 1))),
  };
}

describe('the report of the demo', () => {
  it('prints the first message of each subscription and counts the rest', () => {
    const { report, lines } = openReport();
    for (let n = 0; n < 300; n++) report.watcher.delivered?.(result('ops-hook', 'accepted'));
    report.watcher.delivered?.(result('team-chat', 'accepted'));
    expect(lines().map((line) => line.replace(/.*→ /, ''))).toEqual(['ops-hook', 'team-chat']);
    expect(report.summary()).toBe('300 webhooks verified, 1 chat message, 0 mails');
  });

  it('prints one line for each outage, and large groups', () => {
    const { report, lines } = openReport();
    for (const outcome of ['accepted', 'retry', 'retry', 'accepted', 'retry'] as const) {
      report.watcher.delivered?.(result('erp', outcome));
    }
    report.watcher.delivered?.(result('erp', 'accepted', 20));
    expect(lines().map((line) => line.replace(/^\S+ +(\S) .*/, '$1'))).toEqual(['✔', '✗', '✗', '✔']);
  });

  it('ends the story with the digest, once', () => {
    const { report, lines } = openReport();
    for (let n = 0; n < 2; n++) report.watcher.delivered?.(result('morning', 'accepted'));
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toMatch(
      /^▶ the story ends with the digest: 0 webhooks verified, 0 chat messages, 1 mail so far/,
    );
  });

  it('prints a webhook that does not verify', () => {
    const { report, lines } = openReport();
    report.received({ at: NOON, id: null, status: 401, verified: false, code: 'no_match', message: 'no signature' });
    expect(lines()).toEqual([expect.stringContaining('not verified: no signature')]);
  });
});
