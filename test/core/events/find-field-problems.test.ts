/** Names and values in a filter that can never match, with the name that was probably meant. */

import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../core/events/catalogue.ts';
import { customRecordShape, eventShape } from '../../../core/events/event-shape.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { findFieldProblems } from '../../../core/events/find-field-problems.ts';
import { isDescribed, resourceOfType } from '../../../core/events/schema-name.ts';
import { compileGlob } from '../../../core/filters/match.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';

/** `*` stands for the resources with a field table, which are polled by default. */
const shapesOf = (glob: string) =>
  eventTypes
    .filter(({ type }) => compileGlob(glob)(type) && (glob !== '*' || isDescribed(resourceOfType(type))))
    .map((one) => eventShape(one));
const record = (fields: object) => ({ data: { record: fields } });
const problems = (glob: string, where: object) =>
  findFieldProblems(where, shapesOf(glob)).map(({ path, message }) => `${path}: ${message}`);

describe('a field that no event has', () => {
  it.each<readonly [string, object, string]>([
    ['task.*', record({ severty: ['P1'] }), "data.record.severty: unknown field 'severty', did you mean 'severity'?"],
    ['*', record({ severty: ['P1'] }), "data.record.severty: unknown field 'severty', did you mean 'severity'?"],
    ['task.*', { record: { severity: ['P1'] } }, "record: unknown field 'record', did you mean 'data.record'?"],
    ['task.*', { severity: ['P1'] }, "severity: unknown field 'severity', did you mean 'data.record.severity'?"],
    [
      'task.*',
      { data: { status: ['Closed'] } },
      "data.status: unknown field 'status', did you mean 'data.record.status'?",
    ],
    [
      'task.*',
      { 'data.record.statsu': ['Closed'] },
      "data.record.statsu: unknown field 'statsu', did you mean 'status'?",
    ],
    ['task.*', { data: { recrod: { status: ['x'] } } }, "data.recrod: unknown field 'recrod', did you mean 'record'?"],
    [
      'invoice.*',
      record({ totl: [{ numeric: ['>', 5] }] }),
      "data.record.totl: unknown field 'totl', did you mean 'total'?",
    ],
    [
      'task.*',
      record({ assigneid: [{ exists: false }] }),
      "data.record.assigneid: unknown field 'assigneid', did you mean 'assigneeid'?",
    ],
    [
      'task.*',
      { data: { previous: { status: ['Open'] } } },
      "data.previous.status: unknown field 'status', did you mean 'data.record.status'?",
    ],
    [
      'task.*',
      { data: { changes: { feild: ['datedue'] } } },
      "data.changes.feild: unknown field 'feild', did you mean 'field'?",
    ],
    ['task.*', { data: { by: { nme: ['Ann'] } } }, "data.by.nme: unknown field 'nme', did you mean 'name'?"],
    ['task.*', { typ: ['task.closed'] }, "typ: unknown field 'typ', did you mean 'type'?"],
    ['client.*', record({ nmae: ['Acme'] }), "data.record.nmae: unknown field 'nmae', did you mean 'name'?"],
    [
      'task.*',
      record({ status: { name: ['x'] } }),
      "data.record.status.name: expected a list of alternatives: 'status' has no fields",
    ],
    ['task.*', record({ zzz: ['x'] }), "data.record.zzz: unknown field 'zzz', see docs/fields.md"],
    [
      'task.*',
      { data: ['x'] },
      "data: expected fields such as version, record, previous, changes: 'data' has no value of its own",
    ],
    [
      'task.*',
      record({ $or: [{ severity: ['P1'] }, { priorty: [1] }] }),
      "data.record.priorty: unknown field 'priorty', did you mean 'priority'?",
    ],
    ['source.*', record({ stat: ['ok'] }), "data.record.stat: unknown field 'stat', did you mean 'state'?"],
  ])('%s with %j', (glob, where, expected) => expect(problems(glob, where)).toEqual([expected]));
});

describe('a value that never occurs', () => {
  it.each<readonly [string, object, string]>([
    [
      'task.*',
      record({ projectid: [7] }),
      "data.record.projectid: expected text in quotes such as '7': ids and texts are text, got 7",
    ],
    [
      'task.*',
      record({ assigneeid: ['5', 6] }),
      "data.record.assigneeid: expected text in quotes such as '6': ids and texts are text, got 6",
    ],
    [
      'task.*',
      record({ id: [12] }),
      "data.record.id: expected text in quotes such as '12': ids and texts are text, got 12",
    ],
    ['task.*', record({ priority: ['1'] }), "data.record.priority: expected a number without quotes, got '1'"],
    ['invoice.*', record({ total: ['500'] }), "data.record.total: expected a number without quotes, got '500'"],
    ['project.*', record({ active: ['t'] }), "data.record.active: expected true or false, got 't'"],
    [
      'task.*',
      record({ assigneeid: [null] }),
      'data.record.assigneeid: expected { exists: false } for an empty list, got null',
    ],
    [
      'task.*',
      record({ datedue: ['14.11.2026'] }),
      "data.record.datedue: expected a date such as '2026-11-14', got '14.11.2026'",
    ],
    ['task.*', { type: ['task.closd'] }, "type: unknown value 'task.closd', did you mean 'task.closed'?"],
    ['task.closed', { type: ['invoice.paid'] }, "type: expected one of 'task.closed', got 'invoice.paid'"],
    ['task.*', { source: ['main'] }, "source: expected the address of a source such as '/sources/main', got 'main'"],
    ['task.*', { subject: ['12'] }, "subject: expected a subject such as 'task/12', got '12'"],
    ['task.*', { data: { cause: ['pol'] } }, "data.cause: unknown value 'pol', did you mean 'poll'?"],
    [
      'task.*',
      { data: { changes: { field: ['staus'] } } },
      "data.changes.field: unknown value 'staus', see docs/fields.md",
    ],
    [
      'task.*',
      { data: { changes: { field: ['status'] } } },
      "data.changes.field: unknown value 'status', did you mean 'statusid'?",
    ],
    [
      'task.*',
      record({ projectid: [{ numeric: ['>', 3] }] }),
      'data.record.projectid: expected texts: this field is text, and numeric matches numbers only',
    ],
    [
      'invoice.*',
      record({ total: [{ prefix: '5' }] }),
      'data.record.total: expected numbers or true and false: this field is not text',
    ],
    [
      'task.*',
      record({ projectid: [{ 'anything-but': 7 }] }),
      'data.record.projectid: expected a value that occurs, because anything-but excludes nothing here, got 7',
    ],
    [
      'subscription.*',
      record({ state: ['broken'] }),
      "data.record.state: expected one of 'ok', 'failing', 'disabled', 'paused', got 'broken'",
    ],
  ])('%s with %j', (glob, where, expected) => expect(problems(glob, where)).toEqual([expected]));

  it('is reported together with unknown fields', () => {
    expect(problems('task.*', record({ severty: ['P1'], projectid: [7] }))).toHaveLength(2);
  });
});

describe('a filter that can match', () => {
  it.each<readonly [string, object]>([
    ['task.*', record({ status: ['Closed'], projectid: ['12'] })],
    // Hidden from Executives, but documented.
    ['task.*', record({ assigneeid: ['5'], owners: [{ prefix: 'Ann' }] })],
    ['project.*', record({ budget: [{ numeric: ['>', 100] }], description: [{ wildcard: '*x*' }] })],
    ['*', { type: [{ 'anything-but': { suffix: '.updated' } }] }],
    ['*', record({ $or: [{ severity: ['P1'] }, { balance: [{ numeric: ['>', 500] }] }] })],
    ['task.*', { data: { changes: { field: ['estimate'], to: [{ numeric: ['>', 8] }] } } }],
    ['task.*', { data: { previous: { statusid: ['2'] } } }],
    ['task.*', { data: { changes: { field: ['assigneeid'], to: [{ exists: false }] } } }],
    ['task.*', record({ client: [null], clientid: [{ 'anything-but': null }] })],
    ['invoice.*', { source: ['/sources/main'], subject: [{ prefix: 'invoice/' }] }],
    // The API does not document these records: any field may exist.
    ['milestone.*', record({ whatever: ['x'] })],
    ['client.*', record({ vatnumber: ['DE1'] })],
    ['document.*', record({ versioncount: [2] })],
    ['task.*', { data: { by: { name: ['Ann Vogt'] } }, test: [{ exists: false }] }],
    ['source.*', record({ name: ['main'], state: ['other_account'] })],
  ])('%s with %j', (glob, where) => expect(problems(glob, where)).toEqual([]));

  it('is not suspected for any value of any example', () => {
    for (const type of eventTypes) {
      const event = exampleEvent(type);
      const where = event === undefined ? undefined : patternOf(event);
      if (where !== undefined)
        expect([type.type, findFieldProblems(where, [eventShape(type)])]).toEqual([type.type, []]);
    }
  });

  it('may use an undocumented field that stored records have', () => {
    const [type] = eventTypes.filter((one) => one.type === 'task.closed');
    const shape = type && eventShape(type, { task: ['timerid'] });
    expect(findFieldProblems(record({ timerid: ['4'] }), shape === undefined ? [] : [shape])).toEqual([]);
  });
});

/** A pattern that names each plain value of the record, of lists of plain values the first. */
function patternOf({ type, source, subject, data }: TidingsEvent): object | undefined {
  const fields = Object.entries(data.record).flatMap(([field, value]) => {
    const one: unknown = Array.isArray(value) ? value[0] : value;
    return one === undefined || (typeof one === 'object' && one !== null) ? [] : [[field, [one]] as const];
  });
  return { type: [type], source: [source], subject: [subject], ...record(Object.fromEntries(fields)) };
}

describe('a custom event type', () => {
  const custom = (resource: string, when: object) =>
    findFieldProblems(when, [customRecordShape(resource)]).map(({ path, message }) => `${path}: ${message}`);

  it.each<readonly [object, readonly string[]]>([
    [{ staus: ['In Client Review'] }, ["staus: unknown field 'staus', did you mean 'status'?"]],
    [{ stage: { overdu: [true] } }, ["stage.overdu: unknown field 'overdu', did you mean 'overdue'?"]],
    [{ stage: { overdue: ['yes'] } }, ["stage.overdue: expected true or false, got 'yes'"]],
    [{ data: { record: { status: ['x'] } } }, ["data: unknown field 'data', did you mean 'status'?"]],
    [{ statusid: [4] }, ["statusid: expected text in quotes such as '4': ids and texts are text, got 4"]],
    [{ status: ['In Client Review'], stage: { overdue: [true] } }, []],
  ])('%j', (when, expected) => expect(custom('task', when)).toEqual(expected));

  it('of a resource without documented fields may use any', () => {
    expect(custom('milestone', { title: ['Launch'] })).toEqual([]);
  });
});
