/**
 * Posts to receivers and reads the start of what they answer: bounded in time and size, redirects not followed, never
 * into a private network. Judges no answer: what a status means is for the channel.
 */

import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { GiveUp, messageOf, RetryLater } from '../../core/model/errors.ts';
import { compileGuard, guardedLookup, refuseAddress } from './guard.ts';

export interface PosterOptions {
  /** CIDR ranges receivers may live in although they are private. @default - none */
  readonly allow?: readonly string[];
  /** Milliseconds for connecting, headers and body each. @default 15000 */
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

export function openPoster({ allow = [], timeout = TIMEOUT_MS }: PosterOptions = {}): Poster {
  const mayConnect = compileGuard(allow);
  const agent = new Agent({
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: { timeout, lookup: guardedLookup(mayConnect) },
  });
  return {
    async post(url, headers, body, signal) {
      // A literal address is never looked up, so the guard of the lookup would not see it.
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !mayConnect(literal)) throw refuseAddress(url.hostname, literal);
      const options = { method: 'POST', dispatcher: agent, headers, body, signal: signal ?? null } as const;
      const answer = await request(url, options).catch((error: unknown) => {
        throw unreachable(url, error);
      });
      // The status says it all: an answer whose body breaks off is still an answer.
      const start = await readStart(answer.body).catch(() => '');
      return { status: answer.statusCode, headers: answer.headers, body: start };
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

/** Reads what is kept, then lets the rest go unread. */
async function readStart(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= KEPT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8');
}

/** What a receiver asks us to wait, in milliseconds: seconds, as most send it; a date is left to our own schedule. */
export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | undefined {
  const header = headers['retry-after'];
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
