/**
 * The account's own clock: follows the machine, runs faster or stops, and can be set and advanced.
 * It only returns the time; people/life.ts performs what is due.
 */

export interface ClockOptions {
  /** Instant at which the clock starts, in milliseconds. @default - the machine's time */
  start?: number | undefined;
  /** How many times faster than the machine it runs; 0 stops it until it is set or advanced. @default 1 */
  speed?: number | undefined;
  /** The machine's time in milliseconds. @default Date.now */
  machine?: () => number;
}

export class Clock {
  readonly #machine: () => number;
  #anchor: number;
  #base: number;
  #speed: number;
  #held: number | undefined;

  constructor(options: ClockOptions = {}) {
    this.#machine = options.machine ?? Date.now;
    this.#anchor = this.#machine();
    this.#base = options.start ?? this.#anchor;
    this.#speed = checkSpeed(options.speed ?? 1);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#held ?? Math.floor(this.#base + (this.#machine() - this.#anchor) * this.#speed);
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(times: number) {
    const speed = checkSpeed(times);
    this.set(this.now());
    this.#speed = speed;
  }

  /** Jumps to an instant, back or forth. */
  set(instant: number | string): void {
    const ms = typeof instant === 'number' ? instant : Date.parse(instant);
    if (!Number.isFinite(ms)) throw new RangeError(`clock: expected an ISO instant or milliseconds, got '${instant}'`);
    this.#base = ms;
    this.#anchor = this.#machine();
  }

  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  /** Runs a function as if it were that instant, so that actions caught up on have the time they were due. */
  at<T>(ms: number, run: () => T): T {
    const outer = this.#held;
    this.#held = ms;
    try {
      return run();
    } finally {
      this.#held = outer;
    }
  }

  /** Freezes the time for a function, so that one request sees one instant. */
  still<T>(run: () => T): T {
    return this.at(this.now(), run);
  }
}

function checkSpeed(speed: number): number {
  if (!(speed >= 0 && Number.isFinite(speed))) {
    throw new RangeError(`clock: speed must be 0 or more, got ${speed}`);
  }
  return speed;
}
