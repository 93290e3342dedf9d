/**
 * A seeded random number generator: the same seed gives the same numbers on every machine.
 * Nothing else in the simulator may be random.
 */

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Several numbers form one seed, so that every action has its own random numbers. */
  constructor(...seeds: number[]) {
    [this.#a, this.#b, this.#c, this.#d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
    for (const seed of seeds) {
      this.#a ^= Math.trunc(seed) | 0;
      this.#b ^= Math.floor(seed / 0x1_0000_0000) | 0;
      for (let i = 0; i < 12; i++) this.next();
    }
  }

  /** A whole number from 0 to 2^32 - 1 (sfc32: small, fast, and passes the usual statistical tests). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 up to but not including 1. */
  unit(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** A whole number from low to high, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.unit() * list.length)];
    if (item === undefined) throw new RangeError('random: nothing to pick from an empty list');
    return item;
  }

  /** One of the values, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let left = this.unit() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.pick(choices)[0];
  }

  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.next().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }
}
