/** Posts events to HTTP endpoints as Standard Webhooks: signed, bounded in time and size, redirects not followed. */

import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { signingKey, signWebhook } from '../../core/delivery/sign.ts';
import { GiveUp, messageOf, RetryLater } from '../../core/model/errors.ts';
import type { HttpTarget } from '../../core/model/subscription.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { compileGuard, guardedLookup, refuseAddress } from './guard.ts';

export interface HttpChannelOptions {
  readonly secrets: Secrets;
  /** CIDR ranges receivers may live in although they are private. @default - none */
  readonly allow?: readonly string[];
  /** Milliseconds for connecting, headers and body each. @default 15000 */
  readonly timeout?: number;
}

export interface HttpChannels {
  channelFor(target: HttpTarget): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** What is kept of an answer: enough for a stack trace, not for a page. */
const KEPT_BYTES = 4096;

export function httpChannels({ secrets, allow = [], timeout = TIMEOUT_MS }: HttpChannelOptions): HttpChannels {
  const mayConnect = compileGuard(allow);
  const agent = new Agent({
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: { timeout, lookup: guardedLookup(mayConnect) },
  });

  return {
    channelFor: (target) => ({
      async send({ event, at }, signal) {
        const url = new URL(target.url);
        // A literal address is never looked up, so the guard of the lookup would not see it.
        const literal = url.hostname.replace(/^\[|\]$/g, '');
        if (isIP(literal) !== 0 && !mayConnect(literal)) throw refuseAddress(url.hostname, literal);
        const body = JSON.stringify(event);
        const key = signingKey(await secrets.resolve(target.secret));
        const headers = {
          ...(await resolveHeaders(target.headers ?? {}, secrets)),
          'content-type': 'application/json',
          'user-agent': 'Tidings',
          ...signWebhook(event.id, at, body, key),
        };
        return post(agent, url, headers, body, signal);
      },
    }),
    close: () => agent.close(),
  };
}

async function resolveHeaders(headers: Readonly<Record<string, string>>, secrets: Secrets) {
  const resolved = Object.entries(headers).map(async ([name, value]) => [name, await secrets.resolve(value)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

async function post(
  dispatcher: Agent,
  url: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number; body: string }> {
  const answer = await request(url, { method: 'POST', dispatcher, headers, body, signal: signal ?? null }).catch(
    (error: unknown) => {
      throw unreachable(url, error);
    },
  );
  const status = answer.statusCode;
  // The status says it all: an answer whose body breaks off is still an answer.
  const evidence = { status, body: await readStart(answer.body).catch(() => '') };
  if (status >= 200 && status < 300) return evidence;
  const message = `${url.host} answered ${status}`;
  if (status === 410) throw new GiveUp('TIDINGS_HTTP_GONE', `${message}: it wants no more of these`, { evidence });
  const after = retryAfter(answer.headers['retry-after']);
  throw new RetryLater('TIDINGS_HTTP_STATUS', message, { after, evidence });
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

/** Seconds, as most send it; a date is left to our own schedule. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
