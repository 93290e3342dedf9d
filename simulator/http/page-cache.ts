/**
 * Caches pages until the account changes: a reader who sweeps an idle account gets the same bytes.
 * The caller decides whether a page may be cached.
 */
import type { SimulatorResponse } from './envelope.ts';

/** The pages of 100,000 tasks take 90 MB. Pages beyond the limit are not cached. */
const MAX_BYTES = 100_000_000;

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
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const answer = make();
    // Cached at the second request: most pages are requested only once.
    const again = this.#pages.has(key);
    if (!again) this.#pages.set(key, undefined);
    else if (this.#bytes + answer.body.length <= MAX_BYTES) {
      this.#bytes += answer.body.length;
      this.#pages.set(key, answer);
    }
    return answer;
  }
}
