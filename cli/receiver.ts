/**
 * A receiver as a user would write one with the kit: verifies, answers, and tells what came. Keeps nothing beyond the
 * process, and never longer than its limits: whoever reaches it may send anything.
 */

import type { IncomingMessage, RequestListener } from 'node:http';
import { errorMessage } from '../core/model/errors.ts';
import type { Clock, Instant } from '../core/model/time.ts';
import { isStale, recentIds, VerifyError, type VerifyErrorCode, verify } from '../kit/verify.ts';

export interface ReceiverOptions {
  /** `whsec_…` or `whpk_…`. */
  readonly secret: string;
  readonly clock: Clock;
  /** Called after each request is answered. @default - nobody is told */
  readonly told?: (received: Received) => void;
  /** What the nth verified request is answered with, 1 being the first. @default - 204 */
  readonly statusFor?: (nth: number) => number;
}

interface Came {
  readonly at: Instant;
  /** `webhook-id`; null when there was none. */
  readonly id: string | null;
  /** What was answered. */
  readonly status: number;
}

export interface RefusedRequest extends Came {
  readonly verified: false;
  readonly code: VerifyErrorCode | 'too_big' | 'unexpected';
  readonly message: string;
}

export interface Verified extends Came {
  readonly verified: true;
  /** How often this id came, this time included. */
  readonly times: number;
  /** Whether it was answered with 2xx before: a receiver drops it then. */
  readonly seenBefore: boolean;
  /** `replay`: sent again because a person asked; `test`: made up. */
  readonly mark: 'replay' | 'test' | null;
  /** The highest version of the record that came before; null when there was none, or the body has no version. */
  readonly heldVersion: number | null;
  /** Whether it tells of an older state than the one held. */
  readonly stale: boolean;
  /** The body, whatever its shape. */
  readonly event: unknown;
}

export type Received = RefusedRequest | Verified;

/** Far more than any event; less than would hurt. */
const LARGEST_BODY = 10 * 1024 * 1024;

/** Ids and records remembered. */
const REMEMBERED = 10_000;

export function receiverApp({
  secret,
  clock,
  told = () => {},
  statusFor = () => 204,
}: ReceiverOptions): RequestListener {
  const taken = recentIds(REMEMBERED);
  const times = new Map<string, number>();
  const versions = new Map<string, number>();
  let nth = 0;

  async function receive(request: IncomingMessage): Promise<Received> {
    const at = clock.now();
    const id = String(request.headers['webhook-id'] ?? '');
    try {
      const body = await readBody(request);
      const event = await verify<unknown>({ secret, headers: request.headers, body, now: Date.parse(at) });
      nth += 1;
      const status = statusFor(nth);
      const seenBefore = taken.has(id);
      if (status < 300) taken.add(id);
      const came = remember(times, id, (before = 0) => before + 1);
      return { at, id, status, verified: true, times: came, seenBefore, mark: markOf(event), ...order(event), event };
    } catch (error) {
      return { at, id: id === '' ? null : id, verified: false, ...refusalOf(error) };
    }
  }

  function order(event: unknown): Pick<Verified, 'heldVersion' | 'stale'> {
    if (!hasVersion(event)) return { heldVersion: null, stale: false };
    const record = `${event.source} ${event.subject}`;
    const held = versions.get(record);
    remember(versions, record, (before = 0) => Math.max(before, event.data.version));
    return { heldVersion: held ?? null, stale: isStale(event, held) };
  }

  return async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end('webhooks are posted here\n');
      return;
    }
    const received = await receive(request);
    const reason = received.verified ? undefined : `${received.code}: ${received.message}\n`;
    // What is left of a body that is too big is not waited for.
    response.writeHead(received.status, received.status === 413 ? { connection: 'close' } : {}).end(reason);
    told(received);
  };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Left open when there is too much, so that the answer still gets through.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new BodyTooBig(`expected at most ${LARGEST_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

class BodyTooBig extends Error {}

function refusalOf(error: unknown): Pick<RefusedRequest, 'status' | 'code' | 'message'> {
  const message = errorMessage(error);
  if (error instanceof BodyTooBig) return { status: 413, code: 'too_big', message };
  if (!(error instanceof VerifyError)) return { status: 500, code: 'unexpected', message };
  return { status: error.code === 'not_json' ? 400 : 401, code: error.code, message };
}

/** The new value. The oldest entry goes when there are too many. */
function remember(map: Map<string, number>, key: string, change: (before: number | undefined) => number): number {
  const value = change(map.get(key));
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
  return value;
}

interface Versioned {
  readonly source: unknown;
  readonly subject: unknown;
  readonly data: { readonly version: number };
}

/** Not so of the format `standard`, which names no record, nor of a body from a template. */
function hasVersion(event: unknown): event is Versioned {
  return isObject(event) && 'subject' in event && isObject(event.data) && typeof event.data.version === 'number';
}

function markOf(event: unknown): Verified['mark'] {
  if (!isObject(event)) return null;
  return event.test === true ? 'test' : event.replay === true ? 'replay' : null;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
