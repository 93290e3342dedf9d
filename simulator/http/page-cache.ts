/**
 * Caches pages until the account changes: a reader who sweeps an idle account gets the same bytes.
 * The caller decides whether a page may be cached.
 */
import type { SimulatorResponse } from './envelope.ts';

/** 100,000 tasks are 90 MB of pages; more are not kept. */
const MOST_BYTES = 100_000_000;

export class PageCache {
  readonly #pages = new Map<string, SimulatorResponse | undefined>();
  #state = '';
  #bytes = 0;

  /** Returns the cached page, or builds it again if the account has changed since. */
  page(state: string, key: string, make: () => SimulatorResponse): SimulatorResponse {
    if (state !== this.#state) {
      this.#pages.clear();
      this.#bytes = 0;
      this.#state = state;
    }
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const answer = make();
    // Cached at the second request: most pages are requested only once.
    const again = this.#pages.has(key);
    if (!again) this.#pages.set(key, undefined);
    else if (this.#bytes + answer.body.length <= MOST_BYTES) {
      this.#bytes += answer.body.length;
      this.#pages.set(key, answer);
    }
    return answer;
  }
}
