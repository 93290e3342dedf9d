/**
 * Posts to receivers and reads the start of what they answer: bounded in time and size, redirects not followed, never
 * into a private network. Judges no answer: what a status means is for the channel.
 */

import { isIP } from 'node:net';
import { errorMessage, GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { AnswerHeaders } from './answer.ts';
import { compileGuard, guardedLookup, type LookupAll, refuseAddress } from './guard.ts';
import type { Exchanged, OpenWire } from './wire.ts';

export interface PosterOptions {
  /** What the bytes travel over. */
  readonly openWire: OpenWire;
  /** CIDR ranges receivers may live in although they are private. @default - none */
  readonly allow?: readonly string[];
  /** Milliseconds for all of it: connecting, sending, headers and body. @default 15000 */
  readonly timeout?: number;
  /** Certificates to trust, in PEM, in place of Node's own: for receivers with an authority of their own. @default - Node's own */
  readonly ca?: string;
  /** Finds the addresses of a name. @default - dns.lookup, so that /etc/hosts counts */
  readonly lookup?: LookupAll;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** First 4 KB. Of a compressed answer only that it was one. */
  readonly body: string;
}

export interface Poster {
  /** Throws RetryLater when there was no answer, GiveUp when the address is refused. */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal): Promise<HttpResponse>;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** What is kept of an answer: enough for a stack trace, not for a page. */
const KEPT_BYTES = 4096;

/** What is read of it: the rest of a page costs less than a new connection, the rest of a film does not. */
const READ_BYTES = 64 * 1024;

/** Keeps connections, HTTP/1.1 or HTTP/2 as the receiver likes. */
export function openPoster({ openWire, allow = [], timeout = TIMEOUT_MS, ca, lookup }: PosterOptions): Poster {
  const mayConnect = compileGuard(allow);
  const wire = openWire({ timeout, lookup: guardedLookup(mayConnect, lookup), ...(ca === undefined ? {} : { ca }) });
  return {
    async post(url, headers, body, signal) {
      // A literal address is never looked up, so the guard of the lookup would not see it.
      const literal = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !mayConnect(literal)) throw refuseAddress(url.hostname, literal);
      const plain = { 'accept-encoding': 'identity', ...headers };
      const bounds = { timeout, keep: KEPT_BYTES, read: READ_BYTES, signal };
      try {
        const answer = await wire.exchange({ url, headers: plain, body, ...bounds });
        return { status: answer.status, headers: answer.headers, body: shown(answer) };
      } catch (error) {
        throw unreachable(url, error, signal);
      }
    },
    close: () => wire.close(),
  };
}

function unreachable(url: URL, error: unknown, signal: AbortSignal | undefined): Error {
  if (error instanceof GiveUp) return error;
  const why = signal?.aborted === true ? 'stopped before it could' : errorMessage(error) || 'the connection failed';
  return new RetryLater('TIDINGS_HTTP_UNREACHABLE', `${url.host} did not answer: ${why}`, { cause: error });
}

function shown({ headers, start }: Exchanged): string {
  if (start.length === 0) return '';
  const encoding = encodingOf(headers);
  return encoding === undefined ? toText(start) : `[${encoding}, not shown]`;
}

/** What is unreadable becomes a sign of three bytes, so it is cut once more; half a character at the end is dropped. */
function toText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT_BYTES), { stream: true });
}

/** We asked for none. One that comes all the same is never unpacked: a few bytes can hold gigabytes. */
function encodingOf(headers: AnswerHeaders): string | undefined {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  return /^[a-z0-9, *-]{1,40}$/.test(encoding) ? encoding : 'encoded';
}
