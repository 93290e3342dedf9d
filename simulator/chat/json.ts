/** JSON that was posted to a simulated chat, and readers that check its types. Pure. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; undefined if the value is not a list of objects. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Counts requests in a moving window, as chats do. */
export class RequestWindow {
  readonly #count: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  #recent: number[] = [];

  constructor(count: number, windowMs: number, now: () => number) {
    this.#count = count;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Requests that are still accepted now. */
  get remaining(): number {
    const now = this.#now();
    this.#recent = this.#recent.filter((at) => now - at < this.#windowMs);
    return Math.max(0, this.#count - this.#recent.length);
  }

  /** Milliseconds until the oldest request leaves the window. */
  get resetAfter(): number {
    return Math.max(0, (this.#recent[0] ?? this.#now()) + this.#windowMs - this.#now());
  }

  add(): void {
    this.#recent.push(this.#now());
  }
}
