import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  InvoicePaid,
  RecordUpdated,
  TaskAssigned,
  TaskOverdue,
  TaskRecord,
  TidingsEvents,
  Value,
} from 'tidings/events';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import { isDescribed, resourceOfType, schemaNameOf } from '../../core/events/schema-name.ts';
import type { TabledName } from '../../core/resources/catalogue.ts';
import { generateEventTypes } from '../../tools/event-types.ts';
import type { RecordOf } from '../core/resources/record-of.ts';
import { createProject } from '../kit/project.ts';

type Of<Type extends TidingsEvents['type']> = Extract<TidingsEvents, { type: Type }>;

describe('tidings/events', () => {
  it('narrows the union by type', () => {
    expectTypeOf<Of<'task.overdue'>>().toEqualTypeOf<TaskOverdue>();
    expectTypeOf<Of<'invoice.paid'>>().toEqualTypeOf<InvoicePaid>();
    expectTypeOf<TaskOverdue['type']>().toEqualTypeOf<'task.overdue'>();
    expectTypeOf<'milestone.updated'>().toExtend<RecordUpdated['type']>();
  });

  it('narrows record and details in a switch', () => {
    const read = (event: TidingsEvents): unknown => {
      switch (event.type) {
        case 'task.assigned':
          expectTypeOf(event).toEqualTypeOf<TaskAssigned>();
          expectTypeOf(event.data.record).toEqualTypeOf<TaskRecord>();
          expectTypeOf(event.data.details.added).toEqualTypeOf<string[]>();
          return event.data.details.addedNames;
        case 'invoice.settled_late':
          expectTypeOf(event.data.details).toEqualTypeOf<{ days: number }>();
          expectTypeOf(event.data.record.balance).toEqualTypeOf<number | null | undefined>();
          expectTypeOf(event.data.previous.balance).toEqualTypeOf<number | null | undefined>();
          return event.data.details.days;
        case 'task.overdue':
          expectTypeOf(event.data.details).toEqualTypeOf<undefined>();
          expectTypeOf(event.data.record).not.toHaveProperty('balance');
          return event.data.record.datedue;
        case 'source.unreachable':
          expectTypeOf(event.data.record.state).toEqualTypeOf<
            'ok' | 'unreachable' | 'unauthorized' | 'other_account' | undefined
          >();
          return event.data.record.reason;
        case 'milestone.updated':
          expectTypeOf(event.data.record.id).toEqualTypeOf<string>();
          expectTypeOf(event.data.record.name).toExtend<Value | undefined>();
          return event.data.record.name;
        default:
          return event.type;
      }
    };
    const examples = eventTypes.map((eventType) => [eventType.type, exampleEvent(eventType)] as const);
    const values = new Map(examples.map(([type, event]) => [type, read(event as TidingsEvents)]));
    expect(values.get('task.assigned')).toEqual(['Ann Vogt']);
    expect(values.get('invoice.settled_late')).toBe(9);
    expect(values.get('task.overdue')).toBe('2026-11-20');
    expect(values.get('milestone.updated')).toBe('Example milestone');
  });

  it('declares the records with the types that the code itself uses', () => {
    type Invoice = InvoicePaid['data']['record'];
    expectTypeOf<Omit<TaskRecord, 'id'>>().toExtend<Omit<RecordOf<'task'>, 'id'>>();
    expectTypeOf<keyof TaskRecord>().toEqualTypeOf<keyof RecordOf<'task'>>();
    expectTypeOf<Omit<Invoice, 'id'>>().toExtend<Omit<RecordOf<'invoice'>, 'id'>>();
    expectTypeOf<keyof Invoice>().toEqualTypeOf<keyof RecordOf<'invoice'>>();
    expectTypeOf<`${TabledName}.created`>().toExtend<TidingsEvents['type']>();
  });

  it('declares every type once', async () => {
    const types = await generateEventTypes();
    const declared = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toEqual(
      expect.arrayContaining(['TaskOverdue', 'InvoicePaid', 'SourceMassDisappearance', 'TidingsEvents']),
    );
    expect(declared).toEqual(expect.arrayContaining(['OtherResource', 'OtherRecord', 'Value']));
  });
});

describe('a consumer of tidings/events', () => {
  const project = createProject();
  afterAll(project.remove);

  /** Returns the compiler's messages; empty when the code compiles. */
  async function compile(code: string): Promise<string> {
    const file = project.write('consumer.ts', code);
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const settings = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...settings, file], {
      cwd: project.folder,
    }).catch((error: { readonly stdout: string }) => error);
    return stdout;
  }

  /** Reads the fields that the example of a type has, after narrowing by `type`. */
  function caseFor(eventType: (typeof eventTypes)[number]): string {
    const { type } = eventType;
    const { record, details = {} } = exampleEvent(eventType)?.data ?? {};
    const fields = Object.keys(record ?? {}).map((field) => `event.data.record.${field}`);
    const detailFields = Object.keys(details).map((field) => `event.data.details.${field}`);
    return `    case '${type}':\n      return [${[...fields, ...detailFields].join(', ')}];`;
  }

  const named = eventTypes.filter(({ type }) => isDescribed(resourceOfType(type)));

  it('compiles when it uses every event type', async () => {
    const code = [
      "import type { TidingsEvents } from 'tidings/events';",
      'export function read(event: TidingsEvents): unknown {',
      '  switch (event.type) {',
      ...eventTypes.map(caseFor),
      '  }',
      // Every type has a case above: nothing is left.
      '  event satisfies never;',
      '}',
      'export function common({ data, test, replay, id, subject, time }: TidingsEvents): unknown {',
      "  if (data.cause === 'delivery' || data.cause === 'person') return data.version;",
      "  if (data.cause === 'poll' || data.cause === 'tick') return [data.by?.id, data.by?.name, data.details];",
      '  const change = data.changes[0];',
      '  return [test === true, replay === true, change?.field, change?.from, change?.to, data.occurred.after, data.occurred.before, id, subject, time];',
      '}',
    ].join('\n');
    expect(await compile(code)).toBe('');
  });

  it('accepts the example of every event type, with and without the flags', async () => {
    const names = named.map(({ type }) =>
      schemaNameOf(type).replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    const values = named.map((eventType, index) => {
      const event = exampleEvent(eventType);
      const flagged = { ...event, test: true, data: { ...event?.data, by: { id: '3', name: null } } };
      return `export const e${index}: ${names[index]} = ${JSON.stringify(event)};\nexport const f${index}: ${names[index]} = ${JSON.stringify(flagged)};`;
    });
    expect(await compile([`import type { ${names.join(', ')} } from 'tidings/events';`, ...values].join('\n'))).toBe(
      '',
    );
  });

  it('does not compile with a misspelled field, cause or type', async () => {
    const messages = await compile(
      [
        "import type { TaskOverdue, TidingsEvents } from 'tidings/events';",
        'export const field = (event: TaskOverdue) => event.data.record.dateDue;',
        "export const cause = (event: TidingsEvents) => event.data.cause === 'baseline';",
        "export const type = (event: TidingsEvents) => event.type === 'task.forgotten';",
      ].join('\n'),
    );
    expect(messages.match(/consumer\.ts\(\d+/g)).toEqual([2, 3, 4].map((line) => `consumer.ts(${line}`));
  });
});
