/**
 * Posts to receivers and reads the start of what they answer: bounded in time and size, redirects not followed, never
 * into a private network. Judges no answer: what a status means is for the channel.
 */

import { isIP } from 'node:net';
import { Agent } from 'undici';
import { GiveUp, messageOf, RetryLater } from '../../core/model/errors.ts';
import { exchange } from './exchange.ts';
import { compileGuard, guardedLookup, refuseAddress } from './guard.ts';

export interface PosterOptions {
  /** CIDR ranges receivers may live in although they are private. @default - none */
  readonly allow?: readonly string[];
  /** Milliseconds for all of it: connecting, sending, headers and body. @default 15000 */
  readonly timeout?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** First 4 KB. */
  readonly body: string;
}

export interface Poster {
  /** Throws RetryLater when there was no answer, GiveUp when the address is refused. */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal): Promise<Answer>;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** What is kept of an answer: enough for a stack trace, not for a page. */
const KEPT_BYTES = 4096;

/** What is read of it: the rest of a page costs less than a new connection, the rest of a film does not. */
const READ_BYTES = 64 * 1024;

export function openPoster({ allow = [], timeout = TIMEOUT_MS }: PosterOptions = {}): Poster {
  const mayConnect = compileGuard(allow);
  const agent = new Agent({
    // One deadline for the whole instead: a timeout between two bytes never ends a receiver that drips.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, lookup: guardedLookup(mayConnect) },
  });
  return {
    async post(url, headers, body, signal) {
      // A literal address is never looked up, so the guard of the lookup would not see it.
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !mayConnect(literal)) throw refuseAddress(url.hostname, literal);
      const bounds = { timeout, keep: KEPT_BYTES, read: READ_BYTES, signal };
      const {
        status,
        headers: told,
        start,
      } = await exchange(agent, { url, headers, body, ...bounds }).catch((error: unknown) => {
        throw unreachable(url, error);
      });
      return { status, headers: told, body: start.toString('utf8') };
    },
    close: () => agent.close(),
  };
}

function unreachable(url: URL, error: unknown): Error {
  if (error instanceof GiveUp) return error;
  return new RetryLater('TIDINGS_HTTP_UNREACHABLE', `${url.host} did not answer: ${messageOf(error)}`, {
    cause: error,
  });
}

/** What a receiver asks us to wait, in milliseconds: seconds, as most send it; a date is left to our own schedule. */
export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | undefined {
  const header = headers['retry-after'];
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
