/**
 * The only way to change a record: every creation, update and deletion is counted and journaled here.
 * Applies no rules; the rules call it, also for records that change as a consequence.
 */
import { resourceNamed, type TableName } from '../resources/catalogue.ts';
import { fieldsFor, type Style, toValues, type WireRecord } from '../resources/wire.ts';
import type { Data } from './data.ts';
import type { Journal } from './journal.ts';
import type { Row } from './records.ts';

/** Who does something, and how. */
export interface WriteContext {
  readonly changes: Changes;
  readonly data: Data;
  readonly by: number;
  readonly role: 'Administrator' | 'Manager' | 'Resource' | 'Executive';
  /** Write automatic notes on tasks and milestones. */
  readonly notes: boolean;
  /** Send mail to the people concerned. */
  readonly notify: boolean;
}

export interface Notification {
  at: string;
  to: string;
  subject: string;
}

export class Changes {
  readonly #data: Data;
  readonly #journal: Journal;
  readonly #style: Style;
  /** Mail that would have gone out, newest last. */
  readonly notifications: Notification[] = [];

  constructor(data: Data, journal: Journal, style: Style) {
    this.#data = data;
    this.#journal = journal;
    this.#style = style;
  }

  created<R extends Row>(name: TableName, row: R, act: WriteContext): R {
    this.#data.history?.note(this.#data.clock.now(), name, row.id, undefined);
    this.#note(name, row.id, act, null, this.#read(name, row));
    return row;
  }

  updated(name: TableName, row: Row, act: WriteContext, change: () => void): void {
    const before = this.#read(name, row);
    this.#data.history?.note(this.#data.clock.now(), name, row.id, this.#copy(name, row));
    change();
    this.#note(name, row.id, act, before, this.#read(name, row));
  }

  /** Removes the row from its table, too. */
  deleted(name: TableName, row: Row, act: WriteContext): void {
    const before = this.#read(name, row);
    this.#data.history?.note(this.#data.clock.now(), name, row.id, this.#copy(name, row));
    this.#data[name].delete(row.id);
    this.#note(name, row.id, act, before, null);
  }

  notify(act: WriteContext, people: readonly number[], subject: string): void {
    if (!act.notify) return;
    const at = new Date(this.#data.clock.now()).toISOString();
    for (const id of people) {
      const to = this.#data.person.get(id)?.email;
      // People get no mail about their own changes.
      if (to && id !== act.by) this.notifications.push({ at, to, subject });
    }
  }

  #note(name: TableName, id: number, act: WriteContext, before: WireRecord | null, after: WireRecord | null): void {
    this.#data.changed(name, id);
    this.#journal.note({ at: this.#data.clock.now(), by: act.by, resource: name, id, before, after });
  }

  /** A task is a view of its columns. */
  #copy(name: TableName, row: Row): Row {
    return name === 'task' ? this.#data.task.copy(row.id) : structuredClone(row);
  }

  /** The record as an Administrator reads it now. */
  #read(name: TableName, row: Row): WireRecord {
    const viewer = { personid: 0, role: 'Administrator', restricted: false } as const;
    const reader = { data: this.#data, viewer, style: this.#style };
    return toValues(fieldsFor(resourceNamed(name), 'Administrator', 'list'), row, reader);
  }
}
