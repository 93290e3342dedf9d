/**
 * Tasks in columns: a million of them in about 80 MB, read and changed through views that look like records.
 * Stores values only; the rules of tasks decide what a change means.
 */
import { InternedLists, PhrasedTexts } from './interned.ts';
import { LiveSlots } from './live-slots.ts';
import type { TaskRow } from './records.ts';
import type { Rows } from './table.ts';
import { emptyColumns, NO_DAY, type StoredTasks } from './task-columns.ts';
import { TaskView } from './task-view.ts';

/** Values of a generated task whose texts are phrase numbers. */
export type PhrasedTask = Omit<TaskRow, 'id' | 'title' | 'summary'> & { title: number; summary: number };

export class TaskTable implements Rows<TaskRow>, StoredTasks {
  readonly #live = new LiveSlots();
  readonly #cursor: TaskView;
  readonly lists = new InternedLists();
  readonly titles: PhrasedTexts;
  readonly summaries: PhrasedTexts;
  columns: StoredTasks['columns'];

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

  /** The values of a task, which do not follow its changes. */
  copy(id: number): TaskRow {
    const view = new TaskView(this, id - 1);
    const names = ['id', ...Object.keys(this.columns)] as (keyof TaskRow)[];
    return Object.fromEntries(names.map((name) => [name, view[name]])) as unknown as TaskRow;
  }

  add(row: Omit<TaskRow, 'id'>): TaskRow {
    return this.addPhrased({ ...row, title: this.titles.code(row.title), summary: this.summaries.code(row.summary) });
  }

  addPhrased(row: PhrasedTask): TaskRow {
    const slot = this.#live.add();
    if (slot >= this.columns.localid.length) this.#grow();
    const to = this.columns;
    to.localid[slot] = row.localid;
    to.queueid[slot] = row.queueid ?? 0;
    to.assignees[slot] = this.lists.code(row.assignees);
    to.followers[slot] = this.lists.code(row.followers);
    to.owners[slot] = this.lists.code(row.owners);
    to.statusid[slot] = row.statusid;
    to.projectid[slot] = row.projectid;
    to.moduleid[slot] = row.moduleid;
    to.milestoneid[slot] = row.milestoneid ?? 0;
    to.priorityid[slot] = row.priorityid;
    to.title[slot] = row.title;
    to.summary[slot] = row.summary;
    to.dateopen[slot] = row.dateopen;
    to.datedue[slot] = row.datedue ?? NO_DAY;
    to.dateclosed[slot] = row.dateclosed ?? NO_DAY;
    to.datecreated[slot] = row.datecreated;
    to.estimate[slot] = row.estimate;
    to.billable[slot] = row.billable;
    to.unbillable[slot] = row.unbillable;
    to.modified[slot] = row.modified;
    return new TaskView(this, slot);
  }

  delete(id: number): void {
    this.#live.clear(id - 1);
  }

  #grow(): void {
    const grown = emptyColumns(this.columns.localid.length * 2);
    for (const name of Object.keys(grown) as (keyof StoredTasks['columns'])[]) grown[name].set(this.columns[name]);
    this.columns = grown;
  }
}
