/**
 * Tasks in columns: a million of them in about 80 MB, read and changed through views that look like records.
 * Holds values only; what a change of a task means is for its rules.
 */
import { InternedLists, PhrasedTexts } from './interned.ts';
import { LiveSlots } from './live-slots.ts';
import type { TaskRow } from './records.ts';
import type { Rows } from './table.ts';

/** Stands for null in a column of days. */
const NO_DAY = -0x8000_0000;

/** One typed array per value; 0 stands for null in a column of ids. */
function emptyColumns(size: number) {
  return {
    localid: new Uint32Array(size),
    queueid: new Uint32Array(size),
    assignees: new Uint32Array(size),
    followers: new Uint32Array(size),
    owners: new Uint32Array(size),
    statusid: new Uint16Array(size),
    projectid: new Uint32Array(size),
    moduleid: new Uint16Array(size),
    milestoneid: new Uint32Array(size),
    priorityid: new Uint16Array(size),
    title: new Uint32Array(size),
    summary: new Uint32Array(size),
    dateopen: new Int32Array(size),
    datedue: new Int32Array(size),
    dateclosed: new Int32Array(size),
    datecreated: new Int32Array(size),
    estimate: new Uint32Array(size),
    billable: new Uint32Array(size),
    unbillable: new Uint32Array(size),
    modified: new Uint32Array(size),
  };
}

type Columns = ReturnType<typeof emptyColumns>;

/** Values of a generated task whose texts are phrase numbers. */
export type PhrasedTask = Omit<TaskRow, 'id' | 'title' | 'summary'> & { title: number; summary: number };

export class TaskTable implements Rows<TaskRow> {
  readonly #live = new LiveSlots();
  readonly #cursor: TaskView;
  readonly lists = new InternedLists();
  readonly titles: PhrasedTexts;
  readonly summaries: PhrasedTexts;
  columns: Columns;

  constructor(titles: (code: number) => string, summaries: (code: number) => string, expected = 1000) {
    this.titles = new PhrasedTexts(titles);
    this.summaries = new PhrasedTexts(summaries);
    this.columns = emptyColumns(Math.max(16, expected));
    this.#cursor = new TaskView(this, 0);
  }

  get slots(): number {
    return this.#live.slots;
  }

  get count(): number {
    return this.#live.count;
  }

  has(slot: number): boolean {
    return this.#live.has(slot);
  }

  at(slot: number): TaskRow {
    this.#cursor.slot = slot;
    return this.#cursor;
  }

  nth(n: number): number {
    return this.#live.nth(n);
  }

  slotOf(id: number): number {
    return id - 1;
  }

  get(id: number): TaskRow | undefined {
    return this.has(id - 1) ? new TaskView(this, id - 1) : undefined;
  }

  add(row: Omit<TaskRow, 'id'>): TaskRow {
    return this.addPhrased({ ...row, title: this.titles.code(row.title), summary: this.summaries.code(row.summary) });
  }

  addPhrased(row: PhrasedTask): TaskRow {
    const slot = this.#live.add();
    if (slot >= this.columns.localid.length) this.#grow();
    const view = new TaskView(this, slot);
    const { title, summary, ...rest } = row;
    Object.assign(view, rest);
    this.columns.title[slot] = title;
    this.columns.summary[slot] = summary;
    return view;
  }

  delete(id: number): void {
    this.#live.clear(id - 1);
  }

  #grow(): void {
    const grown = emptyColumns(this.columns.localid.length * 2);
    for (const name of Object.keys(grown) as (keyof Columns)[]) grown[name].set(this.columns[name]);
    this.columns = grown;
  }
}

class TaskView implements TaskRow {
  readonly #table: TaskTable;
  slot: number;

  constructor(table: TaskTable, slot: number) {
    this.#table = table;
    this.slot = slot;
  }

  get id(): number {
    return this.slot + 1;
  }

  get title(): string {
    return this.#table.titles.text(this.#table.columns.title[this.slot] ?? 0);
  }
  set title(text: string) {
    this.#table.columns.title[this.slot] = this.#table.titles.code(text);
  }
  get summary(): string {
    return this.#table.summaries.text(this.#table.columns.summary[this.slot] ?? 0);
  }
  set summary(text: string) {
    this.#table.columns.summary[this.slot] = this.#table.summaries.code(text);
  }

  get assignees(): readonly number[] {
    return this.#table.lists.list(this.#table.columns.assignees[this.slot] ?? 0);
  }
  set assignees(list: readonly number[]) {
    this.#table.columns.assignees[this.slot] = this.#table.lists.code(list);
  }
  get followers(): readonly number[] {
    return this.#table.lists.list(this.#table.columns.followers[this.slot] ?? 0);
  }
  set followers(list: readonly number[]) {
    this.#table.columns.followers[this.slot] = this.#table.lists.code(list);
  }
  get owners(): readonly number[] {
    return this.#table.lists.list(this.#table.columns.owners[this.slot] ?? 0);
  }
  set owners(list: readonly number[]) {
    this.#table.columns.owners[this.slot] = this.#table.lists.code(list);
  }

  declare queueid: number | null;
  declare milestoneid: number | null;
  declare datedue: number | null;
  declare dateclosed: number | null;
  declare localid: number;
  declare statusid: number;
  declare projectid: number;
  declare moduleid: number;
  declare priorityid: number;
  declare dateopen: number;
  declare datecreated: number;
  declare estimate: number;
  declare billable: number;
  declare unbillable: number;
  declare modified: number;

  /** For the plain columns below, whose accessors are all alike. */
  static column(name: keyof Columns, absent: number | undefined): PropertyDescriptor {
    return {
      get(this: TaskView): number | null {
        const value = this.#table.columns[name][this.slot] ?? 0;
        return value === absent ? null : value;
      },
      set(this: TaskView, value: number | null) {
        this.#table.columns[name][this.slot] = value ?? absent ?? 0;
      },
    };
  }
}

const plain = [
  'localid',
  'statusid',
  'projectid',
  'moduleid',
  'priorityid',
  'dateopen',
  'datecreated',
  'estimate',
  'billable',
  'unbillable',
  'modified',
] as const;
for (const name of plain) Object.defineProperty(TaskView.prototype, name, TaskView.column(name, undefined));
for (const name of ['queueid', 'milestoneid'] as const)
  Object.defineProperty(TaskView.prototype, name, TaskView.column(name, 0));
for (const name of ['datedue', 'dateclosed'] as const)
  Object.defineProperty(TaskView.prototype, name, TaskView.column(name, NO_DAY));
