/**
 * Records of one resource in the order of their ids; ids are given once and never again.
 * Stores and finds rows; the rules decide what a change means.
 */
import { LiveSlots } from './live-slots.ts';
import type { Row } from './records.ts';

/** What a reader of many records needs: slots in id order. */
export interface Rows<R extends Row> {
  /** Slots ever used; a slot may be empty. */
  readonly slots: number;
  /** Records held. */
  readonly count: number;
  has(slot: number): boolean;
  /** The record in a slot that has one. It may be a cursor that the next call moves: take values, do not keep it. */
  at(slot: number): R;
  /** Slot of the nth record in id order; `slots` when there are fewer. */
  nth(n: number): number;
  slotOf(id: number): number;
  /** A record to keep. */
  get(id: number): R | undefined;
}

/** Records of a table by what they belong to: the payments of an invoice, the team of a project. */
export class Group<R extends Row> {
  readonly #of: (row: R) => number | null;
  readonly #members = new Map<number, Set<R>>();

  constructor(of: (row: R) => number | null) {
    this.#of = of;
  }

  /** In the order they came. */
  of(owner: number): R[] {
    return [...(this.#members.get(owner) ?? [])];
  }

  /** The same without a copy: do not add or delete records while you use it. */
  each(owner: number): Iterable<R> {
    return this.#members.get(owner) ?? [];
  }

  add(row: R): void {
    const owner = this.#of(row);
    if (owner === null) return;
    const members = this.#members.get(owner);
    if (members === undefined) this.#members.set(owner, new Set([row]));
    else members.add(row);
  }

  delete(row: R): void {
    const owner = this.#of(row);
    if (owner !== null) this.#members.get(owner)?.delete(row);
  }
}

export class Table<R extends Row> implements Rows<R> {
  readonly #live = new LiveSlots();
  readonly #rows: (R | undefined)[] = [];
  readonly #groups: Group<R>[] = [];

  /** A grouping that follows additions and deletions. Create it before the first record. */
  groupBy(of: (row: R) => number | null): Group<R> {
    const group = new Group(of);
    this.#groups.push(group);
    return group;
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

  at(slot: number): R {
    const row = this.#rows[slot];
    if (row === undefined) throw new RangeError(`table: slot ${slot} is empty`);
    return row;
  }

  nth(n: number): number {
    return this.#live.nth(n);
  }

  slotOf(id: number): number {
    return id - 1;
  }

  get(id: number): R | undefined {
    return this.#rows[id - 1];
  }

  /** Gives the row its id. */
  add(row: Omit<R, 'id'>): R {
    const slot = this.#live.add();
    const kept = { id: slot + 1, ...row } as R;
    this.#rows[slot] = kept;
    for (const group of this.#groups) group.add(kept);
    return kept;
  }

  delete(id: number): void {
    const row = this.#rows[id - 1];
    if (row === undefined) return;
    for (const group of this.#groups) group.delete(row);
    this.#live.clear(id - 1);
    this.#rows[id - 1] = undefined;
  }

  /** Changes a row in a way that may move it to another owner. */
  move(row: R, change: () => void): void {
    for (const group of this.#groups) group.delete(row);
    change();
    for (const group of this.#groups) group.add(row);
  }

  *[Symbol.iterator](): IterableIterator<R> {
    for (const row of this.#rows) if (row !== undefined) yield row;
  }
}
