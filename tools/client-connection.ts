/**
 * Makes the requests of the API client: key, query, `Idempotency-Key`, retries, cursors and errors. The generator puts this file in
 * front of the operations, so that the client is one file. It imports nothing.
 */

/** The part of `fetch` that the client uses. */
export type FetchLike = (url: string, request: FetchRequest) => Promise<FetchResponse>;

export interface FetchRequest {
  readonly method: string;
  readonly headers: { [name: string]: string };
  readonly body?: string;
  /** A redirect is an error: the key must not follow it to another address. */
  readonly redirect: 'error';
  /** Aborts when the caller has stopped waiting for the response. */
  readonly signal: GlobalSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** An `AbortSignal`. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The `AbortSignal` of the program, if it has the types of one, so that its `fetch` fits `FetchLike`. */
export type GlobalSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : StopSignal;

export interface ClientOptions {
  /** Where the API is: `http://127.0.0.1:4020`, or the ManageUrl of the stack. A `/v1` at its end may be present. */
  readonly url: string;
  /** `tdk_…` */
  readonly key: string;
  /** How often a request is repeated after 429, 502, 503 or 504; after no response at most once. @default 3 */
  readonly maxRetries?: number;
  /** The longest total wait of one call between its attempts. A longer `Retry-After` fails at once. @default 60_000 */
  readonly maxWaitMs?: number;
  /** How long to wait for one response. @default 60_000 */
  readonly timeoutMs?: number;
  /** @default - the global fetch */
  readonly fetch?: FetchLike;
  /** Waits between attempts. @default - a timer */
  readonly sleep?: (ms: number) => Promise<void>;
}

export interface CallOptions {
  /** Of a POST: repeating the call with the same key within a day acts once. @default - a new key per call */
  readonly idempotencyKey?: string;
  /** The `etag` of the state to change: the call fails with 412 if it was changed since. @default - any state */
  readonly ifMatch?: string;
  /** Ends the call. @default - it cannot be ended */
  readonly signal?: StopSignal;
}

export interface FieldProblem {
  /** A JSON pointer into the body, `/to/http/url`, or the name of a query parameter. */
  readonly pointer: string;
  readonly detail: string;
}

/** A response that is not a success, or no response (`status` 0). The message contains no key. */
export class TidingsApiError extends Error {
  override readonly name: string = 'TidingsApiError';
  readonly status: number;
  /** Stable, such as `TIDINGS_API_NOT_FOUND`. `TIDINGS_API_UNREACHABLE`: no response. `TIDINGS_API_RESPONSE`: not from Tidings. */
  readonly code: string;
  /** Each wrong field. */
  readonly errors: readonly FieldProblem[];
  /** How long the API asks to wait, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly errors?: readonly FieldProblem[]; readonly retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.code = code;
    this.errors = more.errors ?? [];
    this.retryAfter = more.retryAfter;
  }
}

/** A subscription and the version that `ifMatch` takes. `etag` is not enumerable, so that a copy is a plain body. */
export type Versioned<Body> = Body & { readonly etag: string };

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/subscriptions/{name}` */
  readonly path: string;
  readonly params?: readonly string[];
  readonly query?: object;
  readonly body?: object;
}

export type CallApi = <Body>(request: ApiRequest, options: CallOptions | undefined) => Promise<Body>;

const RETRIED = [429, 502, 503, 504];
const FIRST_WAIT_MS = 500;

/** Returns the function that makes requests. */
export function connectApi(settings: ClientOptions): CallApi {
  const { key, maxRetries = 3, maxWaitMs = 60_000, timeoutMs = 60_000, fetch: send = fetchNow, sleep } = settings;
  const base = settings.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const wait = sleep ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));

  return async <Body>(request: ApiRequest, options: CallOptions = {}): Promise<Body> => {
    const { signal, ifMatch } = options;
    const init: Omit<FetchRequest, 'signal'> = {
      method: request.method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.method === 'POST' ? { 'idempotency-key': options.idempotencyKey ?? newKey() } : {}),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'error',
    };
    const url = base + addressOf(request);
    for (let retry = 0, waited = 0; ; retry += 1) {
      const result = await attempt<Body>((stop) => send(url, { ...init, signal: stop }), { timeoutMs, signal, base });
      if (!(result instanceof TidingsApiError)) return result.body;
      const ms = result.retryAfter === undefined ? FIRST_WAIT_MS * 2 ** retry : result.retryAfter * 1000;
      const limit = result.status === 0 ? Math.min(maxRetries, 1) : maxRetries;
      const isFinal = !isTransient(result, ifMatch) || retry >= limit || waited + ms > maxWaitMs;
      if (isFinal || signal?.aborted === true) throw result;
      await untilStopped(wait(ms), signal);
      waited += ms;
    }
  };
}

/** With If-Match, a repeated request finds its own change if only the response was lost. */
function isTransient({ status, code }: TidingsApiError, ifMatch: string | undefined): boolean {
  if (code === 'TIDINGS_API_UNREACHABLE') return ifMatch === undefined;
  return RETRIED.includes(status) || code === 'TIDINGS_API_IN_PROGRESS';
}

/** All items of a list, page by page. */
export async function* iteratePages<Item>(
  readPage: (after: string | undefined) => Promise<{ data: Item[]; next: string | null; more?: boolean }>,
): AsyncGenerator<Item, void, undefined> {
  for (let after: string | undefined; ; ) {
    const { data, next, more = next !== null } = await readPage(after);
    yield* data;
    if (!more || next === null) return;
    after = next;
  }
}

const fetchNow: FetchLike = (url, request) => globalThis.fetch(url, request);

/** Random enough to be unique among the requests of one key. */
function newKey(): string {
  return (
    globalThis.crypto?.randomUUID?.() ?? Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join('')
  );
}

function addressOf({ path, params = [], query = {} }: ApiRequest): string {
  let index = 0;
  const filled = path.replace(/\{\w+\}/g, () => {
    const value = params[index++] ?? '';
    // The path would be that of another operation.
    if (value === '' || value === '.' || value === '..')
      throw new TypeError(`${path}: expected a value, got '${value}'`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? filled : `${filled}?${text}`;
}

interface AttemptOptions {
  readonly timeoutMs: number;
  readonly signal: StopSignal | undefined;
  readonly base: string;
}

/** Returns errors that say something about the API; throws the reason of a stopped call. */
async function attempt<Body>(
  send: (stop: GlobalSignal) => Promise<FetchResponse>,
  { timeoutMs, signal, base }: AttemptOptions,
): Promise<{ readonly body: Body } | TidingsApiError> {
  const exchangeEnd = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const exchange = send(exchangeEnd.signal).then(async (response) => ({ response, text: await response.text() }));
    const { response, text } = await untilStopped(Promise.race([exchange, timeout]), signal);
    return readResponse<Body>(response, text);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    return new TidingsApiError(0, 'TIDINGS_API_UNREACHABLE', `${base}: ${causeOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    exchangeEnd.abort();
  }
}

/** fetch says only "fetch failed"; its cause says why. */
function causeOf(error: unknown): string {
  const { cause, message } = error as {
    readonly cause?: { readonly message?: string; code?: string };
    message?: string;
  };
  return cause?.message || cause?.code || message || String(error);
}

function readResponse<Body>(response: FetchResponse, text: string): { readonly body: Body } | TidingsApiError {
  const { status, headers } = response;
  const isGood = status >= 200 && status < 300;
  if (isGood && text === '') return { body: undefined as Body };
  const body = parseObject(text);
  if (isGood && body !== undefined) {
    const etag = headers.get('etag');
    return { body: (etag === null ? body : Object.defineProperty(body, 'etag', { value: etag })) as Body };
  }
  const retryAfter = readRetryAfter(headers.get('retry-after'));
  const { code, detail, errors } = (body ?? {}) as { code?: unknown; detail?: unknown; errors?: FieldProblem[] };
  if (typeof code === 'string' && typeof detail === 'string') {
    return new TidingsApiError(status, code, detail, { errors: errors ?? [], retryAfter });
  }
  const message = `expected a response of the Tidings API, got ${status}: ${text.trim().slice(0, 200)}`;
  return new TidingsApiError(status, 'TIDINGS_API_RESPONSE', message, { retryAfter });
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds, or a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Rejects with the reason of the signal as soon as it aborts. */
async function untilStopped<Value>(work: Promise<Value>, signal: StopSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  if (signal.aborted) throw signal.reason;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
