import { describe, expect, it } from 'vitest';
import { type JournalledRecord, replayJournals } from '../../../../adapters/sources/journals/replay-journals.ts';
import { OWN_RECORD } from '../../../../core/snapshot/compare.ts';

const at = (second: number) => `2026-11-17T13:26:${String(second).padStart(2, '0')}.000Z`;
const dated = (second: number) => `2026-11-17T13:26:${String(second).padStart(2, '0')}Z`;

/** One journal each: from, to and the second. */
function journalled(
  modified: number,
  ...changes: readonly (readonly [from: string, to: string, second: number])[]
): JournalledRecord {
  return {
    record: { priority: changes.at(-1)?.[1] ?? '1', datemodified: dated(modified) },
    createdAt: at(0),
    createdBy: undefined,
    modifiedAt: at(modified),
    journals: changes.map(([from, to, second]) => ({
      at: at(second),
      by: { id: '5', name: 'Ann' },
      details: [{ name: 'priority', from, to }],
    })),
    initially: {},
    roles: OWN_RECORD,
    patch: ({ to }) => ({ priority: to }),
  };
}

const prioritiesOf = (current: JournalledRecord, priority: string, second: number) =>
  replayJournals(current, { priority, datemodified: dated(second) }).map(({ record }) => record.priority);

describe('replayJournals', () => {
  it('returns the changes since the record was read, each with its person and instant', () => {
    const current = journalled(50, ['1', '2', 40], ['2', '3', 46], ['3', '4', 50]);
    expect(replayJournals(current, { priority: '2', datemodified: dated(40) })).toEqual([
      { record: { priority: '3', datemodified: dated(46) }, at: at(46), by: { id: '5', name: 'Ann' } },
      { record: { priority: '4', datemodified: dated(50) }, at: at(50), by: { id: '5', name: 'Ann' } },
    ]);
  });

  it('returns the rest of a second in which the record was read', () => {
    const current = journalled(46, ['3', '1', 46], ['1', '2', 46]);
    expect(prioritiesOf(current, '1', 46)).toEqual(['2']);
    expect(prioritiesOf(current, '2', 46)).toEqual([]);
    expect(prioritiesOf(current, '3', 46)).toEqual(['1', '2']);
  });

  it('repeats no change of that second when the record was modified later without a journal', () => {
    expect(prioritiesOf(journalled(52, ['3', '1', 46], ['1', '2', 46]), '2', 46)).toEqual([]);
  });

  it('takes a journal of the next second for a new change if it explains the modification', () => {
    expect(prioritiesOf(journalled(47, ['3', '1', 46], ['1', '2', 47]), '1', 46)).toEqual(['2']);
  });
});
