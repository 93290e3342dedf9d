/** Seeded random numbers, the same on every machine. */

export interface SeededRandom {
  /** In [0, 1). */
  unit(): number;
  /** Returns undefined for an empty list. */
  pick<T>(list: readonly T[]): T | undefined;
}

/** Mulberry32: small, and good enough for tests. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { unit, pick: (list) => list[Math.floor(unit() * list.length)] };
}
