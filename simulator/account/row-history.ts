/**
 * Rows as they were before their last changes, for a replica that lags behind. Kept only while that fault is active.
 */
import type { Row } from './records.ts';
import type { Rows } from './table.ts';

interface Replaced {
  readonly at: number;
  readonly resource: string;
  readonly id: number;
  /** Undefined: the record did not exist. */
  readonly before: Row | undefined;
}

/** Older changes are forgotten: no replica lags for longer. */
const KEPT_MS = 24 * 3_600_000;

export class RowHistory {
  #replaced: Replaced[] = [];

  /** Notes a change before it takes effect. */
  note(at: number, resource: string, id: number, before: Row | undefined): void {
    this.#replaced.push({ at, resource, id, before });
    if (this.#replaced.length % 1000 === 0) this.#replaced = this.#replaced.filter((one) => one.at > at - KEPT_MS);
  }

  /** The rows that have changed since this instant, as they were then. */
  rowsAsOf(resource: string, instant: number): ReadonlyMap<number, Row | undefined> {
    const rows = new Map<number, Row | undefined>();
    for (let at = this.#replaced.length - 1; at >= 0; at--) {
      const one = this.#replaced[at];
      if (one === undefined || one.at <= instant) break;
      if (one.resource === resource) rows.set(one.id, one.before);
    }
    return rows;
  }
}

/** A table with some of its rows as they were before. */
export class LaggingRows<R extends Row> implements Rows<R> {
  readonly #rows: Rows<R>;
  readonly #earlier: ReadonlyMap<number, R | undefined>;

  constructor(rows: Rows<R>, earlier: ReadonlyMap<number, R | undefined>) {
    this.#rows = rows;
    this.#earlier = earlier;
  }

  get slots(): number {
    return this.#rows.slots;
  }

  get count(): number {
    let count = this.#rows.count;
    for (const [id, row] of this.#earlier) {
      if (row !== undefined) count += 1;
      if (this.#rows.has(this.slotOf(id))) count -= 1;
    }
    return count;
  }

  has(slot: number): boolean {
    const id = slot + 1;
    return this.#earlier.has(id) ? this.#earlier.get(id) !== undefined : this.#rows.has(slot);
  }

  at(slot: number): R {
    return this.#earlier.get(slot + 1) ?? this.#rows.at(slot);
  }

  nth(n: number): number {
    let left = n;
    for (let slot = 0; slot < this.slots; slot++) if (this.has(slot) && left-- === 0) return slot;
    return this.slots;
  }

  slotOf(id: number): number {
    return this.#rows.slotOf(id);
  }

  get(id: number): R | undefined {
    return this.#earlier.has(id) ? this.#earlier.get(id) : this.#rows.get(id);
  }
}
