/**
 * The limits of the API: a daily quota of the account, reset at midnight GMT, and a rate limit per address.
 * Uses the simulator's clock: a stopped clock never resets them.
 */
import type { Clock } from '../account/clock.ts';
import { formatSeconds } from '../account/days.ts';
import { quotaExceeded, rateLimited } from '../request-error.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export interface QuotaState {
  quota: number;
  used: number;
  /** YYYY-MM-DD HH:MM:SS in GMT. */
  nextReset: string;
  exceeded: boolean;
}

export class Allowance {
  readonly #clock: Clock;
  /** Requests a day; Infinity for no limit. */
  quota: number;
  /** Requests a minute from one address. @default - no limit */
  perMinute: number | undefined;
  #day = Number.NaN;
  #used = 0;
  readonly #recent = new Map<string, number[]>();

  constructor(clock: Clock, quota: number, perMinute: number | undefined) {
    this.#clock = clock;
    this.quota = quota;
    this.perMinute = perMinute;
  }

  /** Counts a request, or rejects it. A rejected request is not counted. */
  take(address: string): void {
    const state = this.state();
    if (state.exceeded) throw quotaExceeded(this.quota, state.nextReset);
    this.#checkRate(address);
    this.#used++;
  }

  state(): QuotaState {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#used = 0;
    }
    return {
      quota: this.quota,
      used: this.#used,
      nextReset: formatSeconds((day + 1) * 86_400),
      exceeded: this.#used >= this.quota,
    };
  }

  reset(used = 0): void {
    this.state();
    this.#used = used;
    this.#recent.clear();
  }

  #checkRate(address: string): void {
    if (this.perMinute === undefined) return;
    const now = this.#clock.now();
    const recent = (this.#recent.get(address) ?? []).filter((at) => at > now - MINUTE_MS && at <= now);
    this.#recent.set(address, recent);
    if (recent.length >= this.perMinute) throw rateLimited(this.perMinute);
    recent.push(now);
  }
}
