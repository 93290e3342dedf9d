/** `fetch` that connects to public addresses only, and to allowed ranges. For few requests without a secret. */

import { isIP } from 'node:net';
import { Agent, fetch } from 'undici';
import { compileGuard, createGuardedLookup, refusedAddressError } from './guard.ts';
import { TLS_OPTIONS } from './tls-options.ts';

interface GuardedFetchOptions {
  readonly redirect: 'manual';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface GuardedFetch {
  fetch(
    url: string,
    options: GuardedFetchOptions,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> | null }>;
  close(): Promise<void>;
}

export function openGuardedFetch(allow: readonly string[]): GuardedFetch {
  const mayConnect = compileGuard(allow);
  const agent = new Agent({ allowH2: false, connect: { lookup: createGuardedLookup(mayConnect), ...TLS_OPTIONS } });
  return {
    async fetch(url, { redirect, headers, signal }) {
      const { hostname } = new URL(url);
      // Node does not look up a literal address, so the guarded lookup would not see it.
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !mayConnect(literal)) throw refusedAddressError(literal);
      const response = await fetch(url, { redirect, headers: { ...headers }, signal, dispatcher: agent });
      return { status: response.status, headers: new Headers([...response.headers]), body: response.body };
    },
    close: () => agent.destroy(),
  };
}
