import { describe, expect, it } from 'vitest';
import { eventTypeOf, eventTypes } from '../../../core/events/catalogue.ts';
import type { EventType } from '../../../core/events/event-type.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { clipNames } from '../../../core/messages/clip-names.ts';
import { buildNeutralMessage, headlineText, lineOf } from '../../../core/messages/neutral-message.ts';
import { summarise } from '../../../core/messages/summary.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import { task } from '../../../core/resources/task.ts';

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

/** Names as long as an API allows, each with an end of its own. */
const LONG = Array.from({ length: 40 }, (_, index) => `Ann Vogt the ${index}th of Northwind~`);
const longText = (what: string) => `${what} ${'of the long name '.repeat(16)}~`;

/** The example of a type, with a long text in each field and lists of many names. */
function lengthened(eventType: EventType): TidingsEvent {
  const event = exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${eventType.type}`);
  const { record, details = {} } = event.data;
  const lengthen = (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => {
        if (Array.isArray(value) && value.length > 0) return [field, LONG];
        const isText = typeof value === 'string' && /[A-Za-z] [A-Za-z]/.test(value);
        return [field, isText ? longText(value) : value];
      }),
    );
  const places = { project: longText('Relaunch'), client: longText('Northwind'), managers: LONG, manager: LONG.join() };
  return { ...event, data: { ...event.data, record: { ...lengthen(record), ...places }, details: lengthen(details) } };
}

describe('a sentence that does not fit', () => {
  it.each(eventTypes.map((one) => [one.type, one] as const))('cuts no name without a sign: %s', (_, eventType) => {
    const event = lengthened(eventType);
    const { headline, line } = buildNeutralMessage(event);
    for (const text of [line, lineOf(event, [], 'UTC', 150), headlineText(headline)]) {
      // What follows the start of a name is the whole name, or the sign of a cut.
      for (const [name] of text.matchAll(/Ann Vogt the \d+th of Northwind(?!~)/g))
        expect(text.slice(text.indexOf(name) + name.length)).toMatch(/^…/);
      expect(text).not.toMatch(/Ann V?o?g?t?$|Ann Vogt (?:the(?: \d+t?)?)?…?$/);
    }
    expect(line.length).toBeLessThanOrEqual(300);
    expect(lineOf(event, [], 'UTC', 150).length).toBeLessThanOrEqual(150);
  });

  it('keeps what happened', () => {
    const closed = lengthened(typeNamed('task.closed'));
    expect(lineOf(closed)).toMatch(/^Task “.*…” was closed \(Relaunch .*…, Northwind .*…\)$/);
    expect(lineOf(closed, [], 'UTC', 150)).toMatch(/^Task “.*…” was closed \(Relaunch .*…, Northwind .*…\)$/);
    const handed = lengthened(typeNamed('task.assigned'));
    expect(lineOf(handed)).toMatch(/” was assigned to Ann Vogt the 0th of Northwind~.* and \d+ more \(/);
    expect(headlineText(buildNeutralMessage(handed).headline)).toMatch(/ of Northwind~ and \d+ more$/);
    const managed = lengthened(typeNamed('project.manager_changed'));
    expect(lineOf(managed)).toMatch(/ is now managed by Ann Vogt the 0th of Northwind~.* and \d+ more$/);
  });

  it('lists eight changed fields at most', () => {
    const fields = Object.keys(task.fields).map((field) => ({ field, from: 1, to: 2 }));
    const event = exampleEvent(typeNamed('task.updated')) as TidingsEvent;
    expect(lineOf({ ...event, data: { ...event.data, changes: fields } })).toMatch(
      /(?:[\w ]+, ){6}[\w ]+ and \d+ more$/,
    );
  });
});

describe('a title that does not fit', () => {
  it('ends with a whole phrase', () => {
    const kinds = eventTypes.filter(({ type }) => type.startsWith('task.')).map((one) => exampleEvent(one));
    const events = kinds.flatMap((event, kind) =>
      Array.from({ length: 30 - kind }, (_, index) =>
        event === undefined ? [] : [{ ...event, id: `${kind} ${index}`, subject: `task/${kind}${index}` }],
      ).flat(),
    );
    const { title } = summarise(events, { timeZone: 'UTC' });
    expect(title.length).toBeLessThanOrEqual(110);
    expect(title).toMatch(/^(?:.*?\d+ tasks[a-z ]*?,? ?)+ and more$/);
    const reader = { address: null, name: 'Ann Vogt', role: 'assignees' } as const;
    expect(summarise(events, { timeZone: 'UTC', reader }).title).toMatch(/ and more \(Ann Vogt\)$/);
  });
});

function typeNamed(type: string): EventType {
  const eventType = eventTypeOf(type);
  if (eventType === undefined) throw new Error(`no type ${type}`);
  return eventType;
}
