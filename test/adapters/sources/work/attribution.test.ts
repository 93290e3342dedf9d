import { encodeXML } from 'entities';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexAuthors } from '../../../../adapters/sources/work/attribution.ts';
import type { Value } from '../../../../core/model/record.ts';
import type { Snapshot } from '../../../../core/model/snapshot.ts';
import type { FindAuthor } from '../../../../core/ports/source-api.ts';
import { snapshot } from '../../../samples.ts';

const AT = '2026-11-14 11:00:00';
const note = (taskid: string, personid: string, datemodified: string, text = 'Title: Old &amp; gold → New') => ({
  ...{ taskid, personid, person: `P${personid}`, datemodified, note: text },
});

const known = (record: object, committedAt = '2026-11-14T10:55:00.000Z'): Snapshot =>
  snapshot('3', { committedAt, record: { id: '3', datemodified: '2026-11-14T10:50:00Z', ...record } });

const retitled = (change: Partial<Parameters<FindAuthor>[0]> = {}): Parameters<FindAuthor>[0] => ({
  id: '3',
  before: known({ title: 'Old & gold' }),
  record: { id: '3', title: 'New', datemodified: '2026-11-14T11:00:00Z' },
  changes: [{ field: 'title', from: 'Old & gold', to: 'New' }],
  ...change,
});

describe('indexAuthors', () => {
  it('names the one person who left notes on the task', () => {
    const findAuthor = indexAuthors([note('3', '2', AT), note('3', '2', '2026-11-14 10:58:00'), note('4', '9', AT)]);
    expect(findAuthor(retitled())).toEqual({ id: '2', name: 'P2' });
  });

  it('ignores the notes of changes that are known already', () => {
    const findAuthor = indexAuthors([note('3', '2', AT), note('3', '4', '2026-11-14 10:50:00')]);
    expect(findAuthor(retitled())).toEqual({ id: '2', name: 'P2' });
  });

  it('reads `authorid` and `date`, and decodes names', () => {
    const row = { taskid: '3', authorid: 2, author: 'Zo&euml; &amp; Co', date: AT, note: 'Title: New' };
    expect(indexAuthors([row])(retitled())).toEqual({ id: '2', name: 'Zoë & Co' });
    expect(indexAuthors([{ ...note('3', '2', AT), person: 'O&#39;Neil' }])(retitled())?.name).toBe("O'Neil");
  });

  it('names the person who created a task', () => {
    const created = retitled({ before: undefined, changes: [] });
    expect(indexAuthors([note('3', '2', AT, 'Task created')])(created)?.id).toBe('2');
    expect(indexAuthors([note('3', '2', AT, 'Looks good')])(created)).toBeUndefined();
  });

  it.each([
    ['two people changed it', [note('3', '2', AT), note('3', '4', '2026-11-14 10:59:00')]],
    ['there is no note', [note('4', '2', AT)]],
    ['the last change left no note', [note('3', '2', '2026-11-14 10:58:00')]],
    ['the note is a comment, and the change left no note', [note('3', '2', AT, 'The title needs work')]],
    ['a note does not say when', [{ ...note('3', '2', AT), datemodified: null }]],
    ['a note does not say who', [{ ...note('3', '2', AT), personid: null }]],
    ['another note does not say who', [note('3', '2', AT), { ...note('3', '4', AT), personid: null }]],
    ['another note does not say when', [note('3', '2', AT), { ...note('3', '4', AT), datemodified: null }]],
    ['a note names two people', [{ ...note('3', '2', AT), authorid: '7' }]],
  ])('names no one when %s', (_, rows) => {
    expect(indexAuthors(rows)(retitled())).toBeUndefined();
  });

  it('names no one when the notes explain only a part of the change', () => {
    const changes = [...retitled().changes, { field: 'actual', from: 1, to: 2.75 }];
    const record = { ...retitled().record, actual: 2.75 };
    const before = known({ title: 'Old & gold', actual: 1 });
    expect(indexAuthors([note('3', '2', AT)])(retitled({ before, record, changes }))).toBeUndefined();
  });

  it('compares the names of what an id refers to, and the old value when the new one is empty', () => {
    const findAuthor = indexAuthors([note('3', '2', AT, 'Assignees: Ann, Bob → none<br />Status: Open → Done')]);
    const change = retitled({
      before: known({ assigneeid: ['1', '2'], assignees: ['Ann', 'Bob'], statusid: '1', status: 'Open' }),
      record: {
        id: '3',
        assigneeid: [],
        assignees: [],
        statusid: '2',
        status: 'Done',
        datemodified: '2026-11-14T11:00:00Z',
      },
      changes: [
        { field: 'assigneeid', from: ['1', '2'], to: [] },
        { field: 'statusid', from: '1', to: '2' },
      ],
    });
    expect(findAuthor(change)?.id).toBe('2');
  });

  it('counts a note of the second in which the last known change was read', () => {
    const before = known({ title: 'Old & gold', datemodified: '2026-11-14T10:59:59Z' }, '2026-11-14T11:00:00.000Z');
    const rows = [note('3', '2', AT), note('3', '4', '2026-11-14 10:59:59')];
    expect(indexAuthors(rows)(retitled({ before }))).toBeUndefined();
  });

  it('names no one when the task does not say when it was changed', () => {
    expect(indexAuthors([note('3', '2', AT)])(retitled({ record: { id: '3', title: 'New' } }))).toBeUndefined();
  });
});

/** A task of which one field changed, and a note with this text. */
function authorOf(field: string, from: Value, to: Value, text: string): string | undefined {
  const before = known({ [field]: from });
  const record = { ...before.record, [field]: to, datemodified: '2026-11-14T11:00:00Z' };
  return indexAuthors([note('3', '2', AT, text)])({ id: '3', before, record, changes: [{ field, from, to }] })?.id;
}

describe('the notes of a change', () => {
  it.each<[string, Value, Value, string]>([
    ['estimate', 1, 2, 'Estimate: 1.00 → 2.00'],
    ['estimate', 1, 2, 'Estimate: 2 hours'],
    ['estimate', 1, 2.5, 'changed estimate from 1 to 2.5'],
    ['datedue', '2026-11-20', '2026-11-22', 'Due date: 2026-11-20 → 2026-11-22'],
    ['datedue', '2026-11-20', null, 'Due date: 2026-11-20 → none'],
    ['title', 'A → B', 'C → D', 'Title: A → B → C → D'],
    ['title', 'Old', 'Back to New', 'Title: Back to New'],
    ['title', 'Old', 'New', '<p>Title changed from Old to “New”</p><p>Status: Open → Done</p>'],
  ])('name the author of %s from %j to %j: %s', (field, from, to, text) => {
    expect(authorOf(field, from, to, text)).toBe('2');
  });

  it.each<[string, Value, Value, string]>([
    ['estimate', 1, 2, 'Due date: none → 2026-11-22'],
    ['estimate', 1, 2, 'Estimate: 1.00 → 12.00'],
    ['estimate', 1, 2, 'Estimate: 2.00 → 3.00'],
    ['estimate', 1, 2, 'The estimate should be 2'],
    ['title', 'Old', 'New', 'Title: Old → Brand New'],
    ['title', 'Old', 'New', 'Title: Old → Back to New'],
    ['title', 'Old', 'New', 'Title: Older → Go → New'],
    ['title', 'Old', 'New', 'Project: Old → New'],
    ['title', 'Old', 'New', 'Title: Old → New<br>Title: New → Newer'],
    ['datedue', '2026-11-20', '2026-11-22', 'Start date: 2026-11-20 → 2026-11-22'],
    ['datedue', '2026-11-20', null, 'Due date: 2026-11-20 → 2026-11-21'],
  ])('name no one for %s from %j to %j: %s', (field, from, to, text) => {
    expect(authorOf(field, from, to, text)).toBeUndefined();
  });

  const title = fc
    .string({ minLength: 1, maxLength: 30 })
    .filter((text) => text.trim() !== '' && !/\s{2}|^\s|\s$/.test(text));
  const hours = fc.integer({ min: 0, max: 100_000 }).map((hundredths) => hundredths / 100);

  it('name the author of any new title beside the old one', () => {
    fc.assert(
      fc.property(title, title, (from, to) => {
        fc.pre(from.toLowerCase() !== to.toLowerCase());
        expect(authorOf('title', from, to, `Title: ${encodeXML(from)} → ${encodeXML(to)}`)).toBe('2');
      }),
    );
  });

  it('name no one for a number that another number or another field contains', () => {
    fc.assert(
      fc.property(hours, hours, hours, title, (from, to, noted, text) => {
        fc.pre(from !== to && noted !== to);
        const lines = [
          `Estimate: ${to.toFixed(2)} → ${noted.toFixed(2)}`,
          `Estimate: ${noted}${to}0.00`,
          `Title: ${encodeXML(text)} ${to} → ${to}`,
          `Due date: 2026-11-${to} → 2026-12-${to}`,
          `${to} of ${to.toFixed(2)} hours left`,
        ];
        for (const line of lines) {
          if (Number(/^Estimate: (\S+)$/.exec(line)?.[1]) === to) continue;
          expect([line, authorOf('estimate', from, to, line)]).toEqual([line, undefined]);
        }
      }),
    );
  });
});
