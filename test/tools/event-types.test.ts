import type {
  InvoicePaid,
  RecordUpdated,
  TaskAssigned,
  TaskOverdue,
  TaskRecord,
  TidingsEvents,
  Value,
} from 'tidings/events';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import type { TabledName } from '../../core/resources/catalogue.ts';
import type { RecordOf } from '../../core/resources/record-types.ts';
import { eventTypings } from '../../tools/event-types.ts';

type Of<Type extends TidingsEvents['type']> = Extract<TidingsEvents, { type: Type }>;

describe('tidings/events', () => {
  it('tells by type which event it is', () => {
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
          expectTypeOf(event.data.details.added).toEqualTypeOf<readonly string[]>();
          return event.data.details.addedNames;
        case 'invoice.settled_late':
          expectTypeOf(event.data.details).toEqualTypeOf<{ readonly days: number }>();
          expectTypeOf(event.data.record.balance).toEqualTypeOf<number | null | undefined>();
          expectTypeOf(event.data.previous.balance).toEqualTypeOf<number | null | undefined>();
          return event.data.details.days;
        case 'task.overdue':
          expectTypeOf(event.data.details).toEqualTypeOf<undefined>();
          expectTypeOf(event.data.record).not.toHaveProperty('balance');
          return event.data.record.datedue;
        case 'source.unreachable':
          expectTypeOf(event.data.record.state).toEqualTypeOf<'ok' | 'unreachable' | 'unauthorized' | undefined>();
          return event.data.record.reason;
        case 'milestone.updated':
          expectTypeOf(event.data.record.id).toEqualTypeOf<string>();
          expectTypeOf(event.data.record.name).toEqualTypeOf<Value | undefined>();
          return event.data.record.name;
        default:
          return event.type;
      }
    };
    const examples = eventTypes.map((eventType) => [eventType.type, exampleEvent(eventType)] as const);
    const told = new Map(examples.map(([type, event]) => [type, read(event as TidingsEvents)]));
    expect(told.get('task.assigned')).toEqual(['Ann Vogt']);
    expect(told.get('invoice.settled_late')).toBe(9);
    expect(told.get('task.overdue')).toBe('2026-11-20');
    expect(told.get('milestone.updated')).toBe('A milestone');
  });

  it('has a record for each table, with the very types the code itself uses', () => {
    expectTypeOf<Omit<TaskRecord, 'id'>>().toEqualTypeOf<Omit<RecordOf<'task'>, 'id'>>();
    expectTypeOf<Omit<InvoicePaid['data']['record'], 'id'>>().toEqualTypeOf<Omit<RecordOf<'invoice'>, 'id'>>();
    expectTypeOf<`${TabledName}.created`>().toExtend<TidingsEvents['type']>();
  });

  it('declares every type once', () => {
    const declared = [...eventTypings().matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toEqual(
      expect.arrayContaining(['TaskOverdue', 'InvoicePaid', 'SourceMassDisappearance', 'TidingsEvents']),
    );
  });
});
