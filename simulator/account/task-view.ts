/**
 * One task of the columns, looking like a record: reads and writes go to its slot.
 * Every accessor is written out, because a million tasks are tested through them: a shared one costs eight times as much.
 */
import type { TaskRow } from './records.ts';
import { NO_DAY, type StoredTasks } from './task-columns.ts';

export class TaskView implements TaskRow {
  readonly #table: StoredTasks;
  slot: number;

  constructor(table: StoredTasks, slot: number) {
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

  get queueid(): number | null {
    return this.#table.columns.queueid[this.slot] || null;
  }
  set queueid(id: number | null) {
    this.#table.columns.queueid[this.slot] = id ?? 0;
  }
  get milestoneid(): number | null {
    return this.#table.columns.milestoneid[this.slot] || null;
  }
  set milestoneid(id: number | null) {
    this.#table.columns.milestoneid[this.slot] = id ?? 0;
  }

  get datedue(): number | null {
    const day = this.#table.columns.datedue[this.slot] ?? NO_DAY;
    return day === NO_DAY ? null : day;
  }
  set datedue(day: number | null) {
    this.#table.columns.datedue[this.slot] = day ?? NO_DAY;
  }
  get dateclosed(): number | null {
    const day = this.#table.columns.dateclosed[this.slot] ?? NO_DAY;
    return day === NO_DAY ? null : day;
  }
  set dateclosed(day: number | null) {
    this.#table.columns.dateclosed[this.slot] = day ?? NO_DAY;
  }

  get localid(): number {
    return this.#table.columns.localid[this.slot] ?? 0;
  }
  set localid(value: number) {
    this.#table.columns.localid[this.slot] = value;
  }
  get statusid(): number {
    return this.#table.columns.statusid[this.slot] ?? 0;
  }
  set statusid(value: number) {
    this.#table.columns.statusid[this.slot] = value;
  }
  get projectid(): number {
    return this.#table.columns.projectid[this.slot] ?? 0;
  }
  set projectid(value: number) {
    this.#table.columns.projectid[this.slot] = value;
  }
  get moduleid(): number {
    return this.#table.columns.moduleid[this.slot] ?? 0;
  }
  set moduleid(value: number) {
    this.#table.columns.moduleid[this.slot] = value;
  }
  get priorityid(): number {
    return this.#table.columns.priorityid[this.slot] ?? 0;
  }
  set priorityid(value: number) {
    this.#table.columns.priorityid[this.slot] = value;
  }
  get dateopen(): number {
    return this.#table.columns.dateopen[this.slot] ?? 0;
  }
  set dateopen(value: number) {
    this.#table.columns.dateopen[this.slot] = value;
  }
  get datecreated(): number {
    return this.#table.columns.datecreated[this.slot] ?? 0;
  }
  set datecreated(value: number) {
    this.#table.columns.datecreated[this.slot] = value;
  }
  get estimate(): number {
    return this.#table.columns.estimate[this.slot] ?? 0;
  }
  set estimate(value: number) {
    this.#table.columns.estimate[this.slot] = value;
  }
  get billable(): number {
    return this.#table.columns.billable[this.slot] ?? 0;
  }
  set billable(value: number) {
    this.#table.columns.billable[this.slot] = value;
  }
  get unbillable(): number {
    return this.#table.columns.unbillable[this.slot] ?? 0;
  }
  set unbillable(value: number) {
    this.#table.columns.unbillable[this.slot] = value;
  }
  get modified(): number {
    return this.#table.columns.modified[this.slot] ?? 0;
  }
  set modified(value: number) {
    this.#table.columns.modified[this.slot] = value;
  }
}
