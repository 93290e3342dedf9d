/**
 * Verifies webhooks signed according to Standard Webhooks and returns the event. One file without dependencies for Node 18
 * and later, Deno, Bun and Workers: import `tidings/verify` or copy the file. Sends no response and stores nothing.
 */

export type VerifyErrorCode =
  /** The secret or public key is invalid. This is an error of the receiver, not of the request. */
  | 'bad_secret'
  /** One of the three headers is missing. */
  | 'missing_header'
  /** `webhook-timestamp` is not a number of seconds. */
  | 'bad_timestamp'
  /** Signed longer ago than `tolerance`: a replayed old request, or a wrong clock. */
  | 'too_old'
  /** Signed more than `tolerance` in the future: a wrong clock. */
  | 'too_new'
  /** No signature matches: another secret, or the body was changed. */
  | 'no_match'
  /** The body is not raw text or bytes, for example because it was already parsed. */
  | 'bad_body'
  /** The signature is valid, but the body is not JSON. */
  | 'not_json';

/** Why a request is rejected. The message contains no secret, so it can be sent in the response and logged. */
export class VerifyError extends Error {
  override readonly name: string = 'VerifyError';
  readonly code: VerifyErrorCode;

  constructor(code: VerifyErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The body in the format `cloudevents`. `TidingsEvents` of `tidings/events` has the exact types of each event. */
export interface WebhookEvent {
  /** The same for every attempt and replay. Other formats lack it: detect duplicates with `webhookId(headers)`. */
  readonly id: string;
  /** `task.closed` */
  readonly type: string;
  readonly source: string;
  /** `task/412` */
  readonly subject: string;
  readonly time: string;
  /** Set on test events, which do not describe a real change. */
  readonly test?: true;
  /** Set when the event is sent again on request. */
  readonly replay?: true;
  readonly data: { readonly version: number; readonly record: { readonly [field: string]: unknown } };
}

/** `Headers`, or an object with names in any letter case, such as `request.headers` in Node. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** `whsec_…`, or a public key `whpk_…`. At least one of `secret`, `secrets` and `publicKey` is required. */
  readonly secret?: string | undefined;
  /** Several secrets, for a rotation: the new one and the old one. */
  readonly secrets?: readonly (string | undefined)[] | undefined;
  /** `whpk_…`, if the sender signs with Ed25519. */
  readonly publicKey?: string | undefined;
  readonly headers: HeadersLike;
  /** The raw body, before anything parses it. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** How many seconds the timestamp may be in the past or the future. @default 300 */
  readonly tolerance?: number | undefined;
  /** The current time, in milliseconds since 1970 or as a date. @default Date.now() */
  readonly now?: number | Date | undefined;
}

/** Returns the event if the signature is valid. Throws a VerifyError otherwise. */
export async function verify<E = WebhookEvent>(options: VerifyOptions): Promise<E> {
  const { headers, tolerance = 300, now = Date.now() } = options;
  const keys = readKeys(options);
  const bytes = bytesOf(options.body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  assertRecent(timestamp, tolerance, Math.floor(Number(now) / 1000));
  const signed = concat(encode(`${id}.${timestamp}.`), bytes);
  if (!(await hasValidSignature(keys, signatures, signed))) {
    throw new VerifyError(
      'no_match',
      'no signature matches: it was made with another secret, or the body differs from the bytes that were sent',
    );
  }
  return parse(bytes);
}

/** The header `webhook-id`: the same for every attempt and replay of an event, in every format of the body. */
export function webhookId(headers: HeadersLike): string {
  return headerOf(headers, 'webhook-id');
}

/** The ids of the last processed events. They are in memory only: a restart clears them, and processes do not share them. */
export interface RecentIds {
  /** Throws if there is no id: without one, every event after the first would seem to be a duplicate. */
  has(id: string): boolean;
  /** Call this after the event is processed: a failed event is sent again and must not be dropped then. */
  add(id: string): void;
}

/** Detects duplicates. Each id takes a few hundred bytes; beyond `limit` the oldest are removed. */
export function recentIds(limit: number = 10_000): RecentIds {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(requireId(id)),
    add: (id) => {
      ids.delete(id);
      ids.add(requireId(id));
      for (const oldest of ids) {
        if (ids.size <= limit) break;
        ids.delete(oldest);
      }
    },
  };
}

/** Plain JavaScript may pass the id of a body that has none. */
function requireId(id: string): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new TypeError(`expected the header webhook-id, got ${typeof id}: not every format of the body has an id`);
}

/** Whether the event describes an older state than the stored version. Events of one change share a version: equal is not stale. */
export function isStale(event: { readonly data: { readonly version: number } }, held: number | undefined): boolean {
  return held !== undefined && event.data.version < held;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface Key {
  /** `v1`: HMAC-SHA256 with a shared secret. `v1a`: Ed25519 with a public key. */
  readonly version: 'v1' | 'v1a';
  readonly bytes: Bytes;
}

function readKeys({ secret, secrets = [], publicKey }: VerifyOptions): Key[] {
  const given = [
    ...(secret === undefined ? [] : [secret]),
    ...secrets,
    ...(publicKey === undefined ? [] : [publicKey]),
  ];
  if (given.length === 0) {
    throw new VerifyError('bad_secret', 'no secret and no public key given: is the environment variable set?');
  }
  return given.map(readKey);
}

function readKey(text: string | undefined): Key {
  const [, prefix, encoded = ''] = /^(whsec|whpk)_(.*)$/.exec(text ?? '') ?? [];
  const bytes = decode(encoded);
  if (prefix === 'whsec' && bytes !== undefined && bytes.length >= 24 && bytes.length <= 64) {
    return { version: 'v1', bytes };
  }
  if (prefix === 'whpk' && bytes?.length === 32) return { version: 'v1a', bytes };
  throw new VerifyError(
    'bad_secret',
    text?.startsWith('whsk_')
      ? "'whsk_' is the sender's private key: a receiver needs the public key, 'whpk_'"
      : "expected 'whsec_' and the base64 of 24 to 64 bytes, or 'whpk_' and the base64 of an Ed25519 public key",
  );
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new VerifyError(
    'bad_body',
    `body: expected the raw text or bytes of the request, got ${body === null ? 'null' : typeof body}. A parsed body ` +
      'cannot be verified: the signature covers the bytes that were sent, and serializing JSON again changes them',
  );
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : findIn(headers, name);
  const text = typeof value === 'string' ? value : (value ?? []).join(', ');
  if (text === '') throw new VerifyError('missing_header', `the header ${name} is missing`);
  return text;
}

function isHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function findIn(headers: { readonly [name: string]: string | readonly string[] | undefined }, name: string) {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

function assertRecent(timestamp: string, tolerance: number, now: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new VerifyError('bad_timestamp', 'webhook-timestamp: expected seconds since 1970');
  }
  const age = now - Number(timestamp);
  // Negated comparisons reject everything if the tolerance or the clock is NaN.
  if (!(age <= tolerance)) {
    throw new VerifyError('too_old', `signed ${age} s ago: expected at most ${tolerance} s`);
  }
  if (!(age >= -tolerance)) {
    throw new VerifyError('too_new', `signed ${-age} s ahead of this clock: expected at most ${tolerance} s`);
  }
}

/** Without a limit, one request could cause thousands of verifications of a long body. */
const MAX_SIGNATURES = 16;

/** The length of a signature in bytes. */
const SIGNATURE_BYTES: Readonly<Record<Key['version'], number>> = { v1: 32, v1a: 64 };

async function hasValidSignature(keys: readonly Key[], header: string, signed: Bytes): Promise<boolean> {
  for (const part of header.split(' ', MAX_SIGNATURES)) {
    const [, version, encoded = ''] = /^(v1a?),(.{1,100})$/.exec(part) ?? [];
    const signature = decodeSignature(encoded);
    for (const key of keys) {
      if (key.version !== version || signature?.length !== SIGNATURE_BYTES[version]) continue;
      if (await isSignedBy(key, signature, signed)) return true;
    }
  }
  return false;
}

/** Web Crypto compares in constant time. */
async function isSignedBy({ version, bytes }: Key, signature: Bytes, signed: Bytes): Promise<boolean> {
  const { subtle } = await webCrypto();
  const algorithm = version === 'v1' ? { name: 'HMAC', hash: 'SHA-256' } : { name: 'Ed25519' };
  const key = await subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  return subtle.verify(algorithm.name, key, signature, signed);
}

/** Node 18 has no global `crypto`. The module name is not a literal, so that bundlers for other runtimes do not resolve it. */
async function webCrypto(): Promise<Pick<typeof globalThis.crypto, 'subtle'>> {
  if (globalThis.crypto !== undefined) return globalThis.crypto;
  const name = 'node:crypto';
  return (await import(name)).webcrypto;
}

function parse<E>(bytes: Uint8Array): E {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new VerifyError('not_json', 'the signature is valid, but the body is not JSON');
  }
}

/** Undefined for invalid base64. */
function decode(base64: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Accepts only canonical base64, because other libraries reject the other encodings of the same bytes. */
function decodeSignature(base64: string): Bytes | undefined {
  const bytes = decode(base64);
  return bytes !== undefined && btoa(String.fromCharCode(...bytes)) === base64 ? bytes : undefined;
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function concat(start: Uint8Array, end: Uint8Array): Bytes {
  const whole = new Uint8Array(start.length + end.length);
  whole.set(start);
  whole.set(end, start.length);
  return whole;
}
