/**
 * Verifies webhooks as Standard Webhooks signs them, and gives back the event. One file without dependencies, for Node 18
 * and later, Deno, Bun and Workers: use it as `tidings/verify`, or copy it. Answers no request and stores nothing.
 */

export type VerifyErrorCode =
  /** The secret or public key is not one: a fault of the receiver, not of the request. */
  | 'bad_secret'
  /** One of the three headers is not there. */
  | 'missing_header'
  /** `webhook-timestamp` is no number of seconds. */
  | 'bad_timestamp'
  /** Signed longer ago than `tolerance`: a copy of an old request, or a clock that is wrong. */
  | 'too_old'
  /** Signed later than now and `tolerance`: a clock is wrong. */
  | 'too_new'
  /** No signature fits: another secret, or not the bytes that were signed. */
  | 'no_match'
  /** What was given as the body cannot be verified, because it is no longer what was sent. */
  | 'bad_body'
  /** The signature is right, the body is not JSON. */
  | 'not_json';

/** Why a request is not to be trusted. The message may be answered and logged: it holds no secret. */
export class VerifyError extends Error {
  override readonly name: string = 'VerifyError';
  readonly code: VerifyErrorCode;

  constructor(code: VerifyErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a body holds in the format `cloudevents`. `TidingsEvents` of `tidings/events` says it for each type. */
export interface WebhookEvent {
  /** The same however often it is sent. */
  readonly id: string;
  /** `task.closed` */
  readonly type: string;
  readonly source: string;
  /** `task/412` */
  readonly subject: string;
  readonly time: string;
  /** Made up, to see whether it arrives. */
  readonly test?: true;
  /** Sent once more, because a person asked. */
  readonly replay?: true;
  readonly data: { readonly version: number; readonly record: { readonly [field: string]: unknown } };
}

/** `Headers`, or an object of them in any case, such as `request.headers` of Node. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** `whsec_…`, or a public key `whpk_…`. One of `secret`, `secrets` and `publicKey` is needed. */
  readonly secret?: string | undefined;
  /** When a secret changes: the new one and the old one, until nothing is signed with the old one any more. */
  readonly secrets?: readonly (string | undefined)[] | undefined;
  /** `whpk_…`, where the sender signs with Ed25519. */
  readonly publicKey?: string | undefined;
  readonly headers: HeadersLike;
  /** As it came over the wire, before anything parsed it. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** Seconds a signature may be old, or early. @default 300 */
  readonly tolerance?: number | undefined;
  /** Milliseconds since 1970, or a date. @default - the machine's clock */
  readonly now?: number | Date | undefined;
}

/** The event, once it is certain who sent it and that nobody changed it. Throws a VerifyError otherwise. */
export async function verify<E = WebhookEvent>(options: VerifyOptions): Promise<E> {
  const { headers, tolerance = 300, now = Date.now() } = options;
  const keys = readKeys(options);
  const bytes = bytesOf(options.body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  refuseOtherTimes(timestamp, tolerance, Math.floor(Number(now) / 1000));
  const signed = concat(encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSignedByOne(keys, signatures, signed))) {
    throw new VerifyError(
      'no_match',
      'no signature fits: it was made with another secret, or the body is not byte for byte what was sent',
    );
  }
  return parse(bytes);
}

/** The last ids that were taken, oldest forgotten first. In memory: a restart forgets, several processes do not share. */
export interface RecentIds {
  has(id: string): boolean;
  /** Call it when the event is dealt with, not before: one that failed comes again, and must not be dropped then. */
  add(id: string): void;
}

/** Helps to drop what comes twice. Each id costs some hundred bytes. */
export function recentIds(limit: number = 10_000): RecentIds {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.delete(id);
      ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= limit) break;
        ids.delete(oldest);
      }
    },
  };
}

/** Whether it tells of an older state than the one held. Events of one change share a version: equal is not stale. */
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
    throw new VerifyError('bad_secret', "there is neither secret nor public key: is the environment's variable set?");
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
      ? "'whsk_' begins the sender's private key: a receiver needs the public one, 'whpk_'"
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
      'cannot be verified: the signature is over the bytes that were sent, and writing JSON anew gives others',
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

function refuseOtherTimes(timestamp: string, tolerance: number, now: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new VerifyError('bad_timestamp', 'webhook-timestamp: expected seconds since 1970');
  }
  const age = now - Number(timestamp);
  // Asked this way round, a tolerance or a clock that is no number refuses everything rather than nothing.
  if (!(age <= tolerance)) {
    throw new VerifyError('too_old', `signed ${age} s ago: expected at most ${tolerance} s`);
  }
  if (!(age >= -tolerance)) {
    throw new VerifyError('too_new', `signed ${-age} s ahead of this clock: expected at most ${tolerance} s`);
  }
}

/** More than any sender has: without a limit, one request could ask for thousands of comparisons over a long body. */
const MOST_SIGNATURES = 16;

/** Bytes of a signature. */
const LENGTHS: Readonly<Record<Key['version'], number>> = { v1: 32, v1a: 64 };

async function isSignedByOne(keys: readonly Key[], header: string, signed: Bytes): Promise<boolean> {
  for (const part of header.split(' ', MOST_SIGNATURES)) {
    const [, version, encoded = ''] = /^(v1a?),(.{1,100})$/.exec(part) ?? [];
    const signature = decodeSignature(encoded);
    for (const key of keys) {
      if (key.version !== version || signature?.length !== LENGTHS[version]) continue;
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

/** Node 18 has it in a module only. The name is no literal, so that bundlers for other places do not look for it. */
async function webCrypto(): Promise<Pick<typeof globalThis.crypto, 'subtle'>> {
  if (globalThis.crypto !== undefined) return globalThis.crypto;
  const name = 'node:crypto';
  return (await import(name)).webcrypto;
}

function parse<E>(bytes: Uint8Array): E {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new VerifyError('not_json', 'the signature is right, but the body is not JSON');
  }
}

/** Undefined for what is no base64. */
function decode(base64: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Only in its one right spelling: base64 has several for the same bytes, and others would refuse those. */
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
