import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypeOf, eventTypes } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { sampleOf } from '../../../core/events/sample-records.ts';
import { buildNeutralMessage, headlineOf, lineOf } from '../../../core/messages/neutral-message.ts';
import { summarise } from '../../../core/messages/summary.ts';
import type { EventData, TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import { resources } from '../../../core/resources/catalogue.ts';

function example(type: string, change: Partial<EventData> = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  return { ...event, data: { ...event.data, ...change } };
}

const titled = (title: string) => example('task.closed', { record: { id: '412', title } });

describe('lineOf', () => {
  it('describes the event', () => {
    expect(lineOf(example('task.overdue'))).toBe(
      'Task “Proofread the newsletter” has been overdue since Sat 21 Nov (Website relaunch, Northwind Traders)',
    );
  });

  it('names the changed fields of an update by nouns', () => {
    const changes = ['statusid', 'status', 'datedue', 'dateclosed', 'assigneeid', 'summary'].map((field) => ({
      field,
      from: null,
      to: '1',
    }));
    expect(lineOf(example('task.updated', { record: { id: '412', title: 'Legal notice' }, changes }))).toBe(
      'Task “Legal notice” was updated: status, due date, closing date, assignees and description',
    );
  });

  it('calls a record without a name by its number', () => {
    const event = example('time.created', { record: { id: '12' } });
    expect(lineOf(event)).toBe('Time entry 12 was created');
    expect(headlineOf(event)).toEqual({ before: '', title: 'Time entry 12', quotes: ['', ''], after: ' was created' });
    const logged = example('task.time_logged', { record: { id: '412', localid: '27' }, details: { hours: 27 } });
    expect(headlineOf(logged)).toEqual({ before: '27 h logged on ', title: 'task 27', quotes: ['', ''], after: '' });
  });

  it('says where a task was moved to, and what was removed', () => {
    const moved = (field: string) => ({ record: { id: '1', title: 'a' }, changes: [{ field, from: '1', to: '2' }] });
    expect(lineOf(example('task.moved', moved('projectid')))).toBe('Task “a” was moved to another project');
    expect(lineOf(example('task.moved', moved('moduleid')))).toBe('Task “a” was moved to another module');
    expect(lineOf(example('task.estimate_changed', moved('estimate')))).toBe('Task “a” no longer has an estimate');
  });

  it('says how many messages a removed subscription drops', () => {
    const removed = (dropped: number) => lineOf(example('subscription.removed', { record: { name: 'ops', dropped } }));
    expect(removed(1)).toBe('Receiver `ops` was removed from the config; 1 unsent message was dropped');
    expect(removed(1200)).toBe('Receiver `ops` was removed from the config; 1,200 unsent messages were dropped');
  });

  it('stays on one line, and supports unknown event types', () => {
    expect(lineOf(titled('a\r\nBcc: b\u2028c\u202e'))).toBe('Task “a Bcc: b c” was closed');
    expect(lineOf({ ...titled('a'), type: 'budget.blown' })).toBe('budget.blown Task “a”');
  });

  it('does not split a character', () => {
    expect(lineOf(titled('🦊'.repeat(400)))).toMatch(/^Task “(🦊)+…” was closed$/u);
  });
});

describe('people, roles and milestones that the API does not name', () => {
  it.each([
    ['task.owner_changed', { ownerid: [], owners: [] }, 'is now owned by no one'],
    ['task.owner_changed', { ownerid: ['5'], owners: [] }, 'is now owned by someone'],
    ['task.followers_changed', { followerid: ['5', '9'], followers: null }, 'is now followed by 2 people'],
    ['task.followers_changed', { followerid: [], followers: [] }, 'is now followed by no one'],
    ['task.milestone_changed', { milestoneid: '6', milestone: null }, 'is now in another milestone'],
    ['task.milestone_changed', { milestoneid: null, milestone: null }, 'is no longer in a milestone'],
    [
      'project.manager_changed',
      { managerid: ['5', '9'], manager: 'Ann Vogt' },
      'is now managed by Ann Vogt and 1 more',
    ],
    ['project.manager_changed', { managerid: ['5'], manager: 'Eliot, PhD' }, 'is now managed by Eliot, PhD'],
    ['project.manager_changed', { managerid: ['5', '9'], manager: null }, 'is now managed by 2 people'],
    ['project.manager_changed', { managerid: [], manager: null }, 'is now managed by no one'],
    ['person.group_changed', { groupid: '4', group: null }, 'now has another role'],
    ['person.group_changed', { groupid: null, group: null }, 'now has no role'],
  ] as const)('%s %j: %s', (type, record, expected) => {
    const [resource] = type.split('.');
    const event = example(type, { record: { ...sampleOf(resource ?? ''), ...record, client: null, project: null } });
    expect(lineOf(event)).toMatch(new RegExp(` ${expected}$`));
  });

  it('counts the managers of a project whose names are unknown in the facts too', () => {
    const record = { ...sampleOf('project'), managerid: ['5', '9'], manager: 'Ann Vogt' };
    const { facts } = buildNeutralMessage(example('project.past_end', { record }));
    expect(facts).toContainEqual(expect.objectContaining({ label: 'Manager', value: 'Ann Vogt and 1 more' }));
  });
});

describe('a change that its start does not show', () => {
  const long = (end: string) => `${'The menu and the wine list of the opening. '.repeat(200)}${end}`;

  it.each([
    ['summary', `<p>${long('red')}</p>`, `<p>${long('white')}</p>`],
    ['title', long('red'), long('white')],
    ['x_score', 1.0011, 1.0012],
  ])('is not shown as a change from one value to the same: %s', (field, from, to) => {
    const record = { ...sampleOf('task'), [field]: to };
    const { changes } = buildNeutralMessage(example('task.updated', { record, changes: [{ field, from, to }] }));
    expect(changes).toEqual([expect.objectContaining({ value: expect.stringMatching(/^[^→]+ \(changed\)$/) })]);
  });
});

describe('days and times', () => {
  it('does not say that an invoice is seven days overdue when it may be more by then', () => {
    const late = example('invoice.overdue_reminder', { record: sampleOf('invoice'), details: { days: 7 } });
    expect(lineOf(late)).toContain('is at least 7 days overdue: ');
  });

  it('are those of the reader: the day of the quota ends in the evening in New York', () => {
    const event = example('source.quota_exhausted');
    const sentence = (timeZone: string) => buildNeutralMessage(event, { timeZone }).line;
    expect(sentence('America/New_York')).toBe(
      'Source main has used up its API requests for today; polling resumes on 14 Nov 2026, 19:00 America/New_York',
    );
    expect(sentence('Europe/Berlin')).toContain('polling resumes on 15 Nov 2026, 01:00 Europe/Berlin');
    const several = summarise([event, { ...example('source.stale'), subject: 'source/other' }], {
      timeZone: 'America/New_York',
    });
    expect(several.groups.flatMap(({ lines }) => lines.map(({ line }) => line))).toContain(
      sentence('America/New_York'),
    );
    const { quotaResetsAt: _, ...record } = event.data.record;
    expect(lineOf({ ...event, data: { ...event.data, record } })).toContain('polling resumes after the quota reset');
  });

  it('say on which day of the reader a receiver will be disabled', () => {
    const record = {
      name: 'ops',
      state: 'failing',
      failingSince: '2026-11-10T02:00:00.000Z',
      warnedAt: '2026-11-14T03:00:00.000Z',
    };
    const event = example('subscription.failing', { record });
    expect(lineOf(event, [], 'America/New_York')).toBe(
      'Receiver `ops` has been failing since Mon 9 Nov and will be disabled on Sat 14 Nov',
    );
    expect(lineOf(event, [], 'UTC')).toContain('since Tue 10 Nov and will be disabled on Sun 15 Nov');
  });
});

describe('buildNeutralMessage', () => {
  it('shows no empty or repeated facts', () => {
    expect(buildNeutralMessage(example('subscription.recovered')).facts).toEqual([]);
    expect(buildNeutralMessage(example('projectmodule.created')).facts).toEqual([]);
  });
});

/** Long and hostile texts. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('<!channel>', '<https://evil.example|ok>', 'a\r\nBcc: x', '&amp;', '\ud800', '"\\"', '`*_~', ''),
  fc
    .tuple(fc.constantFrom('"', '\\', '<', '&', '🦊', '\u0000', 'x'), fc.integer({ min: 1, max: 40_000 }))
    .map(([text, times]) => text.repeat(times)),
);
const value = fc.oneof(hostile, fc.array(hostile, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

const anyEvent: fc.Arbitrary<TidingsEvent> = fc
  .record({
    eventType: fc.constantFrom(...eventTypes),
    values: fc.array(value, { minLength: 1, maxLength: 12 }),
    details: fc.option(fc.dictionary(fc.constantFrom('addedNames', 'hours', 'days', 'amount'), value)),
  })
  .map(({ eventType: { type }, values, details }) => {
    const resource = type.slice(0, type.indexOf('.'));
    const fields = Object.keys(resources.find(({ name }) => name === resource)?.fields ?? {});
    const at = (index: number) => (values[index % values.length] ?? null) as Fields[string];
    const record = Object.fromEntries([...fields, 'name', 'reason'].map((field, index) => [field, at(index)]));
    const changes = [...fields, JSON.stringify(at(0))].map((field, index) => ({
      field,
      from: at(index),
      to: at(index + 1),
    }));
    return example(type, { record, changes, ...(details === null ? {} : { details: details as Fields }) });
  });

describe('any record, however long or hostile', () => {
  it('results in a single, well-formed line that is not empty', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const line = lineOf(event);
        expect(line).toMatch(/^[^\p{Cc}\u2028\u2029]{1,300}$/u);
        expect(line.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
