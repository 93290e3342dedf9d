/** Finds out which system is at a URL, by asking it without a token. */

import type { SourceDefinition } from '../adapters/sources/definition.ts';
import { SOURCES } from '../adapters/sources/index.ts';
import { SECOND } from '../core/model/time.ts';

/** init does not wait longer for a server that does not respond; the check that follows says so. */
const TIMEOUT_MS = 5 * SECOND;

/** Error pages are longer than what a kind is recognized by. */
const MAX_CHARS = 20_000;

/** Undefined when no kind recognizes it, or it does not respond. */
export async function recognizeKind(url: string): Promise<SourceDefinition | undefined> {
  const get = async (address: string) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { redirect: 'manual', headers: { accept: 'application/json' }, signal });
    return { status: response.status, headers: response.headers, body: (await response.text()).slice(0, MAX_CHARS) };
  };
  // The most specific first: the default kind is the fallback anyway.
  for (const definition of SOURCES.toReversed()) {
    if (await definition.recognize(url, get).catch(() => false)) return definition;
  }
  return undefined;
}
