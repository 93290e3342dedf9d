import { describe, expect, it } from 'vitest';
import type { ScanReport } from '../../../core/source/scan/scan.ts';
import { formatDelivered, formatScan } from '../../../runtime/terminal/narrate.ts';
import { terminal } from '../../../runtime/terminal/terminal.ts';
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
});
