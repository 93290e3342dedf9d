/**
 * The interface of a set of rules, and the plain rules for records that store what was sent.
 * Knows no resource by name.
 */
import type { TableName } from '../../resources/catalogue.ts';
import type { WriteContext } from '../changes.ts';
import type { Input } from '../input.ts';
import type { Row } from '../records.ts';
import type { Table } from '../table.ts';

export interface WriteRules<R extends Row = Row> {
  create(input: Input, act: WriteContext): R;
  update(row: R, input: Input, act: WriteContext): void;
  remove(row: R, act: WriteContext): void;
}

/** Values sent, under the names the row keeps them by; a blank text is kept as '', a blank for a name of `solid` changes nothing. */
export function sentValues<R extends Row>(
  input: Input,
  template: Partial<R>,
  solid: readonly string[] = [],
): Partial<R> {
  const sent: Record<string, unknown> = {};
  for (const name of input.names()) {
    const value = input.get(name);
    if (value === null && solid.includes(name)) continue;
    const kept = (template as Record<string, unknown>)[name];
    sent[name] = value === null && typeof kept === 'string' ? '' : value;
  }
  return sent as Partial<R>;
}

/** Rules of records that stand alone: a new one is its blank form with what was sent. */
export function plainRules<R extends Row>(
  name: TableName,
  blank: (act: WriteContext) => Omit<R, 'id'>,
  solid: readonly string[] = [],
): WriteRules<R> {
  return {
    create(input, act) {
      const fresh = blank(act);
      const row = { ...fresh, ...sentValues<R>(input, fresh as unknown as Partial<R>, solid) };
      return act.changes.created(name, tableOf<R>(act, name).add(row), act);
    },
    update(row, input, act) {
      act.changes.updated(name, row, act, () => {
        tableOf<R>(act, name).move(row, () => Object.assign(row, sentValues(input, row, solid)));
      });
    },
    remove(row, act) {
      act.changes.deleted(name, row, act);
    },
  };
}

function tableOf<R extends Row>(act: WriteContext, name: TableName): Table<R> {
  return act.data[name] as unknown as Table<R>;
}

/** Next number people see: one more than the highest given. */
export function nextLocalid(rows: Iterable<{ localid: number }>): number {
  let highest = 0;
  for (const row of rows) highest = Math.max(highest, row.localid);
  return highest + 1;
}
