/**
 * Which slots of a table hold a record, and which is the nth of them, at any size.
 * Knows positions only, not their content.
 */

/** 1,000 slots to a count: at a million records both the walk over the counts and the walk inside one are short. */
const CHUNK = 1000;

export class LiveSlots {
  #alive = new Uint8Array(CHUNK);
  #counts: number[] = [];
  /** Slots ever used. */
  slots = 0;
  /** Slots that hold a record. */
  count = 0;

  /** Takes the next slot. */
  add(): number {
    const slot = this.slots++;
    if (slot >= this.#alive.length) {
      const grown = new Uint8Array(this.#alive.length * 2);
      grown.set(this.#alive);
      this.#alive = grown;
    }
    this.#mark(slot, 1);
    return slot;
  }

  has(slot: number): boolean {
    return this.#alive[slot] === 1;
  }

  clear(slot: number): void {
    if (this.has(slot)) this.#mark(slot, 0);
  }

  /** The slot of the nth record in slot order, or the number of slots when there are fewer. */
  nth(n: number): number {
    let left = n;
    let chunk = 0;
    while (chunk < this.#counts.length && left >= (this.#counts[chunk] ?? 0)) left -= this.#counts[chunk++] ?? 0;
    for (let slot = chunk * CHUNK; slot < this.slots; slot++) {
      if (this.has(slot) && left-- === 0) return slot;
    }
    return this.slots;
  }

  #mark(slot: number, value: 0 | 1): void {
    const chunk = Math.floor(slot / CHUNK);
    const step = value === 1 ? 1 : -1;
    this.#alive[slot] = value;
    this.#counts[chunk] = (this.#counts[chunk] ?? 0) + step;
    this.count += step;
  }
}
