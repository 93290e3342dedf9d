/**
 * A webhook receiver built with the kit, as a user would write it: verifies, responds and reports each request. Keeps a
 * bounded amount of state in memory only, because anyone who reaches it may send anything.
 */

import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { errorMessage } from '../core/model/errors.ts';
import { isJsonObject } from '../core/model/json.ts';
import type { Clock, Instant } from '../core/model/time.ts';
import { isStale, recentIds, VerifyError, type VerifyErrorCode, verify } from '../kit/verify.ts';

export interface ReceiverOptions {
  /** `whsec_…` or `whpk_…`. */
  readonly secret: string;
  readonly clock: Clock;
  /** Called after each response. */
  readonly onRequest?: (received: Received) => void;
  /** The status of the response to the nth verified request, starting at 1. @default - 204 */
  readonly statusFor?: (nth: number) => number;
  /** Passes a verified request on, and returns the status of the response. @default - `statusFor` decides */
  readonly forward?: (headers: IncomingHttpHeaders, body: Uint8Array) => Promise<number>;
  /** Accepts a ping that another secret signed, as an endpoint must whose subscription is being made. @default false */
  readonly acceptsPing?: boolean;
}

interface ReceivedRequest {
  readonly at: Instant;
  /** `webhook-id`; null when there was none. */
  readonly id: string | null;
  /** Status of the response. */
  readonly status: number;
}

interface RefusedRequest extends ReceivedRequest {
  readonly verified: false;
  readonly code: VerifyErrorCode | 'too_big' | 'busy' | 'unexpected';
  readonly message: string;
}

export interface Verified extends ReceivedRequest {
  readonly verified: true;
  /** How often this id was received, including this time. */
  readonly times: number;
  /** Whether it was accepted before: a receiver then drops the duplicate. */
  readonly seenBefore: boolean;
  /** `replay`: sent again on request; `test`: a test event. */
  readonly mark: 'replay' | 'test' | null;
  /** The highest version of the record received before; null when there is none or the body has no version. */
  readonly heldVersion: number | null;
  /** Whether the event is older than that version. */
  readonly stale: boolean;
  /** The parsed body, in any format. */
  readonly event: unknown;
}

export type Received = RefusedRequest | Verified;

/** Far more than any event. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Nearly all bodies are smaller. Longer ones share what they may take: anyone can send many, slowly and at once. */
const SMALL_BODY_BYTES = 256 * 1024;
const MAX_SHARED_BYTES = 4 * MAX_BODY_BYTES;

/** Of a ping, which is parsed although nobody signed it. */
const MAX_PING_BYTES = 64 * 1024;

/** How many ids and record versions are kept. */
const MAX_ENTRIES = 10_000;

export function receiverApp({
  secret,
  clock,
  onRequest = () => {},
  statusFor = () => 204,
  forward,
  acceptsPing = false,
}: ReceiverOptions): RequestListener {
  const accepted = recentIds(MAX_ENTRIES);
  const times = new Map<string, number>();
  const versions = new Map<string, number>();
  const shared = { left: MAX_SHARED_BYTES };
  let nth = 0;

  async function receive(request: IncomingMessage): Promise<Received> {
    const at = clock.now();
    const id = String(request.headers['webhook-id'] ?? '');
    let body: Uint8Array | undefined;
    const taken = { bytes: 0 };
    try {
      body = await readBody(request, (bytes) => {
        if (bytes > shared.left) throw new BodiesTooLarge('too many long bodies at once: send it again later');
        shared.left -= bytes;
        taken.bytes += bytes;
      });
      const event = await verify<unknown>({ secret, headers: request.headers, body, now: Date.parse(at) });
      nth += 1;
      const status = forward === undefined ? statusFor(nth) : await forward(request.headers, body);
      const seenBefore = accepted.has(id);
      if (status < 300) accepted.add(id);
      const count = update(times, id, (before = 0) => before + 1);
      return {
        at,
        id,
        status,
        verified: true,
        times: count,
        seenBefore,
        mark: markOf(event),
        ...compareVersion(event),
        event,
      };
    } catch (error) {
      const refusal = describeRefusal(error);
      const status = acceptsPing && refusal.code === 'no_match' && isPing(body) ? 204 : refusal.status;
      return { at, id: id === '' ? null : id, verified: false, ...refusal, status };
    } finally {
      shared.left += taken.bytes;
    }
  }

  function compareVersion(event: unknown): Pick<Verified, 'heldVersion' | 'stale'> {
    if (!hasVersion(event)) return { heldVersion: null, stale: false };
    const record = `${event.source} ${event.subject}`;
    const held = versions.get(record);
    update(versions, record, (before = 0) => Math.max(before, event.data.version));
    return { heldVersion: held ?? null, stale: isStale(event, held) };
  }

  return async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end('send webhooks with POST\n');
      return;
    }
    const received = await receive(request);
    const reason = received.verified ? undefined : `${received.code}: ${received.message}\n`;
    // Do not wait for the rest of a body that is too large.
    const isUnread = !received.verified && (received.code === 'too_big' || received.code === 'busy');
    const isAccepted = received.status < 300;
    response.writeHead(received.status, isUnread ? { connection: 'close' } : {}).end(isAccepted ? undefined : reason);
    onRequest(received);
  };
}

/** @param take counts what is beyond a small body; it throws if so much is not left */
async function readBody(request: IncomingMessage, take: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Keep the connection open when the body is too large, so that the response gets through.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const before = Math.max(size, SMALL_BODY_BYTES);
    size += chunk.length;
    if (size > before) take(size - before);
    if (size > MAX_BODY_BYTES) throw new BodyTooLarge(`expected at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Sent before a subscription exists, so that nobody knows its secret yet. */
function isPing(body: Uint8Array | undefined): boolean {
  if (body === undefined || body.length > MAX_PING_BYTES) return false;
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString());
    return isJsonObject(event) && event.type === 'tidings.ping';
  } catch {
    return false;
  }
}

class BodyTooLarge extends Error {}
class BodiesTooLarge extends Error {}

function describeRefusal(error: unknown): Pick<RefusedRequest, 'status' | 'code' | 'message'> {
  const message = errorMessage(error);
  if (error instanceof BodyTooLarge) return { status: 413, code: 'too_big', message };
  if (error instanceof BodiesTooLarge) return { status: 503, code: 'busy', message };
  if (!(error instanceof VerifyError)) return { status: 500, code: 'unexpected', message };
  return { status: error.code === 'not_json' ? 400 : 401, code: error.code, message };
}

/** Returns the new value. Drops the oldest entry when there are too many. */
function update(map: Map<string, number>, key: string, change: (before: number | undefined) => number): number {
  const value = change(map.get(key));
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
  return value;
}

interface Versioned {
  readonly source: unknown;
  readonly subject: unknown;
  readonly data: { readonly version: number };
}

/** False for the `standard` format, which names no record, and for templated bodies. */
function hasVersion(event: unknown): event is Versioned {
  return (
    isJsonObject(event) && 'subject' in event && isJsonObject(event.data) && typeof event.data.version === 'number'
  );
}

function markOf(event: unknown): Verified['mark'] {
  if (!isJsonObject(event)) return null;
  return event.test === true ? 'test' : event.replay === true ? 'replay' : null;
}
