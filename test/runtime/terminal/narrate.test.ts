import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../core/model/time.ts';
import type { FailedScan } from '../../../core/source/poll-ports.ts';
import type { ScanReport } from '../../../core/source/scan/scan-report.ts';
import { formatDelivered, formatScan, narrate } from '../../../runtime/terminal/narrate.ts';
import { terminal } from '../../../runtime/terminal/terminal.ts';
import { movableClock } from '../../movable-clock.ts';
import { delivery, NOON } from '../../samples.ts';

const report: ScanReport = {
  source: 'main',
  resource: 'task',
  kind: 'sweep',
  baseline: true,
  seen: 60,
  created: 60,
  changed: 0,
  deleted: 0,
  skipped: 0,
  complete: true,
  requests: 1,
};

describe('formatScan', () => {
  it('says of a baseline whether events are sent for existing records', () => {
    expect(formatScan(report)).toBe('main/task: baseline: 60 existing records, no events sent (1 request)');
    expect(formatScan({ ...report, announcesExisting: true })).toBe(
      'main/task: baseline: 60 existing records, events sent for those already due soon, overdue or past their end (1 request)',
    );
  });
});

describe('formatDelivered', () => {
  it('names an open digest that failed before its content was known', () => {
    const silent = terminal({ write: () => {} }, { write: () => {} }, {});
    const digest = { ...delivery('1', 'morning'), events: [], dueAt: '2026-11-14T12:00:05.000Z' };
    const attempt = {
      number: 1,
      at: NOON,
      outcome: 'retry' as const,
      ms: 3,
      message: 'chat.example.com did not answer',
    };
    expect(formatDelivered({ delivery: digest, attempt, events: [] }, silent)[1]).toMatch(
      /^digest {2}→ morning: chat\.example\.com did not answer, next attempt in /,
    );
  });

  it('marks what was given up, unless its subscription was removed', () => {
    const silent = terminal({ write: () => {} }, { write: () => {} }, {});
    const failed = { delivery: delivery('1', 'ops', { status: 'failed', dueAt: null }), events: [] };
    const attempt = { number: 1, at: NOON, outcome: 'gave-up' as const, ms: 3, message: 'no' };
    const markOf = (code: string) => formatDelivered({ ...failed, attempt: { ...attempt, code } }, silent)[0];
    expect(['TIDINGS_HTTP_GONE', 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE'].map(markOf)).toEqual(['✗', '·']);
  });
});

describe('narrate', () => {
  it('prints a failure once while it lasts, again after an hour or with another cause, and when it is over', () => {
    const written: string[] = [];
    const clock = movableClock();
    const out = terminal({ write: (text) => written.push(text.replace(/^\S+ +/, '')) }, { write: () => {} }, {});
    const { scanFailed, scanned } = narrate(out, clock);
    const fail = (code: FailedScan['code'], message: string) =>
      scanFailed({ source: 'main', resource: 'task', kind: 'delta', code, message });
    for (let n = 0; n < 61; n++) {
      fail('TIDINGS_SOURCE_STATUS', 'the API answered 500');
      clock.advance(MINUTE);
    }
    fail('TIDINGS_SOURCE_UNAUTHORIZED', 'the API refused the token');
    scanned({ ...report, baseline: false });
    fail('TIDINGS_SOURCE_STATUS', 'the API answered 500');
    expect(written).toEqual([
      '✗  main/task: scan failed: the API answered 500\n',
      '✗  main/task: scan failed: the API answered 500 (61 times in a row)\n',
      '✗  main/task: scan failed: the API refused the token (62 times in a row)\n',
      '·  main/task: scanned again, after 62 failed scans\n',
      '✗  main/task: scan failed: the API answered 500\n',
    ]);
  });
});
