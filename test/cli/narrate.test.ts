import { describe, expect, it } from 'vitest';
import { formatScan } from '../../cli/narrate.ts';
import type { ScanReport } from '../../core/source/scan.ts';

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
