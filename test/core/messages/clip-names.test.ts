import { describe, expect, it } from 'vitest';
import { eventTypeOf } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { clipNames } from '../../../core/messages/clip-names.ts';
import { buildNeutralMessage } from '../../../core/messages/neutral-message.ts';
import { summarise } from '../../../core/messages/summary.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';

const NAMES = [
  'Hannah Sato',
  'George87 Eliot, PhD',
  'George27 Eliot, PhD',
  'George95 Eliot, PhD',
  'George64 Eliot, PhD',
];
const IDS = ['1', '2', '3', '4', '5'];

/** An event about a task with five assignees of long names. */
function assigned(type: string, record: Fields = {}, details: Fields = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  const changes = [{ field: 'assigneeid', from: ['9'], to: IDS }];
  const people = { assigneeid: IDS, assignees: NAMES };
  return {
    ...event,
    data: { ...event.data, record: { ...event.data.record, ...people, ...record }, changes, details },
  };
}

describe('a list of names that does not fit', () => {
  it('ends with a whole name and the number of the others', () => {
    const message = buildNeutralMessage(assigned('task.updated'));
    const now = 'Hannah Sato, George87 Eliot, PhD, George27 Eliot, PhD and 2 more';
    expect(message.changes).toEqual([expect.objectContaining({ label: 'Assigned to', value: `now ${now}` })]);
  });

  it('ends so in the facts, and where people are removed', () => {
    const many = Array.from({ length: 30 }, (_, index) => `Ann Vogt the ${index}th`);
    const message = buildNeutralMessage(
      assigned('task.unassigned', { assignees: many }, { removed: IDS, removedNames: NAMES }),
    );
    const fact = message.facts.find(({ label }) => label === 'Assigned to');
    expect(fact?.value).toMatch(/, Ann Vogt the \dth and \d+ more$/);
    expect(fact?.value.length).toBeLessThanOrEqual(160);
    expect(message.changes[0]?.value).toMatch(
      /th and \d+ more \(no longer Hannah Sato, George87 Eliot, PhD, George27 Eliot, PhD and 2 more\)$/,
    );
  });

  it('ends so beside the lines of a digest', () => {
    const long = NAMES.map((name) => `${name} of the department of long names`);
    const other = { ...assigned('task.overdue', { assignees: long }), subject: 'task/9' };
    const { groups } = summarise([assigned('task.overdue', { assignees: long }), other], { timeZone: 'Europe/Berlin' });
    const whos = groups.flatMap(({ lines }) => lines.map(({ who }) => who));
    expect(whos).toContain(`${long[0]} and 4 more`);
  });

  it('cuts a first name that alone is too long, and says how many follow', () => {
    expect(clipNames(['a'.repeat(50)], 20)).toBe(`${'a'.repeat(19)}…`);
    expect(clipNames(['a'.repeat(50), 'Ben', 'Zoë'], 20)).toBe(`${'a'.repeat(8)}… and 2 more`);
  });

  it('is whole if it fits, and never longer than allowed', () => {
    expect(clipNames(['Ann', 'Ben', 'Zoë'], 16)).toBe('Ann, Ben and Zoë');
    expect(clipNames(['Ann', 'Ben', 'Zoë'], 15)).toBe('Ann and 2 more');
    expect(clipNames([], 10)).toBe('');
    for (let length = 12; length < 120; length++)
      expect(clipNames(NAMES, length).length, `of ${length}`).toBeLessThanOrEqual(length);
  });

  it('takes no time for a list of many thousands', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `Person ${index}`);
    expect(clipNames(many, 78)).toMatch(/^Person 0, Person 1, .*, Person \d+ and 99,?\d+ more$/);
  });
});
