/**
 * A client of the management API, generated from its OpenAPI document by `npm run generate`. One file without dependencies for Node 18
 * and later, Deno, Bun and Workers: import `tidings/client` or copy the file. See docs/api/platforms.md.
 */

/** The part of `fetch` that the client uses. */
export type FetchLike = (url: string, request: FetchRequest) => Promise<FetchResponse>;

export interface FetchRequest {
  readonly method: string;
  readonly headers: { [name: string]: string };
  readonly body?: string;
  /** A redirect is an error: the key must not follow it to another address. */
  readonly redirect: 'error';
  /** Aborts when nobody waits for the response any longer. */
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

interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/subscriptions/{name}` */
  readonly path: string;
  readonly params?: readonly string[];
  readonly query?: object;
  readonly body?: object;
}

type CallApi = <Body>(request: ApiRequest, options: CallOptions | undefined) => Promise<Body>;

const RETRIED = [429, 502, 503, 504];
const FIRST_WAIT_MS = 500;

/** Returns the function that makes requests. */
function connectApi(settings: ClientOptions): CallApi {
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
async function* iteratePages<Item>(
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

/**
 * The record after the change.
 */
export type Client = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client1 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client2 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client3 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client4 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client5 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Client6 = ClientFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document1 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document2 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document3 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document4 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document5 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Document6 = DocumentFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
export type Client7 = ClientFields & EventClient;
export type Document7 = DocumentFields & EventDocument;
export type Expense = ExpenseFields & EventExpense;
export type Group = GroupFields & EventGroup;
export type Invoice = InvoiceFields & EventInvoice;
export type OtherRecord = OtherRecordFields & EventOtherRecord;
export type Person = PersonFields & EventPerson;
export type Project = ProjectFields & EventProject;
export type Projectmodule = ProjectmoduleFields & EventProjectmodule;
export type Source = SourceFields & EventSource;
export type Subscription = SubscriptionFields & EventSubscription;
export type Task = TaskFields & EventTask;
/**
 * The record after the change.
 */
export type Expense1 = ExpenseFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Expense2 = ExpenseFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Expense3 = ExpenseFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Expense4 = ExpenseFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Expense5 = ExpenseFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
export type FilterInput = {
  [k: string]: unknown;
};
/**
 * The record after the change.
 */
export type Group1 = GroupFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Group2 = GroupFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Group3 = GroupFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Group4 = GroupFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Group5 = GroupFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice1 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice2 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice3 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice4 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice5 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice6 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice7 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice8 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice9 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice10 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice11 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice12 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice13 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice14 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Invoice15 = InvoiceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person1 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person2 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person3 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person4 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person5 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person6 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person7 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Person8 = PersonFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project1 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project2 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project3 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project4 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project5 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project6 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project7 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project8 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project9 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project10 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project11 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Project12 = ProjectFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule1 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule2 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule3 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule4 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule5 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule6 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Projectmodule7 = ProjectmoduleFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type OtherRecord1 = OtherRecordFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type OtherRecord2 = OtherRecordFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type OtherRecord3 = OtherRecordFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type OtherRecord4 = OtherRecordFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type OtherRecord5 = OtherRecordFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
export type ReplayInput = {
  [k: string]: unknown;
};
/**
 * The record after the change.
 */
export type Source2 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source3 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source4 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source5 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source6 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source7 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source8 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source9 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source10 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source11 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source12 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source13 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source14 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source15 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Source16 = SourceFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Subscription2 = SubscriptionFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Subscription3 = SubscriptionFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Subscription4 = SubscriptionFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Subscription5 = SubscriptionFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task1 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task2 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task3 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task4 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task5 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task6 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task7 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task8 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task9 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task10 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task11 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task12 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task13 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task14 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task15 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task16 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task17 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task18 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task19 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task20 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task21 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task22 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};
/**
 * The record after the change.
 */
export type Task23 = TaskFields & {
  /**
   * The id of the record in the API.
   */
  id: string;
};

export interface AmountQuota {
  limit: number;
  used: number;
}
export interface Attempt {
  number: number;
  /**
   * UTC with milliseconds.
   */
  at: string;
  ms: number;
  /**
   * skipped: nothing was sent, because all events were outdated, or every reader has unsubscribed.
   */
  outcome: 'accepted' | 'retry' | 'gave-up' | 'skipped';
  /**
   * The HTTP status of the response.
   */
  status?: number;
  /**
   * The id that the receiver gave the request.
   */
  requestId?: string;
  /**
   * The first 4 KB of the response.
   */
  body?: string;
  code?: string;
  message?: string;
  /**
   * Recipients of a mail who accepted it.
   */
  reached?: string[];
  ownFault?: number;
}
export interface AuditEntry {
  id: string;
  /**
   * UTC with milliseconds.
   */
  at: string;
  by: {
    kind: string;
    id: string;
    name?: string;
  };
  action: string;
  target: string;
  details?: {
    [k: string]: unknown;
  };
  /**
   * started: the change may have been made, because the server ended before it could say. refused: nothing was changed. Missing: it was made.
   */
  outcome?: 'started' | 'refused';
}
export interface AuditPage {
  data: AuditEntry[];
  /**
   * The cursor of the next page; null when nothing follows.
   */
  next: string | null;
}
/**
 * A client was activated. Fires when `active` becomes true. Does not fire for a new client.
 */
export interface ClientActivated {
  specversion: '1.0';
  id: string;
  type: 'client.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/client.activated.json#/$defs/data'
    | 'tidings:/schemas/client.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client;
    previous: ClientFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields1 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface EventChange {
  field: string;
  from: unknown;
  to: unknown;
}
/**
 * The change happened after the last scan that would have shown it (null if unknown) and before the response that showed it.
 */
export interface EventOccurred {
  after: string | null;
  before: string;
}
/**
 * The person who made the change. Present only if the source has attribution enabled and the author is certain.
 */
export interface EventAuthor {
  id: string;
  name: string | null;
}
/**
 * A client became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a client for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface ClientBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'client.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/client.became_visible.json#/$defs/data'
    | 'tidings:/schemas/client.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client1;
    previous: ClientFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields2 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A client was created. Fires when a poll finds a client that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface ClientCreated {
  specversion: '1.0';
  id: string;
  type: 'client.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/client.created.json#/$defs/data' | 'tidings:/schemas/client.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client2;
    previous: ClientFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields3 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A client was deactivated. Fires when `active` becomes false. Does not fire for a new client.
 */
export interface ClientDeactivated {
  specversion: '1.0';
  id: string;
  type: 'client.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/client.deactivated.json#/$defs/data'
    | 'tidings:/schemas/client.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client3;
    previous: ClientFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields4 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A client was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ClientDeleted {
  specversion: '1.0';
  id: string;
  type: 'client.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/client.deleted.json#/$defs/data' | 'tidings:/schemas/client.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client4;
    previous: ClientFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields5 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted client was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ClientRestored {
  specversion: '1.0';
  id: string;
  type: 'client.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/client.restored.json#/$defs/data' | 'tidings:/schemas/client.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client5;
    previous: ClientFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields6 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A client changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ClientUpdated {
  specversion: '1.0';
  id: string;
  type: 'client.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/client.updated.json#/$defs/data' | 'tidings:/schemas/client.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Client6;
    previous: ClientFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientFields7 {
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface Count {
  /**
   * How many events.
   */
  count: number;
  /**
   * How many messages: one for each event and reader, before those that are sent together are gathered.
   */
  messages: number;
  dryRun: boolean;
}
export interface Delivery {
  id: string;
  subscription: string;
  events: string[];
  status: 'waiting' | 'pending' | 'held' | 'gathered' | 'settled' | 'failed';
  /**
   * UTC with milliseconds.
   */
  createdAt: string;
  settledAt: string | null;
  /**
   * When it is queued for its next attempt.
   */
  dueAt: string | null;
  attempts: Attempt[];
  /**
   * The delivery that carries its events, if they were gathered.
   */
  into?: string;
  mark?: 'replay' | 'test';
  /**
   * It is not sent before: the start of its readers’ day.
   */
  notBefore?: string;
  /**
   * A digest of what is open: of which source and day, and of which records.
   */
  standing?: {
    source: string;
    day: string;
    subjects?: string[];
  }[];
  /**
   * The only reader: the source and the id of a person, such as main/5.
   */
  person?: string;
  /**
   * The only reader by name; null: all receivers of the subscription.
   */
  reader: Reader | null;
  /**
   * Why it is not attempted now; null: it is over, or is being attempted.
   */
  wait: Wait | null;
  /**
   * Why it was settled without being sent; null: it was sent, or is not settled.
   */
  skipped: string | null;
}
export interface Reader {
  /**
   * main/5; main/ is no one, whose messages go to the fallback.
   */
  person: string;
  /**
   * Null for no one, and for a key that may not see events of people.
   */
  name: string | null;
  /**
   * Where the message goes. Null as the name, or if there is none.
   */
  address: string | null;
}
export interface Wait {
  because:
    | 'receiver-paused'
    | 'day-start'
    | 'quiet-hours'
    | 'snoozed'
    | 'rate-limit'
    | 'digest'
    | 'gathering'
    | 'retry'
    | 'spread'
    | 'subscription-paused'
    | 'subscription-disabled';
  /**
   * Null: until the subscription is resumed.
   */
  until: string | null;
  /**
   * The last error of the receiver.
   */
  reason?: string;
  /**
   * Since when events are gathered.
   */
  since?: string;
}
export interface DeliveryPage {
  data: Delivery[];
  /**
   * The cursor of the next page; null when nothing follows.
   */
  next: string | null;
}
/**
 * A document was activated. Fires when `active` becomes true. Does not fire for a new document.
 */
export interface DocumentActivated {
  specversion: '1.0';
  id: string;
  type: 'document.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.activated.json#/$defs/data'
    | 'tidings:/schemas/document.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document;
    previous: DocumentFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields1 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A document became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a document for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface DocumentBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'document.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.became_visible.json#/$defs/data'
    | 'tidings:/schemas/document.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document1;
    previous: DocumentFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields2 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A document was created. Fires when a poll finds a document that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface DocumentCreated {
  specversion: '1.0';
  id: string;
  type: 'document.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.created.json#/$defs/data'
    | 'tidings:/schemas/document.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document2;
    previous: DocumentFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields3 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A document was deactivated. Fires when `active` becomes false. Does not fire for a new document.
 */
export interface DocumentDeactivated {
  specversion: '1.0';
  id: string;
  type: 'document.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.deactivated.json#/$defs/data'
    | 'tidings:/schemas/document.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document3;
    previous: DocumentFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields4 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A document was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface DocumentDeleted {
  specversion: '1.0';
  id: string;
  type: 'document.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.deleted.json#/$defs/data'
    | 'tidings:/schemas/document.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document4;
    previous: DocumentFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields5 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A deleted document was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface DocumentRestored {
  specversion: '1.0';
  id: string;
  type: 'document.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.restored.json#/$defs/data'
    | 'tidings:/schemas/document.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document5;
    previous: DocumentFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields6 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * A document changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface DocumentUpdated {
  specversion: '1.0';
  id: string;
  type: 'document.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/document.updated.json#/$defs/data'
    | 'tidings:/schemas/document.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Document6;
    previous: DocumentFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentFields7 {
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: unknown;
}
/**
 * The CloudEvents envelope, as receivers get it. See docs/events.md.
 */
export interface RecordedEvent {
  specversion: '1.0';
  id: string;
  type: string;
  source: string;
  subject: string;
  /**
   * UTC with milliseconds.
   */
  time: string;
  datacontenttype: 'application/json';
  dataschema?: string;
  test?: true;
  data: {
    [k: string]: unknown;
  };
}
export interface EventClient {
  /**
   * The id of the record in the API.
   */
  id: string;
}
export interface EventCounts {
  data: {
    /**
     * UTC with milliseconds.
     */
    hour: string;
    count: number;
  }[];
}
export interface EventDocument {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface EventExpense {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
export interface EventGroup {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
export interface EventInvoice {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields {
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface EventOtherRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
}
export interface EventPage {
  data: RecordedEvent[];
  /**
   * The cursor of the next page. Never null where the oldest come first: keep it and poll for newer events. A page may be short, and even empty, with more to come.
   */
  next: string | null;
  /**
   * Whether more events may follow at once.
   */
  more: boolean;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
export interface EventPerson {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
export interface EventProject {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
export interface EventProjectmodule {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
export interface EventSource {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionFields {
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent when it was removed.
   */
  dropped?: number;
  [k: string]: unknown;
}
export interface EventSubscription {
  /**
   * The id of the record in the API.
   */
  id: string;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
export interface EventTask {
  /**
   * The id of the record in the API.
   */
  id: string;
}
export interface EventType {
  type: string;
  resource: string;
  meaning: string;
  when: string;
  urgency: 'good' | 'plain' | 'soon' | 'late';
  /**
   * Whether it is caused by the passing of time.
   */
  byTime: boolean;
  /**
   * JSON Schema of the event.
   */
  schema: {
    [k: string]: unknown;
  };
  example: RecordedEvent | null;
}
/**
 * An expense became visible to the token’s person, or was created. Fires instead of `created` when a poll finds an expense for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface ExpenseBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'expense.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/expense.became_visible.json#/$defs/data'
    | 'tidings:/schemas/expense.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Expense1;
    previous: ExpenseFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields1 {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * An expense was created. Fires when a poll finds an expense that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface ExpenseCreated {
  specversion: '1.0';
  id: string;
  type: 'expense.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/expense.created.json#/$defs/data' | 'tidings:/schemas/expense.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Expense2;
    previous: ExpenseFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields2 {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * An expense was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ExpenseDeleted {
  specversion: '1.0';
  id: string;
  type: 'expense.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/expense.deleted.json#/$defs/data' | 'tidings:/schemas/expense.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Expense3;
    previous: ExpenseFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields3 {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted expense was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ExpenseRestored {
  specversion: '1.0';
  id: string;
  type: 'expense.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/expense.restored.json#/$defs/data'
    | 'tidings:/schemas/expense.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Expense4;
    previous: ExpenseFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields4 {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * An expense changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ExpenseUpdated {
  specversion: '1.0';
  id: string;
  type: 'expense.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/expense.updated.json#/$defs/data' | 'tidings:/schemas/expense.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Expense5;
    previous: ExpenseFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseFields5 {
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface ExplainedEvent {
  event: RecordedEvent;
  rule: {
    meaning: string;
    when: string;
  } | null;
  /**
   * The event in one line for people.
   */
  line: string;
  /**
   * The names of the ids in the changes, by field and id, as far as they are known: { statusid: { 7: Staged } }.
   */
  names: {
    [k: string]: {
      [k: string]: string;
    };
  };
  deliveries: Delivery[];
  /**
   * Each subscription that the caller may see: who got the event, and why others did not.
   */
  subscriptions: {
    subscription: string;
    /**
     * Whether its filters match the event, and if not, why. Null if the subscription was removed.
     */
    verdict: {
      wanted: boolean;
      because?: string;
      [k: string]: unknown;
    } | null;
    /**
     * The id of the delivery that carries the event.
     */
    delivery: string | null;
    /**
     * The ids of those that carried it to the same reader before it was sent again.
     */
    earlier: string[];
    receiverPaused: {
      [k: string]: unknown;
    } | null;
  }[];
}
export interface FilterField {
  /**
   * Its word in a query: project.
   */
  key: string;
  /**
   * What people call it.
   */
  label: string;
  kind: 'text' | 'number' | 'date' | 'flag';
  /**
   * Whether a query may compare it: total>=500.
   */
  isComparable: boolean;
  /**
   * Whether people use it often.
   */
  isCommon: boolean;
  /**
   * The fields it stands for.
   */
  fields: {
    resource: string;
    name: string;
  }[];
  /**
   * The values in the account, as far as the key may see them; empty if they are not known.
   */
  values: string[];
}
export interface FilterInput1 {
  /**
   * A single event type, short for events.
   */
  event?: string;
  /**
   * Event types; '*' matches any characters.
   *
   * @minItems 1
   */
  events?: string[];
  /**
   * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
   */
  where?: {
    [k: string]: unknown;
  };
  /**
   * Words such as task.overdue daily 08:30, instead of events, where, digest and quiet. See docs/query.md.
   */
  query?: string;
  /**
   * Default: 7 days ago.
   */
  since?: string;
  /**
   * Default: now.
   */
  until?: string;
}
export interface FilterResult {
  /**
   * UTC with milliseconds.
   */
  since: string;
  /**
   * UTC with milliseconds.
   */
  until: string;
  /**
   * What was tried. A query is shown as what it stands for.
   */
  filter: {
    events: string[];
    /**
     * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
     */
    where?: {
      [k: string]: unknown;
    };
    /**
     * One message at a fixed time: { at, days }.
     */
    digest?: {
      [k: string]: unknown;
    };
    /**
     * Hours without messages: { from, until, days }.
     */
    quiet?: {
      [k: string]: unknown;
    };
  };
  /**
   * Events recorded in the period; null for a key with event types.
   */
  recorded: number | null;
  matched: number;
  byType: {
    [k: string]: number;
  };
  /**
   * The newest that match.
   */
  samples: {
    line: string;
    event: RecordedEvent;
  }[];
}
export interface Forecast {
  /**
   * UTC with milliseconds.
   */
  from: string;
  /**
   * UTC with milliseconds.
   */
  until: string;
  /**
   * How many there are in the period.
   */
  count: number;
  /**
   * Sources whose zone or rules have changed since their last poll.
   */
  unsettled: string[];
  data: {
    /**
     * UTC with milliseconds.
     */
    at: string;
    type: string;
    source: string;
    subject: string;
    line: string;
    /**
     * Who gets it, and when it is sent. Empty for a key with event types.
     */
    subscriptions: {
      name: string;
      /**
       * UTC with milliseconds.
       */
      sentAt: string;
    }[];
  }[];
  /**
   * What subscriptions send in the period, digests included: the first ones, up to the limit.
   */
  messages: ForecastMessage[];
}
export interface ForecastMessage {
  subscription: string;
  /**
   * When it is sent.
   */
  at: string;
  /**
   * The zone that its readers think in.
   */
  zone: string;
  /**
   * A digest or another message for people; or events, which programs get one by one.
   */
  kind: 'digest' | 'message' | 'events';
  /**
   * Such as: 40 tasks overdue.
   */
  title: string;
  /**
   * The number of records.
   */
  count: number;
  /**
   * The types of its events.
   */
  types: string[];
  /**
   * How many people get one each; null: all receivers get the same.
   */
  people: number | null;
  /**
   * Whether it will be held, because the subscription is paused or disabled.
   */
  isHeld: boolean;
}
/**
 * A group became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a group for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface GroupBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'group.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/group.became_visible.json#/$defs/data'
    | 'tidings:/schemas/group.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Group1;
    previous: GroupFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields1 {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
/**
 * A group was created. Fires when a poll finds a group that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface GroupCreated {
  specversion: '1.0';
  id: string;
  type: 'group.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/group.created.json#/$defs/data' | 'tidings:/schemas/group.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Group2;
    previous: GroupFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields2 {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
/**
 * A group was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface GroupDeleted {
  specversion: '1.0';
  id: string;
  type: 'group.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/group.deleted.json#/$defs/data' | 'tidings:/schemas/group.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Group3;
    previous: GroupFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields3 {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted group was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface GroupRestored {
  specversion: '1.0';
  id: string;
  type: 'group.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/group.restored.json#/$defs/data' | 'tidings:/schemas/group.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Group4;
    previous: GroupFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields4 {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
/**
 * A group changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface GroupUpdated {
  specversion: '1.0';
  id: string;
  type: 'group.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/group.updated.json#/$defs/data' | 'tidings:/schemas/group.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Group5;
    previous: GroupFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupFields5 {
  group?: string | null;
  name?: string | null;
  [k: string]: unknown;
}
/**
 * The total of an invoice changed. Fires when the total changes. Payments do not change the total.
 */
export interface InvoiceAmountChanged {
  specversion: '1.0';
  id: string;
  type: 'invoice.amount_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.amount_changed.json#/$defs/data'
    | 'tidings:/schemas/invoice.amount_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice1;
    previous: InvoiceFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields1 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice became visible to the token’s person, or was created. Fires instead of `created` when a poll finds an invoice for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface InvoiceBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'invoice.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.became_visible.json#/$defs/data'
    | 'tidings:/schemas/invoice.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice2;
    previous: InvoiceFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields2 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice was created. Fires when a poll finds an invoice that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface InvoiceCreated {
  specversion: '1.0';
  id: string;
  type: 'invoice.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/invoice.created.json#/$defs/data' | 'tidings:/schemas/invoice.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice3;
    previous: InvoiceFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields3 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface InvoiceDeleted {
  specversion: '1.0';
  id: string;
  type: 'invoice.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/invoice.deleted.json#/$defs/data' | 'tidings:/schemas/invoice.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice4;
    previous: InvoiceFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields4 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The due date of an invoice changed. Fires when the due date is set, moved or removed. `invoice.due_soon`, `invoice.overdue` and reminders can then fire again.
 */
export interface InvoiceDueDateChanged {
  specversion: '1.0';
  id: string;
  type: 'invoice.due_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.due_date_changed.json#/$defs/data'
    | 'tidings:/schemas/invoice.due_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice5;
    previous: InvoiceFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields5 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An unpaid invoice is due soon. Fires once per due date, `rules.invoiceDueSoon` before it, at midnight in the account’s time zone, if the invoice has an open balance.
 */
export interface InvoiceDueSoon {
  specversion: '1.0';
  id: string;
  type: 'invoice.due_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.due_soon.json#/$defs/data'
    | 'tidings:/schemas/invoice.due_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice6;
    previous: InvoiceFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields6 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the invoice has an open balance. Fires again if the due date is moved and passes again, or if a payment is reversed.
 */
export interface InvoiceOverdue {
  specversion: '1.0';
  id: string;
  type: 'invoice.overdue';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/invoice.overdue.json#/$defs/data' | 'tidings:/schemas/invoice.overdue.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice7;
    previous: InvoiceFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields7 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice is still overdue. Fires at each number of days overdue in `rules.invoiceOverdueReminders` (7, 14 and 30 by default) while the invoice has an open balance; `details.days` is that number.
 */
export interface InvoiceOverdueReminder {
  specversion: '1.0';
  id: string;
  type: 'invoice.overdue_reminder';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.overdue_reminder.json#/$defs/data'
    | 'tidings:/schemas/invoice.overdue_reminder.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice8;
    previous: InvoiceFields8;
    changes: EventChange[];
    details: {
      days: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields8 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice is fully paid. Fires when payments bring the balance to zero, a date of payment appears, or the status becomes paid. Fires again if a payment is reversed and the invoice is paid again. Never fires for an empty or voided invoice or a credit note: their total is zero or negative. Amounts are compared in cents.
 */
export interface InvoicePaid {
  specversion: '1.0';
  id: string;
  type: 'invoice.paid';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/invoice.paid.json#/$defs/data' | 'tidings:/schemas/invoice.paid.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice9;
    previous: InvoiceFields9;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields9 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice was partially paid. Fires together with `invoice.payment_received` when a balance remains.
 */
export interface InvoicePartiallyPaid {
  specversion: '1.0';
  id: string;
  type: 'invoice.partially_paid';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.partially_paid.json#/$defs/data'
    | 'tidings:/schemas/invoice.partially_paid.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice10;
    previous: InvoiceFields10;
    changes: EventChange[];
    details: {
      amount: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields10 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A payment for an invoice was received. Fires when the sum of payments increases, or a new invoice has payments; `details.amount` is the increase. Several payments between two polls are one event.
 */
export interface InvoicePaymentReceived {
  specversion: '1.0';
  id: string;
  type: 'invoice.payment_received';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.payment_received.json#/$defs/data'
    | 'tidings:/schemas/invoice.payment_received.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice11;
    previous: InvoiceFields11;
    changes: EventChange[];
    details: {
      amount: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields11 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A payment for an invoice was reversed. Fires when the sum of payments decreases, and the invoice itself, read once more, shows it; `details.amount` is the negative difference. Does not fire for the refund of a credit note.
 */
export interface InvoicePaymentReversed {
  specversion: '1.0';
  id: string;
  type: 'invoice.payment_reversed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.payment_reversed.json#/$defs/data'
    | 'tidings:/schemas/invoice.payment_reversed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice12;
    previous: InvoiceFields12;
    changes: EventChange[];
    details: {
      amount: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields12 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted invoice was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface InvoiceRestored {
  specversion: '1.0';
  id: string;
  type: 'invoice.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.restored.json#/$defs/data'
    | 'tidings:/schemas/invoice.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice13;
    previous: InvoiceFields13;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields13 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice was paid after its due date. Fires together with `invoice.paid` when the date of payment is after the due date; `details.days` is the delay in days.
 */
export interface InvoiceSettledLate {
  specversion: '1.0';
  id: string;
  type: 'invoice.settled_late';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/invoice.settled_late.json#/$defs/data'
    | 'tidings:/schemas/invoice.settled_late.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice14;
    previous: InvoiceFields14;
    changes: EventChange[];
    details: {
      days: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields14 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An invoice changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface InvoiceUpdated {
  specversion: '1.0';
  id: string;
  type: 'invoice.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/invoice.updated.json#/$defs/data' | 'tidings:/schemas/invoice.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Invoice15;
    previous: InvoiceFields15;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceFields15 {
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
export interface Key {
  id: string;
  name: string;
  scopes: ('read' | 'subscribe' | 'operate' | 'admin')[];
  /**
   * The event types it may see; null: all.
   */
  events: string[] | null;
  /**
   * UTC with milliseconds.
   */
  createdAt: string;
  createdBy: string;
  /**
   * To within five minutes.
   */
  lastUsedAt: string | null;
  expiresAt: string | null;
}
/**
 * The scope admin sees everything: it takes no event types.
 */
export interface KeyInput {
  /**
   * Who uses it.
   */
  name: string;
  /**
   * @minItems 1
   */
  scopes: ('read' | 'subscribe' | 'operate' | 'admin')[];
  /**
   * The event types it may see and subscribe to. Default: all.
   *
   * @minItems 1
   */
  events?: string[];
  /**
   * Default: never.
   */
  expiresAt?: string;
}
export interface Me {
  /**
   * `key`, or how else the caller was identified.
   */
  kind: string;
  id: string;
  name: string | null;
  scopes: ('read' | 'subscribe' | 'operate' | 'admin')[];
  /**
   * The event types it may see; null: all.
   */
  events: string[] | null;
  /**
   * Null where there is no limit: only keys have them all.
   */
  quotas: {
    requests: RateQuota;
    /**
     * Filter tests, previews, forecasts and tests.
     */
    previews: RateQuota | null;
    /**
     * Replays, and retries of many deliveries.
     */
    replays: RateQuota | null;
    subscriptions: AmountQuota | null;
    /**
     * Of its subscriptions as JSON.
     */
    bytes: AmountQuota | null;
  };
}
export interface RateQuota {
  limit: number;
  /**
   * The time in which so many are allowed: 1m.
   */
  per: string;
  /**
   * How many of them at once.
   */
  burst: number;
  /**
   * How many of the burst are used up now. It recovers with time.
   */
  used: number;
}
export interface NewKey {
  id: string;
  name: string;
  scopes: ('read' | 'subscribe' | 'operate' | 'admin')[];
  /**
   * The event types it may see; null: all.
   */
  events: string[] | null;
  /**
   * UTC with milliseconds.
   */
  createdAt: string;
  createdBy: string;
  /**
   * To within five minutes.
   */
  lastUsedAt: string | null;
  expiresAt: string | null;
  /**
   * The key itself. Shown once: only its hash is stored.
   */
  token: string;
}
export interface NewSubscription {
  /**
   * The same as the name: what platforms keep to delete the subscription.
   */
  id: string;
  name: string;
  /**
   * Whether messages are sent: it is neither paused nor disabled.
   */
  active: boolean;
  events: string[];
  /**
   * Of an HTTP endpoint.
   */
  url?: string;
  /**
   * The channel and its settings. Secrets are hidden.
   */
  to: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
   */
  where?: {
    [k: string]: unknown;
  };
  /**
   * How long messages for people are gathered: 30s.
   */
  gather?: string;
  /**
   * One message at a fixed time: { at, days }.
   */
  digest?: {
    [k: string]: unknown;
  };
  /**
   * Hours without messages: { from, until, days }.
   */
  quiet?: {
    [k: string]: unknown;
  };
  /**
   * When the day of the readers starts: 08:00, or off.
   */
  dayStartsAt?: string;
  timeZone?: string;
  /**
   * The maximum rate: 30/m.
   */
  rate?: string;
  concurrency?: number;
  /**
   * Liquid templates, see docs/templates.md.
   */
  template?: {
    [k: string]: unknown;
  };
  /**
   * The receiver in a few words, without secrets.
   */
  address: string;
  state: 'ok' | 'failing' | 'paused' | 'disabled';
  /**
   * The last error; null while the receiver is healthy.
   */
  reason: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince: string | null;
  /**
   * Until when a failing receiver is not tried.
   */
  pausedUntil: string | null;
  /**
   * Addresses of readers who unsubscribed with the link in a mail. They get none until they subscribe again.
   */
  unsubscribed: string[];
  /**
   * Whether the config declares it: then the API cannot change it.
   */
  declared: boolean;
  /**
   * The id of the key that made it; `slack:` and the id of the Slack channel that subscribed itself; null: the operator.
   */
  owner: string | null;
  createdAt: string | null;
  expiresAt: string | null;
  /**
   * Whether 410 Gone removes it.
   */
  removeWhenGone: boolean;
  /**
   * During a rotation: until when both secrets sign.
   */
  bothSecretsUntil: string | null;
  /**
   * The signing secret. Shown once. Null if the channel does not sign.
   */
  secret: string | null;
}
/**
 * A person was activated. Fires when `active` becomes true. Does not fire for a new person.
 */
export interface PersonActivated {
  specversion: '1.0';
  id: string;
  type: 'person.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/person.activated.json#/$defs/data'
    | 'tidings:/schemas/person.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person1;
    previous: PersonFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields1 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A person became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a person for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface PersonBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'person.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/person.became_visible.json#/$defs/data'
    | 'tidings:/schemas/person.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person2;
    previous: PersonFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields2 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A person was created. Fires when a poll finds a person that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface PersonCreated {
  specversion: '1.0';
  id: string;
  type: 'person.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/person.created.json#/$defs/data' | 'tidings:/schemas/person.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person3;
    previous: PersonFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields3 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A person was deactivated. Fires when `active` becomes false. Does not fire for a new person.
 */
export interface PersonDeactivated {
  specversion: '1.0';
  id: string;
  type: 'person.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/person.deactivated.json#/$defs/data'
    | 'tidings:/schemas/person.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person4;
    previous: PersonFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields4 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A person was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface PersonDeleted {
  specversion: '1.0';
  id: string;
  type: 'person.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/person.deleted.json#/$defs/data' | 'tidings:/schemas/person.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person5;
    previous: PersonFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields5 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * The group of a person changed. Fires when the group, which is the person’s role in the account, changes. Does not fire when a group is renamed.
 */
export interface PersonGroupChanged {
  specversion: '1.0';
  id: string;
  type: 'person.group_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/person.group_changed.json#/$defs/data'
    | 'tidings:/schemas/person.group_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person6;
    previous: PersonFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields6 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A deleted person was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface PersonRestored {
  specversion: '1.0';
  id: string;
  type: 'person.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/person.restored.json#/$defs/data' | 'tidings:/schemas/person.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person7;
    previous: PersonFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields7 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
/**
 * A person changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface PersonUpdated {
  specversion: '1.0';
  id: string;
  type: 'person.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/person.updated.json#/$defs/data' | 'tidings:/schemas/person.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Person8;
    previous: PersonFields8;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonFields8 {
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
  [k: string]: unknown;
}
export interface Preview {
  /**
   * UTC with milliseconds.
   */
  from: string;
  /**
   * UTC with milliseconds.
   */
  until: string;
  /**
   * Events that the passing of time will cause, if nothing changes before: the first 2.5 MB of them.
   */
  events: {
    /**
     * UTC with milliseconds.
     */
    at: string;
    type: string;
    subject: string;
    line: string;
  }[];
  /**
   * How many there are.
   */
  count: number;
  /**
   * What it sends in the period: digests, and what waits already.
   */
  messages: ForecastMessage[];
  /**
   * An example of its message, rendered; null if it matches no known type.
   */
  message: {
    [k: string]: unknown;
  } | null;
}
export interface PreviewInput {
  /**
   * Default: 24 hours from now.
   */
  until?: string;
}
/**
 * Problem details, RFC 9457.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /**
   * Stable: programs may rely on it.
   */
  code: string;
  /**
   * What happened and what to do.
   */
  detail: string;
  /**
   * Each wrong field: a JSON pointer into the body, or the name of a query parameter.
   */
  errors?: {
    pointer: string;
    detail: string;
    /**
     * In a query: the index of the first character of the word.
     */
    position?: number;
    /**
     * In a query: the word.
     */
    word?: string;
  }[];
}
/**
 * A project was activated. Fires when `active` becomes true. Does not fire for a new project.
 */
export interface ProjectActivated {
  specversion: '1.0';
  id: string;
  type: 'project.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.activated.json#/$defs/data'
    | 'tidings:/schemas/project.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project1;
    previous: ProjectFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields1 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a project for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface ProjectBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'project.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.became_visible.json#/$defs/data'
    | 'tidings:/schemas/project.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project2;
    previous: ProjectFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields2 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * The budget of a project changed. Fires when the budget is set, changed or removed.
 */
export interface ProjectBudgetChanged {
  specversion: '1.0';
  id: string;
  type: 'project.budget_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.budget_changed.json#/$defs/data'
    | 'tidings:/schemas/project.budget_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project3;
    previous: ProjectFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields3 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project was created. Fires when a poll finds a project that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface ProjectCreated {
  specversion: '1.0';
  id: string;
  type: 'project.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/project.created.json#/$defs/data' | 'tidings:/schemas/project.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project4;
    previous: ProjectFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields4 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project was deactivated. Fires when `active` becomes false. Does not fire for a new project.
 */
export interface ProjectDeactivated {
  specversion: '1.0';
  id: string;
  type: 'project.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.deactivated.json#/$defs/data'
    | 'tidings:/schemas/project.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project5;
    previous: ProjectFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields5 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ProjectDeleted {
  specversion: '1.0';
  id: string;
  type: 'project.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/project.deleted.json#/$defs/data' | 'tidings:/schemas/project.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project6;
    previous: ProjectFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields6 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * The end date of a project changed. Fires when the end date is set, moved or removed. `project.ending_soon` and `project.past_end` can then fire again.
 */
export interface ProjectEndDateChanged {
  specversion: '1.0';
  id: string;
  type: 'project.end_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.end_date_changed.json#/$defs/data'
    | 'tidings:/schemas/project.end_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project7;
    previous: ProjectFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields7 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project ends soon. Fires once per end date, `rules.projectEndingSoon` before it, at midnight in the account’s time zone, if the project is active.
 */
export interface ProjectEndingSoon {
  specversion: '1.0';
  id: string;
  type: 'project.ending_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.ending_soon.json#/$defs/data'
    | 'tidings:/schemas/project.ending_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project8;
    previous: ProjectFields8;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields8 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * The managers of a project changed. Fires when managers are added or removed. Does not fire when a manager’s name changes.
 */
export interface ProjectManagerChanged {
  specversion: '1.0';
  id: string;
  type: 'project.manager_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.manager_changed.json#/$defs/data'
    | 'tidings:/schemas/project.manager_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project9;
    previous: ProjectFields9;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields9 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project is past its end date and still active. Fires once per end date, when the day after it begins in the account’s time zone and the project is still active.
 */
export interface ProjectPastEnd {
  specversion: '1.0';
  id: string;
  type: 'project.past_end';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.past_end.json#/$defs/data'
    | 'tidings:/schemas/project.past_end.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project10;
    previous: ProjectFields10;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields10 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A deleted project was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ProjectRestored {
  specversion: '1.0';
  id: string;
  type: 'project.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/project.restored.json#/$defs/data'
    | 'tidings:/schemas/project.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project11;
    previous: ProjectFields11;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields11 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ProjectUpdated {
  specversion: '1.0';
  id: string;
  type: 'project.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/project.updated.json#/$defs/data' | 'tidings:/schemas/project.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Project12;
    previous: ProjectFields12;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectFields12 {
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
  [k: string]: unknown;
}
/**
 * A project module was activated. Fires when `active` becomes true. Does not fire for a new project module.
 */
export interface ProjectmoduleActivated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.activated.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule1;
    previous: ProjectmoduleFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields1 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A project module became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a project module for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface ProjectmoduleBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.became_visible.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule2;
    previous: ProjectmoduleFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields2 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A project module was created. Fires when a poll finds a project module that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface ProjectmoduleCreated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.created.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule3;
    previous: ProjectmoduleFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields3 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A project module was deactivated. Fires when `active` becomes false. Does not fire for a new project module.
 */
export interface ProjectmoduleDeactivated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.deactivated.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule4;
    previous: ProjectmoduleFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields4 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A project module was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ProjectmoduleDeleted {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.deleted.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule5;
    previous: ProjectmoduleFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields5 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted project module was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ProjectmoduleRestored {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.restored.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule6;
    previous: ProjectmoduleFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields6 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
/**
 * A project module changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ProjectmoduleUpdated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/projectmodule.updated.json#/$defs/data'
    | 'tidings:/schemas/projectmodule.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Projectmodule7;
    previous: ProjectmoduleFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleFields7 {
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: unknown;
}
export interface StoredRecord {
  source: string;
  resource: string;
  id: string;
  record: {
    [k: string]: unknown;
  };
  /**
   * What today makes of the record, such as overdue.
   */
  stage: {
    [k: string]: unknown;
  };
  version: number;
  /**
   * UTC with milliseconds.
   */
  committedAt: string;
  deletedAt: string | null;
  /**
   * Future changes by time alone.
   */
  ahead: {
    /**
     * UTC with milliseconds.
     */
    at: string;
    events: string[];
  }[];
  /**
   * Whether and when it is read from the API.
   */
  reading: {
    [k: string]: unknown;
  };
  /**
   * The names of the ids in the changes, by field and id, as far as they are known: { statusid: { 7: Staged } }.
   */
  names: {
    [k: string]: {
      [k: string]: string;
    };
  };
  /**
   * Its versions, oldest first, as far as they are kept.
   */
  history: {
    version: number;
    /**
     * UTC with milliseconds.
     */
    at: string;
    cause: string;
    occurred: {
      after: string | null;
      /**
       * UTC with milliseconds.
       */
      before: string;
    };
    changes: {
      field: string;
      from: unknown;
      to: unknown;
    }[];
    stage: {
      field: string;
      from: unknown;
      to: unknown;
    }[];
    /**
     * new, deleted or restored, if it was found so.
     */
    life: string | null;
    events: string[];
    /**
     * Why this version caused no event.
     */
    silence: string | null;
  }[];
  events: RecordedEvent[];
  /**
   * Whether older versions are left out, because all would take more than 2.5 MB.
   */
  more: boolean;
}
/**
 * A record became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a record for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface RecordBecameVisible {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.became_visible'
    | 'invoiceterm.became_visible'
    | 'milestone.became_visible'
    | 'module.became_visible'
    | 'payment.became_visible'
    | 'paymenttype.became_visible'
    | 'projectlabel.became_visible'
    | 'projectnote.became_visible'
    | 'projectworktype.became_visible'
    | 'request.became_visible'
    | 'tasklistfilter.became_visible'
    | 'tasknote.became_visible'
    | 'taskpriority.became_visible'
    | 'taskstatus.became_visible'
    | 'time.became_visible'
    | 'worktype.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/record.became_visible.json#/$defs/data'
    | 'tidings:/schemas/record.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: OtherRecord1;
    previous: OtherRecordFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields1 {
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A record was created. Fires when a poll finds a record that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface RecordCreated {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.created'
    | 'invoiceterm.created'
    | 'milestone.created'
    | 'module.created'
    | 'payment.created'
    | 'paymenttype.created'
    | 'projectlabel.created'
    | 'projectnote.created'
    | 'projectworktype.created'
    | 'request.created'
    | 'tasklistfilter.created'
    | 'tasknote.created'
    | 'taskpriority.created'
    | 'taskstatus.created'
    | 'time.created'
    | 'worktype.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/record.created.json#/$defs/data' | 'tidings:/schemas/record.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: OtherRecord2;
    previous: OtherRecordFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields2 {
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A record was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface RecordDeleted {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.deleted'
    | 'invoiceterm.deleted'
    | 'milestone.deleted'
    | 'module.deleted'
    | 'payment.deleted'
    | 'paymenttype.deleted'
    | 'projectlabel.deleted'
    | 'projectnote.deleted'
    | 'projectworktype.deleted'
    | 'request.deleted'
    | 'tasklistfilter.deleted'
    | 'tasknote.deleted'
    | 'taskpriority.deleted'
    | 'taskstatus.deleted'
    | 'time.deleted'
    | 'worktype.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/record.deleted.json#/$defs/data' | 'tidings:/schemas/record.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: OtherRecord3;
    previous: OtherRecordFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields3 {
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted record was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface RecordRestored {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.restored'
    | 'invoiceterm.restored'
    | 'milestone.restored'
    | 'module.restored'
    | 'payment.restored'
    | 'paymenttype.restored'
    | 'projectlabel.restored'
    | 'projectnote.restored'
    | 'projectworktype.restored'
    | 'request.restored'
    | 'tasklistfilter.restored'
    | 'tasknote.restored'
    | 'taskpriority.restored'
    | 'taskstatus.restored'
    | 'time.restored'
    | 'worktype.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/record.restored.json#/$defs/data' | 'tidings:/schemas/record.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: OtherRecord4;
    previous: OtherRecordFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields4 {
  datemodified?: string | null;
  [k: string]: unknown;
}
/**
 * A record changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface RecordUpdated {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.updated'
    | 'invoiceterm.updated'
    | 'milestone.updated'
    | 'module.updated'
    | 'payment.updated'
    | 'paymenttype.updated'
    | 'projectlabel.updated'
    | 'projectnote.updated'
    | 'projectworktype.updated'
    | 'request.updated'
    | 'tasklistfilter.updated'
    | 'tasknote.updated'
    | 'taskpriority.updated'
    | 'taskstatus.updated'
    | 'time.updated'
    | 'worktype.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/record.updated.json#/$defs/data' | 'tidings:/schemas/record.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: OtherRecord5;
    previous: OtherRecordFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecordFields5 {
  datemodified?: string | null;
  [k: string]: unknown;
}
export interface Records {
  data: StoredRecord[];
}
export interface ReplayInput1 {
  /**
   * A timestamp with its offset, or how long ago: 30m, 2h, 2d.
   */
  since?: string;
  /**
   * Default: now.
   */
  until?: string;
  /**
   * Default: all types that the subscription matches.
   */
  type?: string;
  /**
   * One event by its id, even if the subscription does not match it.
   */
  event?: string;
  /**
   * Only with event: one of its readers, such as main/5. Default: everyone whom it concerns.
   */
  person?: string;
  /**
   * Only counts. Default: false.
   */
  dryRun?: boolean;
}
export interface ResubscribeInput {
  /**
   * One of `unsubscribed`.
   */
  address: string;
}
export interface Retried {
  /**
   * Deliveries that are retried. One that is due earlier anyway is not counted.
   */
  count: number;
  dryRun: boolean;
  /**
   * The `position` of the next call; null if nothing is left.
   */
  next: number | null;
}
export interface RetryInput {
  subscription: string;
  /**
   * Default: failed.
   */
  status?: 'failed' | 'pending' | 'held' | 'waiting';
  /**
   * Only deliveries since then. Default: all.
   */
  since?: string;
  /**
   * The `next` of the call before, so that both are spread as one. Default: 0.
   */
  position?: number;
  /**
   * Only counts. Default: false.
   */
  dryRun?: boolean;
}
export interface Rotation {
  /**
   * The new signing secret. Shown once.
   */
  secret: string;
  /**
   * Until then every request carries the signatures of both secrets.
   */
  bothSecretsUntil: string;
  /**
   * @deprecated
   * The same as bothSecretsUntil. Deprecated.
   */
  bothUntil: string;
}
export interface ScanRequest {
  source: string;
  /**
   * UTC with milliseconds.
   */
  requestedAt: string;
}
/**
 * Health, quota, cadences, next scans and forecast of a source.
 */
export interface Source1 {
  source: string;
  state: string;
  reason: string | null;
  resources: {
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
/**
 * The first sync of the source is complete; from now on, changes are sent as events. Fires once, when the first sweep of every resource that the token may read is complete. The sync itself sends no events.
 */
export interface SourceBaselined {
  specversion: '1.0';
  id: string;
  type: 'source.baselined';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.baselined.json#/$defs/data'
    | 'tidings:/schemas/source.baselined.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source2;
    previous: SourceFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields1 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The clock of the machine that runs Tidings and the clock of the API differ by minutes or more. Fires once when the `Date` of the API’s responses differs from our clock by two minutes or more in three poll cycles in a row. Events that time alone causes wait until both clocks have passed their moment, so none is false, but they may be late. If the API’s clock is behind by more than a day, only ours counts. It ends when the clocks differ by less than a minute.
 */
export interface SourceClockSkewed {
  specversion: '1.0';
  id: string;
  type: 'source.clock_skewed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.clock_skewed.json#/$defs/data'
    | 'tidings:/schemas/source.clock_skewed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source3;
    previous: SourceFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields2 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * Records are no longer listed, and the API does not say whether they were deleted. Fires once per resource when a missing record could neither be read nor confirmed as deleted for an hour, because the API responds with 403 or fails, and at once when the token’s person may only have lost sight of a record. No deletion is sent. Records that could not be read are requested again, at first hourly and later daily.
 */
export interface SourceDeletionsUndecided {
  specversion: '1.0';
  id: string;
  type: 'source.deletions_undecided';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.deletions_undecided.json#/$defs/data'
    | 'tidings:/schemas/source.deletions_undecided.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source4;
    previous: SourceFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields3 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The token may not read a resource. Other resources are still polled. Fires once per resource when the API itself responds with 403; the error page of a proxy or firewall does not count. The resource is retried every hour and is polled again when access is restored.
 */
export interface SourceForbidden {
  specversion: '1.0';
  id: string;
  type: 'source.forbidden';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.forbidden.json#/$defs/data'
    | 'tidings:/schemas/source.forbidden.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source5;
    previous: SourceFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields4 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The API counts more records of a resource than it lists. Tidings works with the listed ones. Fires once per resource when two full reads in a row show the same records and both are short of the API’s own count. The first sync then counts as complete. A hidden record that is listed later is sent as created, unless its creation date is older.
 */
export interface SourceIncomplete {
  specversion: '1.0';
  id: string;
  type: 'source.incomplete';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.incomplete.json#/$defs/data'
    | 'tidings:/schemas/source.incomplete.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source6;
    previous: SourceFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields5 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * More than 5 % of the records, and more than 10, are missing from a sweep. Tidings holds their deletions back. Fires when deletions are held back. If the records are still missing after an hour and the API confirms it for a sample, the deletions follow. If the records reappear, no deletion is sent.
 */
export interface SourceMassDisappearance {
  specversion: '1.0';
  id: string;
  type: 'source.mass_disappearance';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.mass_disappearance.json#/$defs/data'
    | 'tidings:/schemas/source.mass_disappearance.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source7;
    previous: SourceFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields6 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The day's request budget is used up; polling resumes after the quota reset. Fires when the request budget of Tidings is used up, or when the API reports that the quota is exceeded. Events for the changes in between follow after the reset.
 */
export interface SourceQuotaExhausted {
  specversion: '1.0';
  id: string;
  type: 'source.quota_exhausted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.quota_exhausted.json#/$defs/data'
    | 'tidings:/schemas/source.quota_exhausted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source8;
    previous: SourceFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields7 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * 90 % of the day's request budget is used; polling slows down. Fires when 90 % of the request budget of Tidings is used. Fires at most once a day.
 */
export interface SourceQuotaLow {
  specversion: '1.0';
  id: string;
  type: 'source.quota_low';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.quota_low.json#/$defs/data'
    | 'tidings:/schemas/source.quota_low.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source9;
    previous: SourceFields8;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields8 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * A source that was unreachable or unauthorized is polled again; events for the changes in between follow. Fires when the first scan after the outage completes.
 */
export interface SourceRecovered {
  specversion: '1.0';
  id: string;
  type: 'source.recovered';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.recovered.json#/$defs/data'
    | 'tidings:/schemas/source.recovered.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source10;
    previous: SourceFields9;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields9 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The token belongs to another person or has another role, so the API shows other records. Fires once when the person or the role of the token changes. Records that appear or disappear because of it cause no events. If both are Administrators, they see the same records, and nothing is left out.
 */
export interface SourceRoleChanged {
  specversion: '1.0';
  id: string;
  type: 'source.role_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.role_changed.json#/$defs/data'
    | 'tidings:/schemas/source.role_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source11;
    previous: SourceFields10;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields10 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * A resource has not been read to the end for too long, although the API responds. Fires when no scan of a resource completed within three times its interval, when its first sync is not complete after an hour, or when its sweeps have failed for a day, even if scans for changes succeed. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause.
 */
export interface SourceStale {
  specversion: '1.0';
  id: string;
  type: 'source.stale';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/source.stale.json#/$defs/data' | 'tidings:/schemas/source.stale.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source12;
    previous: SourceFields11;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields11 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The API rejects the token; polling is blocked until the token is replaced. Fires when the API responds with 401, 402 or 418. No record is considered deleted in the meantime.
 */
export interface SourceUnauthorized {
  specversion: '1.0';
  id: string;
  type: 'source.unauthorized';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.unauthorized.json#/$defs/data'
    | 'tidings:/schemas/source.unauthorized.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source13;
    previous: SourceFields12;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields12 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * Records are due, but the API does not show them, so their time-driven events wait. Fires once per resource when a record could not be read for three minutes or more after its moment came, such as the midnight after its due date, in two reads or more. The records are read again, at first after two minutes and later hourly, and their events follow. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause.
 */
export interface SourceUnconfirmed {
  specversion: '1.0';
  id: string;
  type: 'source.unconfirmed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.unconfirmed.json#/$defs/data'
    | 'tidings:/schemas/source.unconfirmed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source14;
    previous: SourceFields13;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields13 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The API could not be reached in three scans of a resource in a row. Fires once per outage, when three poll cycles in a row failed with timeouts, connection resets, 5xx or invalid responses. `source.recovered` ends the outage.
 */
export interface SourceUnreachable {
  specversion: '1.0';
  id: string;
  type: 'source.unreachable';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.unreachable.json#/$defs/data'
    | 'tidings:/schemas/source.unreachable.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source15;
    previous: SourceFields14;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields14 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
/**
 * The time zone of the account is not known, so no time-driven events are sent. Fires once when the config has no `timeZone` and the API does not name the zone of the token’s person. Overdue, due soon and the other events that time alone causes wait until either names one.
 */
export interface SourceZoneUnknown {
  specversion: '1.0';
  id: string;
  type: 'source.zone_unknown';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/source.zone_unknown.json#/$defs/data'
    | 'tidings:/schemas/source.zone_unknown.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Source16;
    previous: SourceFields15;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceFields15 {
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
  [k: string]: unknown;
}
export interface Subscription1 {
  /**
   * The same as the name: what platforms keep to delete the subscription.
   */
  id: string;
  name: string;
  /**
   * Whether messages are sent: it is neither paused nor disabled.
   */
  active: boolean;
  events: string[];
  /**
   * Of an HTTP endpoint.
   */
  url?: string;
  /**
   * The channel and its settings. Secrets are hidden.
   */
  to: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
   */
  where?: {
    [k: string]: unknown;
  };
  /**
   * How long messages for people are gathered: 30s.
   */
  gather?: string;
  /**
   * One message at a fixed time: { at, days }.
   */
  digest?: {
    [k: string]: unknown;
  };
  /**
   * Hours without messages: { from, until, days }.
   */
  quiet?: {
    [k: string]: unknown;
  };
  /**
   * When the day of the readers starts: 08:00, or off.
   */
  dayStartsAt?: string;
  timeZone?: string;
  /**
   * The maximum rate: 30/m.
   */
  rate?: string;
  concurrency?: number;
  /**
   * Liquid templates, see docs/templates.md.
   */
  template?: {
    [k: string]: unknown;
  };
  /**
   * The receiver in a few words, without secrets.
   */
  address: string;
  state: 'ok' | 'failing' | 'paused' | 'disabled';
  /**
   * The last error; null while the receiver is healthy.
   */
  reason: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince: string | null;
  /**
   * Until when a failing receiver is not tried.
   */
  pausedUntil: string | null;
  /**
   * Addresses of readers who unsubscribed with the link in a mail. They get none until they subscribe again.
   */
  unsubscribed: string[];
  /**
   * Whether the config declares it: then the API cannot change it.
   */
  declared: boolean;
  /**
   * The id of the key that made it; `slack:` and the id of the Slack channel that subscribed itself; null: the operator.
   */
  owner: string | null;
  createdAt: string | null;
  expiresAt: string | null;
  /**
   * Whether 410 Gone removes it.
   */
  removeWhenGone: boolean;
  /**
   * During a rotation: until when both secrets sign.
   */
  bothSecretsUntil: string | null;
}
export interface SubscriptionDeclaration {
  /**
   * The name in the path, if it is given.
   */
  name?: string;
  /**
   * The endpoint, short for to.http.url. Either url or to.
   */
  url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  targetUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  target_url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hookUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hook_url?: string;
  /**
   * A single event type, short for events.
   */
  event?: string;
  /**
   * Event types; '*' matches any characters.
   *
   * @minItems 1
   */
  events?: string[];
  /**
   * Words such as task.overdue daily 08:30, instead of events, where, digest and quiet. See docs/query.md.
   */
  query?: string;
  /**
   * Exactly one channel with its settings, as in the config.
   */
  to?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * Beside url: the body, as to.http.format.
   */
  format?: 'cloudevents' | 'thin' | 'standard';
  /**
   * Beside url: the content type of requests.
   */
  contentType?: 'application/json' | 'application/cloudevents+json';
  /**
   * Beside url: further headers. Stored encrypted.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * Beside url: basic or bearer, as to.http.auth. Stored encrypted.
   */
  auth?: {
    [k: string]: unknown;
  };
  /**
   * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
   */
  where?: {
    [k: string]: unknown;
  };
  /**
   * How long slack, teams, discord, googleChat, mattermost, rocketChat and email collect events into one message. 0s: never. Default: 30s. http, pagerduty and bus send each event separately.
   */
  gather?: string;
  /**
   * Sends one message at a fixed time, with what is open or new and still applies then. Default: none.
   */
  digest?: {
    /**
     * The time of day of the digest, in the subscription’s time zone.
     */
    at: string;
    /**
     * The days of the digest. Default: every day.
     *
     * @minItems 1
     */
    days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    /**
     * open: everything that is overdue, due soon or past its end at that time, until it is done. new: the events since the last digest. Default: open for task.overdue, task.due_soon and invoice.overdue, new for other event types.
     */
    list?: 'open' | 'new';
    /**
     * The headings of the list: projects, or the people who are assigned. Default: project.
     */
    groupBy?: 'project' | 'person';
  };
  /**
   * Times at which slack, teams, discord, googleChat, mattermost, rocketChat and email send nothing. Events are sent afterwards. Default: never.
   */
  quiet?: {
    [k: string]: unknown;
  } & {
    /**
     * Start of the quiet hours. They may span midnight. Default: no quiet hours.
     */
    from?: string;
    /**
     * End of the quiet hours. Required with from. Default: no quiet hours.
     */
    until?: string;
    /**
     * Days that are quiet all day. Default: none.
     *
     * @minItems 1
     */
    days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  };
  /**
   * When the day of the readers starts. What a new day brings reaches slack, teams, discord, googleChat, mattermost, rocketChat and email then. off: at midnight. Default: 08:00. http, pagerduty and bus get it at once.
   */
  dayStartsAt?: string;
  /**
   * The time zone of the digest, the quiet hours, the start of the day and times in messages. Default: the zone of the source.
   */
  timeZone?: string;
  /**
   * The maximum rate, such as '1/s' or '30/m'. Default: slack 1/s, teams 1/s, discord 30/m, googleChat 1/s, mattermost 1/s, rocketChat 1/s, pagerduty 1/s, others unlimited.
   */
  rate?: string;
  /**
   * Maximum concurrent requests, in AWS for each execution of deliver. Default: http 8, slack 1, teams 1, discord 1, googleChat 1, mattermost 1, rocketChat 1, pagerduty 1, email 1, bus 8.
   */
  concurrency?: number;
  /**
   * Liquid templates, see docs/templates.md.
   */
  template?: {
    [k: string]: unknown;
  };
  /**
   * From then on it gets no new events. Default: never.
   */
  expiresAt?: string | null;
  /**
   * Whether 410 Gone removes it. Default: true with targetUrl and the like.
   */
  removeWhenGone?: boolean;
  /**
   * How the endpoint is asked for its consent. Default: ping for keys without operate, else none.
   */
  verify?: 'none' | 'ping' | 'cloudevents';
  /**
   * false: it starts paused, or is paused. Default: a new one is active, a known one stays as it is.
   */
  active?: boolean;
}
/**
 * A subscription was disabled because its receiver keeps failing; its deliveries are held. Fires after five days of failures only, or when the receiver responds with 410 Gone. One delivery is attempted from time to time to detect recovery. Never sent to the subscription it is about.
 */
export interface SubscriptionDisabled {
  specversion: '1.0';
  id: string;
  type: 'subscription.disabled';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/subscription.disabled.json#/$defs/data'
    | 'tidings:/schemas/subscription.disabled.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Subscription2;
    previous: SubscriptionFields1;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionFields1 {
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent when it was removed.
   */
  dropped?: number;
  [k: string]: unknown;
}
/**
 * Deliveries to a receiver are failing; they are kept and retried. Fires after at least four failed attempts and 25 minutes without a success, whichever deliveries they concern, or at the first failure that a retry cannot fix. Fires a second time after four days of failures only, one day before the subscription is disabled; `data.record.warnedAt` is set then. Never sent to the subscription it is about.
 */
export interface SubscriptionFailing {
  specversion: '1.0';
  id: string;
  type: 'subscription.failing';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/subscription.failing.json#/$defs/data'
    | 'tidings:/schemas/subscription.failing.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Subscription3;
    previous: SubscriptionFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionFields2 {
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent when it was removed.
   */
  dropped?: number;
  [k: string]: unknown;
}
export interface SubscriptionInput {
  /**
   * Default: a new name.
   */
  name?: string;
  /**
   * The endpoint, short for to.http.url. Either url or to.
   */
  url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  targetUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  target_url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hookUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hook_url?: string;
  /**
   * A single event type, short for events.
   */
  event?: string;
  /**
   * Event types; '*' matches any characters.
   *
   * @minItems 1
   */
  events?: string[];
  /**
   * Words such as task.overdue daily 08:30, instead of events, where, digest and quiet. See docs/query.md.
   */
  query?: string;
  /**
   * Exactly one channel with its settings, as in the config.
   */
  to?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * Beside url: the body, as to.http.format.
   */
  format?: 'cloudevents' | 'thin' | 'standard';
  /**
   * Beside url: the content type of requests.
   */
  contentType?: 'application/json' | 'application/cloudevents+json';
  /**
   * Beside url: further headers. Stored encrypted.
   */
  headers?: {
    [k: string]: string;
  };
  /**
   * Beside url: basic or bearer, as to.http.auth. Stored encrypted.
   */
  auth?: {
    [k: string]: unknown;
  };
  /**
   * An EventBridge pattern, see docs/filters.md. Default: all events of these types.
   */
  where?: {
    [k: string]: unknown;
  };
  /**
   * How long slack, teams, discord, googleChat, mattermost, rocketChat and email collect events into one message. 0s: never. Default: 30s. http, pagerduty and bus send each event separately.
   */
  gather?: string;
  /**
   * Sends one message at a fixed time, with what is open or new and still applies then. Default: none.
   */
  digest?: {
    /**
     * The time of day of the digest, in the subscription’s time zone.
     */
    at: string;
    /**
     * The days of the digest. Default: every day.
     *
     * @minItems 1
     */
    days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    /**
     * open: everything that is overdue, due soon or past its end at that time, until it is done. new: the events since the last digest. Default: open for task.overdue, task.due_soon and invoice.overdue, new for other event types.
     */
    list?: 'open' | 'new';
    /**
     * The headings of the list: projects, or the people who are assigned. Default: project.
     */
    groupBy?: 'project' | 'person';
  };
  /**
   * Times at which slack, teams, discord, googleChat, mattermost, rocketChat and email send nothing. Events are sent afterwards. Default: never.
   */
  quiet?: {
    [k: string]: unknown;
  } & {
    /**
     * Start of the quiet hours. They may span midnight. Default: no quiet hours.
     */
    from?: string;
    /**
     * End of the quiet hours. Required with from. Default: no quiet hours.
     */
    until?: string;
    /**
     * Days that are quiet all day. Default: none.
     *
     * @minItems 1
     */
    days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  };
  /**
   * When the day of the readers starts. What a new day brings reaches slack, teams, discord, googleChat, mattermost, rocketChat and email then. off: at midnight. Default: 08:00. http, pagerduty and bus get it at once.
   */
  dayStartsAt?: string;
  /**
   * The time zone of the digest, the quiet hours, the start of the day and times in messages. Default: the zone of the source.
   */
  timeZone?: string;
  /**
   * The maximum rate, such as '1/s' or '30/m'. Default: slack 1/s, teams 1/s, discord 30/m, googleChat 1/s, mattermost 1/s, rocketChat 1/s, pagerduty 1/s, others unlimited.
   */
  rate?: string;
  /**
   * Maximum concurrent requests, in AWS for each execution of deliver. Default: http 8, slack 1, teams 1, discord 1, googleChat 1, mattermost 1, rocketChat 1, pagerduty 1, email 1, bus 8.
   */
  concurrency?: number;
  /**
   * Liquid templates, see docs/templates.md.
   */
  template?: {
    [k: string]: unknown;
  };
  /**
   * From then on it gets no new events. Default: never.
   */
  expiresAt?: string | null;
  /**
   * Whether 410 Gone removes it. Default: true with targetUrl and the like.
   */
  removeWhenGone?: boolean;
  /**
   * How the endpoint is asked for its consent. Default: ping for keys without operate, else none.
   */
  verify?: 'none' | 'ping' | 'cloudevents';
  /**
   * false: it starts paused, or is paused. Default: a new one is active, a known one stays as it is.
   */
  active?: boolean;
}
export interface SubscriptionPage {
  data: Subscription1[];
  next: string | null;
}
/**
 * Only what changes. null removes an optional key.
 */
export interface SubscriptionPatch {
  /**
   * The endpoint, short for to.http.url. Either url or to.
   */
  url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  targetUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  target_url?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hookUrl?: string;
  /**
   * Another name of url, for REST-hook platforms: 410 Gone then removes it.
   */
  hook_url?: string;
  /**
   * A single event type, short for events.
   */
  event?: string;
  /**
   * Event types; '*' matches any characters.
   *
   * @minItems 1
   */
  events?: string[];
  /**
   * Words such as task.overdue daily 08:30, instead of events, where, digest and quiet. See docs/query.md.
   */
  query?: string;
  /**
   * Exactly one channel with its settings, as in the config.
   */
  to?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  format?: ('cloudevents' | 'thin' | 'standard') | null;
  contentType?: ('application/json' | 'application/cloudevents+json') | null;
  headers?: {
    [k: string]: string;
  } | null;
  auth?: {
    [k: string]: unknown;
  } | null;
  where?: {
    [k: string]: unknown;
  } | null;
  gather?: string | null;
  digest?: {
    /**
     * The time of day of the digest, in the subscription’s time zone.
     */
    at: string;
    /**
     * The days of the digest. Default: every day.
     *
     * @minItems 1
     */
    days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    /**
     * open: everything that is overdue, due soon or past its end at that time, until it is done. new: the events since the last digest. Default: open for task.overdue, task.due_soon and invoice.overdue, new for other event types.
     */
    list?: 'open' | 'new';
    /**
     * The headings of the list: projects, or the people who are assigned. Default: project.
     */
    groupBy?: 'project' | 'person';
  } | null;
  quiet?:
    | ({
        [k: string]: unknown;
      } & {
        /**
         * Start of the quiet hours. They may span midnight. Default: no quiet hours.
         */
        from?: string;
        /**
         * End of the quiet hours. Required with from. Default: no quiet hours.
         */
        until?: string;
        /**
         * Days that are quiet all day. Default: none.
         *
         * @minItems 1
         */
        days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
      })
    | null;
  dayStartsAt?: string | null;
  timeZone?: string | null;
  rate?: string | null;
  concurrency?: number | null;
  template?: {
    [k: string]: unknown;
  } | null;
  /**
   * From then on it gets no new events. Default: never.
   */
  expiresAt?: string | null;
  /**
   * Whether 410 Gone removes it. Default: true with targetUrl and the like.
   */
  removeWhenGone?: boolean;
  /**
   * How the endpoint is asked for its consent. Default: ping for keys without operate, else none.
   */
  verify?: 'none' | 'ping' | 'cloudevents';
  /**
   * false: it starts paused, or is paused. Default: a new one is active, a known one stays as it is.
   */
  active?: boolean;
}
/**
 * A receiver that was failing or disabled accepts deliveries again. Fires at the first successful delivery. Deliveries that wait for the receiver are attempted within minutes; deliveries held while the subscription was disabled wait for `tidings subscriptions resume`.
 */
export interface SubscriptionRecovered {
  specversion: '1.0';
  id: string;
  type: 'subscription.recovered';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/subscription.recovered.json#/$defs/data'
    | 'tidings:/schemas/subscription.recovered.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Subscription4;
    previous: SubscriptionFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionFields3 {
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent when it was removed.
   */
  dropped?: number;
  [k: string]: unknown;
}
/**
 * A subscription was removed from the config while deliveries were not sent yet; they are dropped. Fires when a config without the subscription is applied and `renamedFrom` names it nowhere. `data.record.dropped` is the number of deliveries. `tidings replay --subscription OLD --to NEW` sends their events to another subscription.
 */
export interface SubscriptionRemoved {
  specversion: '1.0';
  id: string;
  type: 'subscription.removed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/subscription.removed.json#/$defs/data'
    | 'tidings:/schemas/subscription.removed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Subscription5;
    previous: SubscriptionFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionFields4 {
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent when it was removed.
   */
  dropped?: number;
  [k: string]: unknown;
}
/**
 * People were assigned to a task. Fires when people are added to the assignees, including those of a new task. `details` lists them. Does not fire when only the order changes.
 */
export interface TaskAssigned {
  specversion: '1.0';
  id: string;
  type: 'task.assigned';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.assigned.json#/$defs/data' | 'tidings:/schemas/task.assigned.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task1;
    previous: TaskFields1;
    changes: EventChange[];
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields1 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An overdue task is no longer overdue, although it is still open. Fires when the due date of an overdue task is moved to today or later, or removed.
 */
export interface TaskBackOnTrack {
  specversion: '1.0';
  id: string;
  type: 'task.back_on_track';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.back_on_track.json#/$defs/data'
    | 'tidings:/schemas/task.back_on_track.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task2;
    previous: TaskFields2;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields2 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a task for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.
 */
export interface TaskBecameVisible {
  specversion: '1.0';
  id: string;
  type: 'task.became_visible';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.became_visible.json#/$defs/data'
    | 'tidings:/schemas/task.became_visible.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task3;
    previous: TaskFields3;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields3 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task was closed. Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), including a task created and closed between two polls. Fires again if the task is reopened and closed again. Does not fire when a status is renamed: the status is known by its id.
 */
export interface TaskClosed {
  specversion: '1.0';
  id: string;
  type: 'task.closed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.closed.json#/$defs/data' | 'tidings:/schemas/task.closed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task4;
    previous: TaskFields4;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields4 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task was created. Fires when a poll finds a task that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.
 */
export interface TaskCreated {
  specversion: '1.0';
  id: string;
  type: 'task.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.created.json#/$defs/data' | 'tidings:/schemas/task.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task5;
    previous: TaskFields5;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields5 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface TaskDeleted {
  specversion: '1.0';
  id: string;
  type: 'task.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.deleted.json#/$defs/data' | 'tidings:/schemas/task.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task6;
    previous: TaskFields6;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields6 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The due date of a task changed. Fires when the due date is set, moved or removed. `task.due_soon` and `task.overdue` can then fire again.
 */
export interface TaskDueDateChanged {
  specversion: '1.0';
  id: string;
  type: 'task.due_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.due_date_changed.json#/$defs/data'
    | 'tidings:/schemas/task.due_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task7;
    previous: TaskFields7;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields7 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task is due soon. Fires once per due date while the task is open: `rules.taskDueSoon` before it, at midnight in the account’s time zone, or immediately if the date is set closer than that.
 */
export interface TaskDueSoon {
  specversion: '1.0';
  id: string;
  type: 'task.due_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.due_soon.json#/$defs/data' | 'tidings:/schemas/task.due_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task8;
    previous: TaskFields8;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields8 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The estimate of a task changed. Fires when the estimated hours change.
 */
export interface TaskEstimateChanged {
  specversion: '1.0';
  id: string;
  type: 'task.estimate_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.estimate_changed.json#/$defs/data'
    | 'tidings:/schemas/task.estimate_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task9;
    previous: TaskFields9;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields9 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The followers of a task changed. Fires when followers are added or removed. `details` lists them.
 */
export interface TaskFollowersChanged {
  specversion: '1.0';
  id: string;
  type: 'task.followers_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.followers_changed.json#/$defs/data'
    | 'tidings:/schemas/task.followers_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task10;
    previous: TaskFields10;
    changes: EventChange[];
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields10 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The milestone of a task changed. Fires when the milestone is set, changed or removed. Does not fire when a milestone is renamed.
 */
export interface TaskMilestoneChanged {
  specversion: '1.0';
  id: string;
  type: 'task.milestone_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.milestone_changed.json#/$defs/data'
    | 'tidings:/schemas/task.milestone_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task11;
    previous: TaskFields11;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields11 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task was moved to another project or module. Fires when the project or the module changes. Does not fire when they are renamed.
 */
export interface TaskMoved {
  specversion: '1.0';
  id: string;
  type: 'task.moved';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?: 'https://tidings.example/schema/events/task.moved.json#/$defs/data' | 'tidings:/schemas/task.moved.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task12;
    previous: TaskFields12;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields12 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The hours logged on a task exceed its estimate. Fires once when the actual hours exceed the estimate, or when the estimate is lowered below them. Fires again only after they were within the estimate in between. Does not fire for a task without an estimate.
 */
export interface TaskOverEstimate {
  specversion: '1.0';
  id: string;
  type: 'task.over_estimate';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.over_estimate.json#/$defs/data'
    | 'tidings:/schemas/task.over_estimate.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task13;
    previous: TaskFields13;
    changes: EventChange[];
    details: {
      hoursOver: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields13 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the task is still open. Fires again if the due date is moved and passes again, or if the task is reopened. Does not repeat daily.
 */
export interface TaskOverdue {
  specversion: '1.0';
  id: string;
  type: 'task.overdue';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.overdue.json#/$defs/data' | 'tidings:/schemas/task.overdue.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task14;
    previous: TaskFields14;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields14 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The owners of a task changed. Fires when owners are added or removed. `details` lists them.
 */
export interface TaskOwnerChanged {
  specversion: '1.0';
  id: string;
  type: 'task.owner_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.owner_changed.json#/$defs/data'
    | 'tidings:/schemas/task.owner_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task15;
    previous: TaskFields15;
    changes: EventChange[];
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields15 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The priority of a task changed. Fires when the task gets a different priority. Does not fire when a priority is renamed or recoloured.
 */
export interface TaskPriorityChanged {
  specversion: '1.0';
  id: string;
  type: 'task.priority_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.priority_changed.json#/$defs/data'
    | 'tidings:/schemas/task.priority_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task16;
    previous: TaskFields16;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields16 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A closed task was reopened. Fires when a closed task no longer has a closing date or a closed status. If the closing date stays, the status decides: the task is open once it gets a less complete status (`status_order`) than the closed one.
 */
export interface TaskReopened {
  specversion: '1.0';
  id: string;
  type: 'task.reopened';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.reopened.json#/$defs/data' | 'tidings:/schemas/task.reopened.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task17;
    previous: TaskFields17;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields17 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A deleted task was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface TaskRestored {
  specversion: '1.0';
  id: string;
  type: 'task.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.restored.json#/$defs/data' | 'tidings:/schemas/task.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task18;
    previous: TaskFields18;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields18 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * An open task has not been changed for a long time. Fires `rules.taskStale` days after the last change, at midnight in the account’s time zone. Logged hours count as a change, although they do not modify the task. Fires again after the next change and another such period without changes.
 */
export interface TaskStale {
  specversion: '1.0';
  id: string;
  type: 'task.stale';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?: 'https://tidings.example/schema/events/task.stale.json#/$defs/data' | 'tidings:/schemas/task.stale.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task19;
    previous: TaskFields19;
    changes: EventChange[];
    details: {
      days: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields19 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * The status of a task changed. Fires when the task gets a different status. Does not fire when a status is renamed.
 */
export interface TaskStatusChanged {
  specversion: '1.0';
  id: string;
  type: 'task.status_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.status_changed.json#/$defs/data'
    | 'tidings:/schemas/task.status_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task20;
    previous: TaskFields20;
    changes: EventChange[];
    details: {
      from: string | null;
      to: string | null;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields20 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * Time was logged on a task. Fires when the actual hours increase; `details.hours` is the increase. Several time entries between two polls are one event. Does not fire when hours are removed.
 */
export interface TaskTimeLogged {
  specversion: '1.0';
  id: string;
  type: 'task.time_logged';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    | 'https://tidings.example/schema/events/task.time_logged.json#/$defs/data'
    | 'tidings:/schemas/task.time_logged.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task21;
    previous: TaskFields21;
    changes: EventChange[];
    details: {
      hours: number;
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields21 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * People were unassigned from a task. Fires when people are removed from the assignees. `details` lists them. Does not fire when the token’s role hides the assignees.
 */
export interface TaskUnassigned {
  specversion: '1.0';
  id: string;
  type: 'task.unassigned';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.unassigned.json#/$defs/data' | 'tidings:/schemas/task.unassigned.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task22;
    previous: TaskFields22;
    changes: EventChange[];
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields22 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
/**
 * A task changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface TaskUpdated {
  specversion: '1.0';
  id: string;
  type: 'task.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The name of the schema of data. The second form is in events recorded by earlier versions.
   */
  dataschema?:
    'https://tidings.example/schema/events/task.updated.json#/$defs/data' | 'tidings:/schemas/task.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
    /**
     * Increases with each change of the record. Ignore events with a lower version than the one you have.
     */
    version: number;
    record: Task23;
    previous: TaskFields23;
    changes: EventChange[];
    occurred: EventOccurred;
    /**
     * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
     */
    cause: 'poll' | 'tick' | 'delivery' | 'person';
    by?: EventAuthor;
  };
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskFields23 {
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
  [k: string]: unknown;
}
export interface TestInput {
  /**
   * Default: any type that the subscription matches.
   */
  type?: string;
}
export interface TestResult {
  delivery: Delivery;
  event: RecordedEvent | null;
  /**
   * False if no attempt was made in time: read the delivery later.
   */
  attempted: boolean;
}
export interface Waiting {
  count: number;
  /**
   * Whether there are more than were counted.
   */
  more: boolean;
  data: {
    subscription: string;
    count: number;
    /**
     * Those with at least one failed attempt.
     */
    retrying: number;
    /**
     * When the first of them is due.
     */
    nextAt: string;
  }[];
}
export interface ListEventTypesResult {
  data: EventType[];
}
export interface ListEventsQuery {
  /**
   * An event type, or a pattern such as 'task.*'.
   */
  type?: string;
  /**
   * The record: task/123.
   */
  subject?: string;
  /**
   * The name of a source.
   */
  source?: string;
  /**
   * Words that all occur in the sentence, the names or the ids of the event. One call reads up to 1,000 others.
   */
  text?: string;
  /**
   * A timestamp with its offset, or how long ago: 30m, 2h, 2d.
   */
  since?: string;
  /**
   * A timestamp with its offset, or how long ago: 30m, 2h, 2d.
   */
  until?: string;
  /**
   * The `next` of an earlier page: continue after it.
   */
  after?: string;
  /**
   * Which come first. Default: oldest.
   */
  order?: 'oldest' | 'newest';
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}
export interface CountEventsQuery {
  /**
   * How many hours, the current one included. Default: 24.
   */
  hours?: number;
}
export interface ForecastEventsQuery {
  /**
   * A timestamp with its offset, or how long from now: 30m, 2h, 2d.
   */
  until?: string;
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}
export interface GetRecordQuery {
  /**
   * Default: every source that has the record.
   */
  source?: string;
}
export interface ListFilterFieldsQuery {
  /**
   * Event types or patterns, with commas between them. Default: all that the key may see.
   */
  events?: string;
}
export interface ListFilterFieldsResult {
  data: FilterField[];
}
export interface ListSubscriptionsQuery {
  /**
   * Only those of this endpoint.
   */
  url?: string;
  /**
   * The `next` of an earlier page: continue after it.
   */
  after?: string;
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}
export interface ListSubscriptionDeliveriesQuery {
  status?: 'waiting' | 'pending' | 'held' | 'gathered' | 'settled' | 'failed';
  /**
   * The `next` of an earlier page: continue after it.
   */
  after?: string;
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}
export interface ListDeliveriesQuery {
  status?: 'waiting' | 'pending' | 'held' | 'gathered' | 'settled' | 'failed';
  /**
   * The `next` of an earlier page: continue after it.
   */
  after?: string;
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}
export interface ListSourcesResult {
  data: Source1[];
}
export interface ListKeysResult {
  data: Key[];
}
export interface ListAuditQuery {
  /**
   * The `next` of an earlier page: continue after it.
   */
  after?: string;
  /**
   * How many to return. Default: 50.
   */
  limit?: number;
}

/** One method per operation. Lists also have an iterator over all of their pages. */
export class TidingsClient {
  readonly #call: CallApi;

  constructor(options: ClientOptions) {
    this.#call = connectApi(options);
  }

  /** List the event types. Those of the catalogue and of the config, as far as the key may see them. Needs the scope `read` or `subscribe`. */
  listEventTypes(options?: CallOptions): Promise<ListEventTypesResult> {
    return this.#call({ method: 'GET', path: '/v1/event-types' }, options);
  }

  /** List recorded events. Also the way for systems that cannot be reached: read to the end, keep `next`, and poll with `after`. Each event comes once. A page has at most 2.5 MB. Needs the scope `read`. */
  listEvents(query: ListEventsQuery = {}, options?: CallOptions): Promise<EventPage> {
    return this.#call({ method: 'GET', path: '/v1/events', query }, options);
  }

  /** All items of `listEvents`, page by page, from `after` on. */
  iterateEvents(query: ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<EventPage['data'][number], void, undefined> {
    return iteratePages((after) => this.listEvents({ ...query, ...(after === undefined ? {} : { after }) }, options));
  }

  /** Count the events of each hour. The last hours up to now, oldest first. Needs the scope `read`. */
  countEvents(query: CountEventsQuery = {}, options?: CallOptions): Promise<EventCounts> {
    return this.#call({ method: 'GET', path: '/v1/events/counts', query }, options);
  }

  /** Get an event, its deliveries, and why others did not get it. Needs the scope `read`. */
  getEvent(id: string, options?: CallOptions): Promise<ExplainedEvent> {
    return this.#call({ method: 'GET', path: '/v1/events/{id}', params: [id] }, options);
  }

  /** List the events that time will bring, and the messages ahead. If nothing changes: due dates, reminders, ends, digests, and what waits already. Nothing is sent. Needs the scope `read`. */
  forecastEvents(query: ForecastEventsQuery = {}, options?: CallOptions): Promise<Forecast> {
    return this.#call({ method: 'GET', path: '/v1/forecast', query }, options);
  }

  /** Get a record: its snapshot, stage, next moments and events. Needs the scope `read`. */
  getRecord(resource: string, id: string, query: GetRecordQuery = {}, options?: CallOptions): Promise<Records> {
    return this.#call({ method: 'GET', path: '/v1/records/{resource}/{id}', params: [resource, id], query }, options);
  }

  /** Count the recorded events that a filter would have matched. Needs the scope `read` or `subscribe`. */
  testFilter(body: FilterInput, options?: CallOptions): Promise<FilterResult> {
    return this.#call({ method: 'POST', path: '/v1/filters/test', body }, options);
  }

  /** List the fields that a filter can be about, with the values in the account. Needs the scope `read` or `subscribe`. */
  listFilterFields(query: ListFilterFieldsQuery = {}, options?: CallOptions): Promise<ListFilterFieldsResult> {
    return this.#call({ method: 'GET', path: '/v1/filters/fields', query }, options);
  }

  /** List subscriptions. Needs the scope `read` or `subscribe`. */
  listSubscriptions(query: ListSubscriptionsQuery = {}, options?: CallOptions): Promise<SubscriptionPage> {
    return this.#call({ method: 'GET', path: '/v1/subscriptions', query }, options);
  }

  /** All items of `listSubscriptions`, page by page, from `after` on. */
  iterateSubscriptions(query: ListSubscriptionsQuery = {}, options?: CallOptions): AsyncGenerator<SubscriptionPage['data'][number], void, undefined> {
    return iteratePages((after) => this.listSubscriptions({ ...query, ...(after === undefined ? {} : { after }) }, options));
  }

  /** Subscribe an endpoint. Takes `url` or `to`, and `events`. `targetUrl`, `hookUrl` and `event` are accepted too, so that REST-hook platforms need no code. Needs the scope `subscribe`. */
  createSubscription(body: SubscriptionInput, options?: CallOptions): Promise<Versioned<NewSubscription>> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions', body }, options);
  }

  /** Declare a subscription at start-up. Makes it, or changes it to what the request says. Repeating the request changes nothing. Needs the scope `subscribe`. */
  putSubscription(name: string, body: SubscriptionDeclaration, options?: CallOptions): Promise<Versioned<Subscription> | Versioned<NewSubscription>> {
    return this.#call({ method: 'PUT', path: '/v1/subscriptions/{name}', params: [name], body }, options);
  }

  /** Get a subscription. Needs the scope `read` or `subscribe`. */
  getSubscription(name: string, options?: CallOptions): Promise<Versioned<Subscription>> {
    return this.#call({ method: 'GET', path: '/v1/subscriptions/{name}', params: [name] }, options);
  }

  /** Change a subscription. Needs the scope `subscribe`. */
  patchSubscription(name: string, body: SubscriptionPatch, options?: CallOptions): Promise<Versioned<Subscription>> {
    return this.#call({ method: 'PATCH', path: '/v1/subscriptions/{name}', params: [name], body }, options);
  }

  /** Remove a subscription. Its unsent deliveries are dropped. 204 also if it does not exist, 404 for a text that is no name. Needs the scope `subscribe`. */
  deleteSubscription(name: string, options?: CallOptions): Promise<void> {
    return this.#call({ method: 'DELETE', path: '/v1/subscriptions/{name}', params: [name] }, options);
  }

  /** Send a test event and show the response. Needs the scope `subscribe`. */
  testSubscription(name: string, body: TestInput = {}, options?: CallOptions): Promise<TestResult> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/test', params: [name], body }, options);
  }

  /** Hold its deliveries. Needs the scope `subscribe`. */
  pauseSubscription(name: string, options?: CallOptions): Promise<Versioned<Subscription>> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/pause', params: [name] }, options);
  }

  /** Send what was held, and go on. Needs the scope `subscribe`. */
  resumeSubscription(name: string, options?: CallOptions): Promise<Versioned<Subscription>> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/resume', params: [name] }, options);
  }

  /** Replace the signing secret. For 24 hours every request carries the signatures of both secrets. Needs the scope `subscribe`. */
  rotateSubscription(name: string, options?: CallOptions): Promise<Rotation> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/rotate', params: [name] }, options);
  }

  /** Send recorded events again. They keep their ids and are marked as replays. Many are spread over minutes. Count first with dryRun. Needs the scope `subscribe`. */
  replaySubscription(name: string, body: ReplayInput, options?: CallOptions): Promise<Count> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/replay', params: [name], body }, options);
  }

  /** Subscribe a reader again who has unsubscribed. Only if the reader asked for it. The audit trail names who did it. Needs the scope `subscribe`. */
  resubscribeReader(name: string, body: ResubscribeInput, options?: CallOptions): Promise<Versioned<Subscription>> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/resubscribe', params: [name], body }, options);
  }

  /** Show what time will bring, and an example of its message. Needs the scope `read` or `subscribe`. */
  previewSubscription(name: string, body: PreviewInput = {}, options?: CallOptions): Promise<Preview> {
    return this.#call({ method: 'POST', path: '/v1/subscriptions/{name}/preview', params: [name], body }, options);
  }

  /** List the deliveries of a subscription with their attempts. Needs the scope `read` or `subscribe`. */
  listSubscriptionDeliveries(name: string, query: ListSubscriptionDeliveriesQuery = {}, options?: CallOptions): Promise<DeliveryPage> {
    return this.#call({ method: 'GET', path: '/v1/subscriptions/{name}/deliveries', params: [name], query }, options);
  }

  /** All items of `listSubscriptionDeliveries`, page by page, from `after` on. */
  iterateSubscriptionDeliveries(name: string, query: ListSubscriptionDeliveriesQuery = {}, options?: CallOptions): AsyncGenerator<DeliveryPage['data'][number], void, undefined> {
    return iteratePages((after) => this.listSubscriptionDeliveries(name, { ...query, ...(after === undefined ? {} : { after }) }, options));
  }

  /** List the deliveries of all subscriptions. Needs the scope `read`. */
  listDeliveries(query: ListDeliveriesQuery = {}, options?: CallOptions): Promise<DeliveryPage> {
    return this.#call({ method: 'GET', path: '/v1/deliveries', query }, options);
  }

  /** All items of `listDeliveries`, page by page, from `after` on. */
  iterateDeliveries(query: ListDeliveriesQuery = {}, options?: CallOptions): AsyncGenerator<DeliveryPage['data'][number], void, undefined> {
    return iteratePages((after) => this.listDeliveries({ ...query, ...(after === undefined ? {} : { after }) }, options));
  }

  /** Retry deliveries of a subscription. Oldest first, spread over time. One call retries about 10,000: call again until `next` is null. Count all with dryRun. Needs the scope `subscribe`. */
  retryDeliveries(body: RetryInput, options?: CallOptions): Promise<Retried> {
    return this.#call({ method: 'POST', path: '/v1/deliveries/retry', body }, options);
  }

  /** Count the deliveries that wait for an attempt. Up to 1,000, by subscription: new ones, retries, and messages that wait for their digest or a time of day. Needs the scope `read`. */
  countWaiting(options?: CallOptions): Promise<Waiting> {
    return this.#call({ method: 'GET', path: '/v1/deliveries/waiting' }, options);
  }

  /** Get a delivery with its attempts. Needs the scope `read` or `subscribe`. */
  getDelivery(id: string, options?: CallOptions): Promise<Delivery> {
    return this.#call({ method: 'GET', path: '/v1/deliveries/{id}', params: [id] }, options);
  }

  /** Retry a delivery now. Needs the scope `subscribe`. */
  retryDelivery(id: string, options?: CallOptions): Promise<Delivery> {
    return this.#call({ method: 'POST', path: '/v1/deliveries/{id}/retry', params: [id] }, options);
  }

  /** List the sources with their health, quota and next scans. Needs the scope `read`. */
  listSources(options?: CallOptions): Promise<ListSourcesResult> {
    return this.#call({ method: 'GET', path: '/v1/sources' }, options);
  }

  /** Get a source. Needs the scope `read`. */
  getSource(name: string, options?: CallOptions): Promise<Source> {
    return this.#call({ method: 'GET', path: '/v1/sources/{name}', params: [name] }, options);
  }

  /** Scan for changes now. All resources of the source are scanned in its next cycle, within the quota: in AWS within a minute. Needs the scope `operate`. */
  scanSource(name: string, options?: CallOptions): Promise<ScanRequest> {
    return this.#call({ method: 'POST', path: '/v1/sources/{name}/scan', params: [name] }, options);
  }

  /** List the keys. Needs the scope `admin`. */
  listKeys(options?: CallOptions): Promise<ListKeysResult> {
    return this.#call({ method: 'GET', path: '/v1/keys' }, options);
  }

  /** Make a key. Needs the scope `admin`. */
  createKey(body: KeyInput, options?: CallOptions): Promise<NewKey> {
    return this.#call({ method: 'POST', path: '/v1/keys', body }, options);
  }

  /** Remove a key. It is refused at once. Its subscriptions stay. Needs the scope `admin`. */
  deleteKey(id: string, options?: CallOptions): Promise<void> {
    return this.#call({ method: 'DELETE', path: '/v1/keys/{id}', params: [id] }, options);
  }

  /** Get the key of the request, with its quotas. Needs the scope `read` or `subscribe`. */
  getMe(options?: CallOptions): Promise<Me> {
    return this.#call({ method: 'GET', path: '/v1/me' }, options);
  }

  /** List the changes: who, when, what. Needs the scope `admin`. */
  listAudit(query: ListAuditQuery = {}, options?: CallOptions): Promise<AuditPage> {
    return this.#call({ method: 'GET', path: '/v1/audit', query }, options);
  }

  /** All items of `listAudit`, page by page, from `after` on. */
  iterateAudit(query: ListAuditQuery = {}, options?: CallOptions): AsyncGenerator<AuditPage['data'][number], void, undefined> {
    return iteratePages((after) => this.listAudit({ ...query, ...(after === undefined ? {} : { after }) }, options));
  }
}
