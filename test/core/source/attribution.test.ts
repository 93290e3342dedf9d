import { describe, expect, it } from 'vitest';
import { indexAuthors } from '../../../core/source/attribution.ts';

const note = (taskid: string, personid: string, datemodified: string) => ({
  taskid,
  personid,
  person: `P${personid}`,
  datemodified,
});
const AT = '2026-11-14 11:00:00';
const modified = '2026-11-14T11:00:00.000Z';

describe('authorsIn', () => {
  it('names the one person who left notes on the task', () => {
    const authorOf = indexAuthors([note('3', '2', AT), note('3', '2', '2026-11-14 10:58:00'), note('4', '9', AT)]);
    expect(authorOf('3', modified)).toEqual({ id: '2', name: 'P2' });
  });

  it.each([
    ['two people changed it', [note('3', '2', AT), note('3', '4', '2026-11-14 10:59:00')]],
    ['there is no note', [note('4', '2', AT)]],
    ['the last change left no note', [note('3', '2', '2026-11-14 10:30:00')]],
    ['a note does not say when', [{ ...note('3', '2', AT), datemodified: null }]],
    ['a note does not say who', [{ ...note('3', '2', AT), personid: null }]],
  ])('names nobody when %s', (_, rows) => {
    expect(indexAuthors(rows)('3', modified)).toBeUndefined();
  });

  it('names nobody when the task does not say when it was changed', () => {
    expect(indexAuthors([note('3', '2', AT)])('3', undefined)).toBeUndefined();
  });
});
