import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveEvents } from '../../../core/events/derive.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { NOON, snapshot } from '../../samples.ts';

const derive = (before: Snapshot | null, after: Snapshot) => deriveEvents({ before, after });
const types = (before: Snapshot | null, after: Snapshot) => derive(before, after).map(({ type }) => type);

const open = snapshot('1');
const closed = snapshot('1', {
  version: 2,
  stage: { closed: true },
  record: { ...open.record, status: 'Closed', dateclosed: '2026-11-14' },
  occurred: { after: '2026-11-14T11:55:00.000Z', before: NOON },
});

describe('deriveEvents', () => {
  it.each([
    ['created when a task is new to us', null, open, ['task.created']],
    ['created and closed when both happened between two polls', null, closed, ['task.created', 'task.closed']],
    ['closed when it closes, and updated', open, closed, ['task.closed', 'task.updated']],
    ['nothing when it stays closed', closed, { ...closed, version: 3 }, []],
    ['reopened when it reopens', closed, { ...open, version: 3 }, ['task.reopened', 'task.updated']],
    ['deleted when it goes', open, { ...open, version: 2, deletedAt: NOON }, ['task.deleted']],
    ['restored when it is back', { ...open, deletedAt: NOON }, { ...open, version: 3 }, ['task.restored']],
    ['nothing when it stays deleted', { ...open, deletedAt: NOON }, { ...open, version: 3, deletedAt: NOON }, []],
    [
      'nothing when only the project was renamed',
      open,
      { ...open, version: 2, record: { ...open.record, project: 'B' } },
      [],
    ],
    ['nothing from a baseline', null, { ...closed, cause: 'baseline' as const }, []],
  ])('%s', (_, before, after, expected) => {
    expect(types(before, after)).toEqual(expected);
  });

  it('closes again after reopening, under another id', () => {
    const reopened = { ...open, version: 3 };
    const closedAgain = { ...closed, version: 4 };
    const [first] = derive(open, closed);
    const [second] = derive(reopened, closedAgain);
    expect(second?.type).toBe('task.closed');
    expect(second?.id).not.toBe(first?.id);
  });

  it('builds a CloudEvents envelope with previous values, changes and the time window', () => {
    expect(derive(open, closed).slice(0, 1)).toEqual([
      {
        specversion: '1.0',
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'task.closed',
        source: '/sources/main',
        subject: 'task/1',
        time: NOON,
        datacontenttype: 'application/json',
        dataschema: 'https://tidings.example/schema/events/task.closed.json#/$defs/data',
        data: {
          version: 2,
          record: closed.record,
          previous: { dateclosed: null },
          changes: [{ field: 'dateclosed', from: null, to: '2026-11-14' }],
          occurred: { after: '2026-11-14T11:55:00.000Z', before: NOON },
          cause: 'poll',
        },
      },
    ]);
  });

  it('derives stable ids that are unique within any history', () => {
    const step = fc.record({ id: fc.integer({ min: 1, max: 3 }).map(String), closed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const latest = new Map<string, Snapshot>();
        const ids = steps.flatMap(({ id, closed }) => {
          const before = latest.get(id) ?? null;
          const after = snapshot(id, { version: (before?.version ?? 0) + 1, stage: { closed } });
          latest.set(id, after);
          const events = derive(before, after).map(({ id }) => id);
          expect(derive(before, structuredClone(after)).map(({ id }) => id)).toEqual(events);
          return events;
        });
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

describe('terminal facts', () => {
  const task = fc.record({ closed: fc.boolean(), gone: fc.boolean() });
  const invoice = fc.record({ paid: fc.boolean(), gone: fc.boolean() });

  /** The event types that a sequence of states causes. */
  const typesOf = (states: readonly Snapshot[]) =>
    states.slice(1).flatMap((after, index) => derive(states[index] ?? null, after).map(({ type }) => type));

  const asTask = ({ closed, gone }: { closed: boolean; gone: boolean }, version: number): Snapshot =>
    snapshot('1', {
      version,
      record: { id: '1', status: closed ? 'Closed' : 'Open', statusid: closed ? '7' : '1' },
      stage: { closed },
      deletedAt: gone ? NOON : null,
    });

  const asInvoice = ({ paid, gone }: { paid: boolean; gone: boolean }, version: number): Snapshot =>
    snapshot('1', {
      version,
      key: { source: 'main', resource: 'invoice', id: '1' },
      record: { id: '1', total: 10, payments: paid ? 10 : 0, balance: paid ? 0 : 10 },
      stage: { owed: !paid },
      deletedAt: gone ? NOON : null,
    });

  it('are not lost when a state in between is missed', () => {
    const holds = (a: Snapshot, b: Snapshot, c: Snapshot, fact: string) => {
      // A deleted record causes no events until it is restored.
      if (typesOf([a, c]).includes(fact) && b.deletedAt === null) expect(typesOf([a, b, c])).toContain(fact);
    };
    fc.assert(
      fc.property(task, task, task, (a, b, c) => {
        for (const fact of ['task.closed', 'task.deleted']) holds(asTask(a, 1), asTask(b, 2), asTask(c, 3), fact);
      }),
    );
    fc.assert(
      fc.property(invoice, invoice, invoice, (a, b, c) => {
        for (const fact of ['invoice.paid', 'invoice.deleted'])
          holds(asInvoice(a, 1), asInvoice(b, 2), asInvoice(c, 3), fact);
      }),
    );
  });

  it('are sent for a record that was changed while it was deleted', () => {
    const went = asTask({ closed: false, gone: false }, 1);
    const gone = { ...went, version: 2, deletedAt: NOON };
    const back = asTask({ closed: true, gone: false }, 3);
    expect(typesOf([went, gone, back])).toEqual([
      'task.deleted',
      'task.closed',
      'task.status_changed',
      'task.restored',
    ]);
  });

  it('are not sent for a record that was restored unchanged', () => {
    const went = asTask({ closed: true, gone: false }, 1);
    expect(typesOf([went, { ...went, version: 2, deletedAt: NOON }, { ...went, version: 3 }])).toEqual([
      'task.deleted',
      'task.restored',
    ]);
  });
});

describe('invoices', () => {
  const state = (version: number, change: object): Snapshot => {
    const record = {
      id: '1',
      total: 100,
      payments: 0,
      balance: 100,
      datedue: '2026-11-10',
      datepaid: null,
      status: 'outstanding',
      ...change,
    };
    return snapshot('1', {
      version,
      key: { source: 'main', resource: 'invoice', id: '1' },
      record,
      stage: { owed: record.balance > 0 },
    });
  };

  it.each<[string, object, object, string[]]>([
    [
      'a part',
      {},
      { payments: 40, balance: 60 },
      ['invoice.payment_received', 'invoice.partially_paid', 'invoice.updated'],
    ],
    [
      'all, in time',
      {},
      { payments: 100, balance: 0, datepaid: '2026-11-09' },
      ['invoice.payment_received', 'invoice.paid', 'invoice.updated'],
    ],
    [
      'all, late',
      {},
      { payments: 100, balance: 0, datepaid: '2026-11-14' },
      ['invoice.payment_received', 'invoice.paid', 'invoice.settled_late', 'invoice.updated'],
    ],
    [
      'the rest',
      { payments: 40, balance: 60 },
      { payments: 100, balance: 0 },
      ['invoice.payment_received', 'invoice.paid', 'invoice.updated'],
    ],
    ['too much', {}, { payments: 120, balance: -20 }, ['invoice.payment_received', 'invoice.paid', 'invoice.updated']],
    [
      'nothing, but the total falls to what was paid',
      { payments: 40, balance: 60 },
      { total: 40, payments: 40, balance: 0 },
      ['invoice.paid', 'invoice.amount_changed', 'invoice.updated'],
    ],
    [
      'taken back',
      { payments: 100, balance: 0, datepaid: '2026-11-09' },
      {},
      ['invoice.payment_reversed', 'invoice.updated'],
    ],
    ['float noise only', { payments: 33.3 }, { payments: 33.300000000000004 }, []],
    ['less than a cent', { total: 100, balance: 100 }, { total: 100.004, balance: 100.004 }, []],
    [
      'all but less than a cent',
      {},
      { payments: 99.996, balance: 0.004 },
      ['invoice.payment_received', 'invoice.paid', 'invoice.updated'],
    ],
    ['nothing: it is empty', { total: 0, balance: 0 }, { total: 0, balance: 0, status: 'paid' }, []],
    [
      'nothing: it was voided',
      {},
      { total: 0, balance: 0, datepaid: '2026-11-14', status: 'paid' },
      ['invoice.amount_changed', 'invoice.updated'],
    ],
    [
      'less than nothing: a credit note is refunded',
      { total: -100, balance: -100 },
      { total: -100, payments: -100, balance: 0, datepaid: '2026-11-14', status: 'paid' },
      ['invoice.updated'],
    ],
    [
      'less than nothing: the refund of a credit note is undone',
      { total: -100, payments: -100, balance: 0, datepaid: '2026-11-14', status: 'paid' },
      { total: -100, balance: -100 },
      ['invoice.updated'],
    ],
    [
      'nothing: an invoice becomes a credit note',
      { payments: 100, balance: 0, datepaid: '2026-11-09' },
      { total: -100, payments: 100, balance: -200, datepaid: '2026-11-09' },
      ['invoice.amount_changed', 'invoice.updated'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(derive(state(1, before), state(2, after)).map(({ type }) => type)).toEqual(expected);
  });

  it.each([
    ['a part', { payments: 40, balance: 60 }, ['invoice.payment_received', 'invoice.partially_paid'], 40],
    ['all', { payments: 100, balance: 0 }, ['invoice.payment_received', 'invoice.paid'], 100],
    ['nothing', {}, [], undefined],
    ['nothing, as a refunded credit note', { total: -100, payments: -40, balance: -60 }, [], undefined],
  ])('say of a new one that it received %s', (_, change, expected, amount) => {
    const events = derive(null, state(1, change));
    expect(events.map(({ type }) => type)).toEqual(['invoice.created', ...expected]);
    const payment = events.find(({ type }) => type === 'invoice.payment_received');
    expect(payment?.data.details?.amount).toBe(amount);
  });

  it('say nothing of the payments of one that may only have become visible', () => {
    const appeared = { ...state(1, { payments: 40, balance: 60 }), appeared: true } as const;
    expect(derive(null, appeared).map(({ type }) => type)).toEqual(['invoice.became_visible']);
  });

  it('send the reminder again when the due date moves to another past day, and not otherwise', () => {
    const late = (version: number, datedue: string, reminder: number): Snapshot => ({
      ...state(version, { datedue }),
      stage: { owed: true, overdue: true, reminder },
    });
    const moved = derive(late(1, '2026-10-01', 30), late(2, '2026-11-05', 7)).map(({ type }) => type);
    expect(moved).toContain('invoice.overdue_reminder');
    expect(derive(late(1, '2026-10-01', 30), late(2, '2026-10-01', 30))).toEqual([]);
    expect(derive(late(1, '2026-10-01', 30), late(2, '2026-11-13', 0)).map(({ type }) => type)).not.toContain(
      'invoice.overdue_reminder',
    );
  });

  it('carry the amount and the delay', () => {
    const events = derive(state(1, { payments: 0.1 }), state(2, { payments: 100, balance: 0, datepaid: '2026-11-14' }));
    expect(events.find(({ type }) => type === 'invoice.payment_received')?.data.details).toEqual({ amount: 99.9 });
    expect(events.find(({ type }) => type === 'invoice.settled_late')?.data.details).toEqual({ days: 4 });
  });
});

describe('people', () => {
  const assigned = (version: number, ids: string[] | undefined) => {
    const task = snapshot('1', { version });
    return ids === undefined
      ? task
      : { ...task, record: { ...task.record, assigneeid: ids, assignees: ids.map((id) => `P${id}`) } };
  };

  it('are compared as sets of added and removed people', () => {
    const [came, went] = derive(assigned(1, ['1', '2']), assigned(2, ['2', '3'])).filter(({ type }) =>
      /assigned/.test(type),
    );
    expect(came).toMatchObject({
      type: 'task.assigned',
      data: { details: { added: ['3'], removed: ['1'], addedNames: ['P3'] } },
    });
    expect(went).toMatchObject({
      type: 'task.unassigned',
      data: { details: { removed: ['1'], removedNames: ['P1'] } },
    });
  });

  it('keep their own names when another one was renamed, is a namesake or has a comma in the name', () => {
    const named = (version: number, assigneeid: string[], assignees: string[]) => {
      const task = snapshot('1', { version });
      return { ...task, record: { ...task.record, assigneeid, assignees } };
    };
    const namesAfter = (ids: string[], names: string[]) =>
      derive(named(1, ['5'], ['Ann Vogt']), named(2, ids, names)).find(({ type }) => type === 'task.assigned')?.data
        .details?.addedNames;
    expect(namesAfter(['5', '9'], ['Ann Smith', 'Zoë Lind'])).toEqual(['Zoë Lind']);
    expect(namesAfter(['5', '9'], ['Ann Vogt', 'Ann Vogt'])).toEqual(['Ann Vogt']);
    expect(namesAfter(['5', '7'], ['Ann Vogt', 'George Eliot', 'PhD'])).toEqual([]);
  });

  it('do not change when a role hides or reveals them', () => {
    expect(types(assigned(1, ['1']), assigned(2, undefined))).toEqual([]);
    expect(types(assigned(1, undefined), assigned(2, ['1']))).toEqual([]);
  });

  it('lists the first of very many people, and the number of the others', () => {
    const many = Array.from({ length: 5000 }, (_, n) => String(1_000_000 + n));
    const before = snapshot('1', { record: { ...open.record, assigneeid: [], assignees: [] } });
    const after = snapshot('1', { version: 2, record: { ...before.record, assigneeid: many, assignees: many } });
    const details = derive(before, after).find(({ type }) => type === 'task.assigned')?.data.details ?? {};
    const added = details.added as readonly string[];
    expect(added.slice(0, -1)).toEqual(many.slice(0, added.length - 1));
    expect(added.at(-1)).toMatch(`[… ${5000 - added.length + 1} more left out; sha256 `);
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(21_000);
  });
});
