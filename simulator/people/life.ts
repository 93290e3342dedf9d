/**
 * Simulated user activity: at a given pace of the account's clock a person performs an action, always through the rules.
 * Needs no timer: a read first performs the actions that are due, each stamped with the instant it was due.
 */
import type { Account, UserActivity } from '../account/account.ts';
import { RequestError } from '../request-error.ts';
import { ACTIONS } from './actions.ts';
import { Random } from './random.ts';

/** If an action finds nothing to do, another one is tried, up to this many times. */
const TRIES = 12;

export class Life implements UserActivity {
  readonly #account: Account;
  readonly #seed: number;
  #pace: number | undefined;
  #next: number;
  #done = 0;
  #busy = false;
  #paused = false;

  constructor(account: Account, seed: number, pace: number | undefined) {
    this.#account = account;
    this.#seed = seed;
    this.#pace = checkPace(pace);
    this.#next = account.clock.now() + (pace ?? 0);
  }

  /** Milliseconds of the account's time between two actions, varied by up to a half; undefined: no activity. */
  get pace(): number | undefined {
    return this.#pace;
  }

  set pace(pace: number | undefined) {
    this.#pace = checkPace(pace);
    this.#next = this.#account.clock.now() + (pace ?? 0);
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** While paused nothing happens, and it is not caught up on afterwards. */
  set paused(paused: boolean) {
    if (paused) this.catchUp();
    else if (this.#paused) this.#next = this.#account.clock.now() + (this.#pace ?? 0);
    this.#paused = paused;
  }

  catchUp(): void {
    // An action reads the account too, which must not trigger the next action.
    if (this.#busy || this.#paused || this.#pace === undefined) return;
    const { clock } = this.#account;
    const now = clock.now();
    while (this.#next <= now) {
      const due = this.#next;
      this.#next += Math.max(1, Math.round(this.#pace * (0.5 + new Random(this.#seed, 6, this.#done).unit())));
      clock.at(due, () => this.step());
    }
  }

  step(): void {
    // Each action has its own random numbers, so an extra action in between changes little of what follows.
    const random = new Random(this.#seed, 5, this.#done++);
    const outer = this.#busy;
    this.#busy = true;
    try {
      this.#account.clock.still(() => {
        for (let tries = 0; tries < TRIES; tries++) {
          if (attempt(random.weighted(ACTIONS), this.#account, random)) return;
        }
      });
    } finally {
      this.#busy = outer;
    }
  }
}

function attempt(act: (typeof ACTIONS)[number][0], account: Account, random: Random): boolean {
  try {
    return act(account, random);
  } catch (error) {
    // People try things the rules refuse, such as reopening a project the plan has no room for.
    if (error instanceof RequestError) return false;
    throw error;
  }
}

function checkPace(pace: number | undefined): number | undefined {
  if (pace !== undefined && !(pace >= 1))
    throw new RangeError(`life: expected at least 1 ms between two actions, got ${pace}`);
  return pace;
}
