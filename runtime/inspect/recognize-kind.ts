/** Finds out which system is at a URL, by asking it without a token. */

import type { SourceDefinition } from '../../adapters/sources/definition.ts';
import { SOURCES } from '../../adapters/sources/index.ts';
import { SECOND } from '../../core/model/time.ts';

/** Nobody waits longer for a server that does not respond; the check that follows says so. */
const TIMEOUT_MS = 5 * SECOND;

/** For all requests together: a server that takes its time for each must not keep the caller waiting for minutes. */
const MAX_TIME_MS = 15 * SECOND;

/** Some systems are recognized by a page. */
const ACCEPT = 'application/json, text/html;q=0.9, */*;q=0.8';

/** Error pages are longer than what a kind is recognized by. */
const MAX_BYTES = 20_000;

/** More than any redirect and path of a real system needs: a server could invent addresses forever. */
const MAX_ADDRESSES = 12;

export interface RecognizedSource {
  readonly definition: SourceDefinition;
  /** Where it is: the URL that was given, the one it redirects to on the same host, or one above it. */
  readonly url: string;
}

/** As the global `fetch`, as far as it is used here. */
export type Fetch = (
  url: string,
  options: {
    readonly redirect: 'manual';
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed. */
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

/**
 * Undefined when no kind recognizes it, or it does not respond. People also paste the address of a page inside the system.
 * @param request makes the requests. @default - the global fetch
 * @param signal ends the search. @default - after 15 s
 */
export async function recognizeKind(
  given: string,
  request: Fetch = fetch,
  signal: AbortSignal = AbortSignal.timeout(MAX_TIME_MS),
): Promise<RecognizedSource | undefined> {
  const tried = new Set<string>();
  const open = [given.replace(/[?#].*/s, '')];
  for (let url = open.shift(); url !== undefined; url = open.shift()) {
    if (tried.has(url)) continue;
    if (tried.size === MAX_ADDRESSES || signal.aborted) return undefined;
    tried.add(url);
    const { definition, redirectedTo, hasAnswered } = await recognizeAt(url, request, signal);
    if (definition !== undefined) return { definition, url };
    if (redirectedTo !== undefined) open.unshift(redirectedTo);
    else if (!hasAnswered) return undefined;
    if (open.length === 0) open.push(...parentOf(url));
  }
  return undefined;
}

interface Recognition {
  readonly definition?: SourceDefinition;
  readonly redirectedTo?: string | undefined;
  readonly hasAnswered: boolean;
}

async function recognizeAt(url: string, request: Fetch, until: AbortSignal): Promise<Recognition> {
  const root = url.replace(/\/+$/, '');
  let redirectedTo: string | undefined;
  let hasAnswered = false;
  const get = async (address: string) => {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), until]);
    const response = await request(address, { redirect: 'manual', headers: { accept: ACCEPT }, signal });
    hasAnswered = true;
    redirectedTo ??= rootOf(response.headers.get('location'), address, address.slice(root.length));
    return { status: response.status, headers: response.headers, body: await readStart(response.body) };
  };
  // The most specific first: the default kind is the fallback anyway.
  for (const definition of SOURCES.toReversed()) {
    if (await definition.recognize(url, get).catch(() => false)) return { definition, hasAnswered };
  }
  return { redirectedTo, hasAnswered };
}

/** The rest is not read: a few bytes may decompress to gigabytes. */
async function readStart(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_BYTES);
}

/** The base URL behind a redirect of one of its paths. Only on the same host: requests will carry a token. */
function rootOf(location: string | null, address: string, path: string): string | undefined {
  const target = location === null ? null : URL.parse(location, address);
  if (target === null || target.hostname !== new URL(address).hostname || !target.href.endsWith(path)) return undefined;
  return target.href.slice(0, -path.length);
}

function parentOf(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  return path === '' ? [] : [`${origin}${path.slice(0, path.lastIndexOf('/'))}`];
}
