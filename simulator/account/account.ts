/**
 * The account as its users see it: they read, create, update and delete records, log time and record payments.
 * Applies the same rules as writes over HTTP, without requests, tokens or network.
 */
import { invalid, noRecord } from '../request-error.ts';
import { resourceNamed, type TableName } from '../resources/catalogue.ts';
import type { Resource, Role, Viewer } from '../resources/resource.ts';
import { fieldsFor, type Style, toValues, type WireRecord } from '../resources/wire.ts';
import { Changes, type Notification, type WriteContext } from './changes.ts';
import type { Clock } from './clock.ts';
import type { Data } from './data.ts';
import { formatDay } from './days.ts';
import { formatHundredths } from './decimals.ts';
import { type Body, readCreate, readUpdate } from './input.ts';
import { balance } from './invoices.ts';
import { Journal } from './journal.ts';
import type { Row } from './records.ts';
import { rulesOf } from './rules/rule-book.ts';
import { readQuery, Selector } from './select.ts';

export interface WriteOptions {
  /** Person who does it. @default 1, the primary account holder */
  by?: number | string;
  /** Role in which they do it. @default - that of their group */
  role?: Role;
  /** Write automatic notes on tasks and milestones. @default true */
  notes?: boolean;
  /** Send mail to the people concerned. @default false */
  notify?: boolean;
}

/** Simulated user activity; see people/life.ts. */
export interface UserActivity {
  /** Performs all actions that are due. */
  catchUp(): void;
  /** Performs one action now. */
  step(): void;
  paused: boolean;
}

const ROLE_OF_GROUP: readonly Role[] = ['Administrator', 'Manager', 'Resource', 'Executive'];

export class Account {
  readonly data: Data;
  readonly clock: Clock;
  readonly selector = new Selector();
  readonly #style: Style;
  readonly #journal = new Journal();
  readonly #changes: Changes;
  life: UserActivity | undefined;

  constructor(data: Data, style: Style) {
    this.data = data;
    this.clock = data.clock;
    this.#style = style;
    this.#changes = new Changes(data, this.#journal, style);
  }

  get timeZone(): string {
    return this.data.timeZone;
  }

  /** What happened so far. */
  get journal(): Journal {
    this.settle();
    return this.#journal;
  }

  /** Mail that would have gone out. */
  get notifications(): readonly Notification[] {
    return this.#changes.notifications;
  }

  /** Today in the account's zone, as YYYY-MM-DD. */
  today(): string {
    return formatDay(this.data.today());
  }

  /** Performs the simulated user actions that are due, so that a read sees them. */
  settle(): void {
    this.life?.catchUp();
  }

  /** Performs this many simulated user actions now, whatever the pace. */
  live(steps = 1): void {
    if (this.life === undefined) throw new RangeError('account: no simulated activity is configured');
    this.settle();
    for (let step = 0; step < steps; step++) this.life.step();
  }

  create(resource: TableName, body: Body, options: WriteOptions = {}): WireRecord {
    this.settle();
    return this.#read(resourceNamed(resource), this.perform(resource, 'create', undefined, body, this.act(options)));
  }

  update(resource: TableName, id: number | string, body: Body, options: WriteOptions = {}): WireRecord {
    this.settle();
    return this.#read(resourceNamed(resource), this.perform(resource, 'update', Number(id), body, this.act(options)));
  }

  remove(resource: TableName, id: number | string, options: WriteOptions = {}): void {
    this.settle();
    this.perform(resource, 'remove', Number(id), {}, this.act(options));
  }

  /** The same change to many records, one after the other in the same instant. */
  bulkEdit(resource: TableName, ids: readonly (number | string)[], body: Body, options: WriteOptions = {}): void {
    this.settle();
    this.clock.still(() => {
      for (const id of ids) this.perform(resource, 'update', Number(id), body, this.act(options));
    });
  }

  rename(resource: 'client' | 'project', id: number | string, name: string, options: WriteOptions = {}): WireRecord {
    return this.update(resource, id, { name }, options);
  }

  /** Pays an invoice: all that is owed, or an amount; a negative one takes money back. */
  pay(invoice: number | string, amount?: number | string, options: WriteOptions = {}): WireRecord {
    this.settle();
    const row = this.data.invoice.get(Number(invoice));
    if (row === undefined) throw noRecord('invoice', invoice);
    const owed = amount ?? formatHundredths(balance(row));
    return this.create('payment', { invoiceid: row.id, date: this.today(), amount: owed }, options);
  }

  /** Sets when a task was last modified, as an import or a restored backup does. */
  backdate(task: number | string, instant: number, options: WriteOptions = {}): void {
    this.settle();
    const row = this.data.task.get(Number(task));
    if (row === undefined) throw noRecord('task', task);
    const act = this.act(options);
    this.clock.still(() =>
      act.changes.updated('task', row, act, () => {
        row.modified = Math.floor(instant / 1000);
      }),
    );
  }

  logTime(task: number | string, hours: number | string, options: WriteOptions = {}): WireRecord {
    return this.create('time', { taskid: task, date: this.today(), time: hours }, options);
  }

  /** One record as a role reads it, or undefined. @default role Administrator */
  read(resource: TableName, id: number | string, role: Role = 'Administrator'): WireRecord | undefined {
    this.settle();
    const row = resourceNamed(resource).rows(this.data).get(Number(id));
    return row === undefined ? undefined : this.#read(resourceNamed(resource), row, role);
  }

  /** Records that match the filters of the API, all of them unless `limit` says otherwise. */
  list(resource: TableName, filters: Record<string, string> = {}, role: Role = 'Administrator'): WireRecord[] {
    this.settle();
    const definition = resourceNamed(resource);
    const viewer = { personid: 0, role, restricted: false };
    const rows = definition.rows(this.data);
    const params = new URLSearchParams({ limit: String(rows.count), ...filters });
    const query = readQuery(definition, params, viewer, this.data);
    const { slots } = this.selector.select(definition, query, viewer, this.data);
    return slots.map((slot) => this.#read(definition, rows.at(slot), role));
  }

  count(resource: TableName): number {
    this.settle();
    return resourceNamed(resource).rows(this.data).count;
  }

  /** Role of a person by their group; undefined for contacts who cannot log in. */
  roleOf(personid: number): Role | undefined {
    const groupid = this.data.person.get(personid)?.groupid;
    return groupid == null ? undefined : ROLE_OF_GROUP[groupid - 1];
  }

  act(options: WriteOptions): WriteContext {
    const by = Number(options.by ?? 1);
    if (this.data.person.get(by) === undefined) throw invalid('by', `there is no person with id ${by}`);
    return {
      changes: this.#changes,
      data: this.data,
      by,
      role: options.role ?? this.roleOf(by) ?? 'Executive',
      notes: options.notes ?? true,
      notify: options.notify ?? false,
    };
  }

  /** Applies the rules of a write and returns the record written. */
  perform(
    name: TableName,
    verb: 'create' | 'update' | 'remove',
    id: number | undefined,
    body: Body,
    act: WriteContext,
  ): Row {
    const rules = rulesOf(name);
    if (rules === undefined) throw invalid(name, 'records of this resource cannot be written');
    const resource = resourceNamed(name);
    return this.clock.still(() => {
      if (verb === 'create') return rules.create(readCreate(resource, body, this.data), act);
      const row = resource.rows(this.data).get(id ?? 0);
      if (row === undefined) throw noRecord(name, id ?? 0);
      if (verb === 'update') rules.update(row, readUpdate(resource, body, this.data), act);
      else rules.remove(row, act);
      return row;
    });
  }

  #read(resource: Resource, row: Row, role: Role = 'Administrator'): WireRecord {
    const viewer: Viewer = { personid: 0, role, restricted: false };
    return toValues(fieldsFor(resource, role, 'list'), row, { data: this.data, viewer, style: this.#style });
  }
}
