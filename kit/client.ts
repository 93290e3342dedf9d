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

export type FilterInput = {
  [k: string]: unknown;
};
export type ReplayInput = {
  [k: string]: unknown;
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
  /**
   * Events that a message to one person left out: they were outdated, or concerned others by then.
   */
  omitted?: string[];
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
export interface CheckedSource {
  source: string;
  /**
   * As they were given, without the token.
   */
  settings: {
    [k: string]: unknown;
  };
  /**
   * Where the token is; null if it was given itself.
   */
  tokenReference: string | null;
  /**
   * Whether the config declares a source of this name, which is polled instead.
   */
  hidden: boolean;
  /**
   * Why it is not polled; null: it is.
   */
  unused: string | null;
  /**
   * UTC with milliseconds.
   */
  createdAt: string;
  createdBy: string;
  /**
   * UTC with milliseconds.
   */
  changedAt: string;
  changedBy: string;
  /**
   * null: the request was processed before.
   */
  check: NewSourceCheck | null;
}
/**
 * What the check of the source found before it was stored.
 */
export interface NewSourceCheck {
  /**
   * The token's user; null if the API does not say.
   */
  person: {
    id: string;
    name: string | null;
    role: string | null;
    timeZone: string | null;
  } | null;
  resources: {
    resource: string;
    /**
     * null: it cannot be read.
     */
    count: number | null;
    problem: string | null;
  }[];
  requestsADay: number;
  warnings: string[];
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
   * Why it is not attempted now; null: it is over, or is due now.
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
export interface EventCounts {
  data: {
    /**
     * UTC with milliseconds.
     */
    hour: string;
    count: number;
  }[];
  /**
   * Whether older hours are left out, because they have too many events.
   */
  truncated: boolean;
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
  /**
   * Up to 2,000. If they would be larger than 1.25 MB, some have only their last attempt, without its response.
   */
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
   * @maxItems 500
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
   * Events recorded in the period; null for a key that does not see all.
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
  /**
   * What it may use, where that differs from other keys; null: nothing does.
   */
  quotas: KeyQuotas | null;
  /**
   * How many subscriptions it made that exist.
   */
  subscriptions: number;
}
export interface KeyQuotas {
  subscriptions?: number;
  /**
   * Of its subscriptions as JSON.
   */
  bytes?: number;
  /**
   * What the filters of its subscriptions may compare an event with at most.
   */
  comparisons?: number;
  /**
   * Such as '1200/m'.
   */
  requests?: string;
  /**
   * Requests that have an entry in the audit trail.
   */
  changes?: string;
  /**
   * Filter tests, previews, forecasts and tests.
   */
  previews?: string;
  /**
   * Replays, and retries of many deliveries.
   */
  replays?: string;
  /**
   * Deliveries of its replays, retries and tests.
   */
  deliveries?: string;
  /**
   * Only in AWS: read units of DynamoDB that its requests consume. A write unit counts as 5.
   */
  units?: string;
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
  quotas?: KeyQuotas1;
}
/**
 * What it may use instead of what the config says for all keys. Default: that.
 */
export interface KeyQuotas1 {
  subscriptions?: number;
  /**
   * Of its subscriptions as JSON.
   */
  bytes?: number;
  /**
   * What the filters of its subscriptions may compare an event with at most.
   */
  comparisons?: number;
  /**
   * Such as '1200/m'.
   */
  requests?: string;
  /**
   * Requests that have an entry in the audit trail.
   */
  changes?: string;
  /**
   * Filter tests, previews, forecasts and tests.
   */
  previews?: string;
  /**
   * Replays, and retries of many deliveries.
   */
  replays?: string;
  /**
   * Deliveries of its replays, retries and tests.
   */
  deliveries?: string;
  /**
   * Only in AWS: read units of DynamoDB that its requests consume. A write unit counts as 5.
   */
  units?: string;
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
     * Requests that have an entry in the audit trail.
     */
    changes: RateQuota | null;
    /**
     * Filter tests, previews, forecasts and tests.
     */
    previews: RateQuota | null;
    /**
     * Replays, and retries of many deliveries.
     */
    replays: RateQuota | null;
    /**
     * Deliveries that replays, retries and tests open or attempt again. A resume counts as 10, a test as one for each 5 KB of its event besides.
     */
    deliveries: RateQuota | null;
    /**
     * Only in AWS, null elsewhere: read units of DynamoDB that its requests consume; a write unit counts as 5. Counted to within 200. More than the burst is a debt, which is paid back first.
     */
    units: RateQuota | null;
    subscriptions: AmountQuota | null;
    /**
     * Of its subscriptions as JSON.
     */
    bytes: AmountQuota | null;
    /**
     * What the filters of its subscriptions compare an event with at most: each field, section and operator counts as one in each combination of `$or` branches, a wildcard as 50, and each of its asterisks after the tenth as one more.
     */
    comparisons: AmountQuota | null;
    /**
     * How many requests at a time may wait for an endpoint, or search for more than a second.
     */
    longRequests: {
      limit: number;
    } | null;
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
   * What it may use, where that differs from other keys; null: nothing does.
   */
  quotas: KeyQuotas | null;
  /**
   * How many subscriptions it made that exist.
   */
  subscriptions: number;
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
  /**
   * The person in Slack who made it. Null: it was not made in Slack.
   */
  madeBy: {
    /**
     * The user name in Slack.
     */
    name: string;
    /**
     * The channel as people know it: #finance. Null: not known.
     */
    channel: string | null;
  } | null;
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
export interface Source {
  source: string;
  state: string;
  reason: string | null;
  resources: {
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
export interface SourceInput {
  name: string;
  /**
   * The system to poll. Default: the one that answers at the address.
   */
  kind?: 'work' | 'redmine';
  /**
   * Base URL of the API. Private addresses must be in `network.allow` of the config.
   */
  baseUrl: string;
  /**
   * The API token of a user: Tidings sees what this user sees. Stored encrypted, never shown.
   */
  token: string;
  /**
   * Default: the zone of the token's user. Required if the API does not name it.
   */
  timeZone?: string;
  /**
   * What to poll, and how often. Default: that of its kind.
   */
  resources?: {
    [k: string]:
      | 'off'
      | {
          every?: string;
          sweep?: string;
        };
  };
  /**
   * Whether the first poll sends events for what is already overdue. Default: false.
   */
  announceExisting?: boolean;
  /**
   * Default: false.
   */
  attribution?: boolean;
  quota?: {
    reserve?: number;
    perMinute?: number;
  };
}
/**
 * Keys replace those of the settings; null removes one.
 */
export interface SourcePatch {
  kind?: ('work' | 'redmine') | null;
  timeZone?: string | null;
  resources?: {
    [k: string]:
      | 'off'
      | {
          every?: string;
          sweep?: string;
        };
  } | null;
  announceExisting?: boolean | null;
  attribution?: boolean | null;
  quota?: {
    reserve?: number;
    perMinute?: number;
  } | null;
  /**
   * Base URL of the API. Private addresses must be in `network.allow` of the config.
   */
  baseUrl?: string;
  /**
   * The API token of a user: Tidings sees what this user sees. Stored encrypted, never shown.
   */
  token?: string;
}
export interface SourceSettings {
  source: string;
  /**
   * As they were given, without the token.
   */
  settings: {
    [k: string]: unknown;
  };
  /**
   * Where the token is; null if it was given itself.
   */
  tokenReference: string | null;
  /**
   * Whether the config declares a source of this name, which is polled instead.
   */
  hidden: boolean;
  /**
   * Why it is not polled; null: it is.
   */
  unused: string | null;
  /**
   * UTC with milliseconds.
   */
  createdAt: string;
  createdBy: string;
  /**
   * UTC with milliseconds.
   */
  changedAt: string;
  changedBy: string;
}
export interface Subscription {
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
  /**
   * The person in Slack who made it. Null: it was not made in Slack.
   */
  madeBy: {
    /**
     * The user name in Slack.
     */
    name: string;
    /**
     * The channel as people know it: #finance. Null: not known.
     */
    channel: string | null;
  } | null;
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
   * @maxItems 500
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
   * Maximum concurrent requests, in AWS of all executions of deliver together. Default: http 8, slack 1, teams 1, discord 1, googleChat 1, mattermost 1, rocketChat 1, pagerduty 1, email 1, bus 8, in AWS for each execution.
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
   * @maxItems 500
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
   * Maximum concurrent requests, in AWS of all executions of deliver together. Default: http 8, slack 1, teams 1, discord 1, googleChat 1, mattermost 1, rocketChat 1, pagerduty 1, email 1, bus 8, in AWS for each execution.
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
  data: Subscription[];
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
   * @maxItems 500
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
/**
 * A source that was added but is not polled, with the reason.
 */
export interface UnusedSource {
  source: string;
  baseUrl: string | null;
  reason: string;
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
    /**
     * The id of the first of them: its `wait` says what it waits for.
     */
    nextDelivery: string;
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
   * The record: task/123. Tests are none of its events.
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
  data: Source[];
  unused: UnusedSource[];
}
export interface ListKeysResult {
  data: Key[];
}
export interface DeleteKeySubscriptionsResult {
  removed: string[];
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

  /** Count the events of each hour. The last hours up to now, oldest first. At most 100,000 events are counted, the newest ones: hours before these are left out. Needs the scope `read`. */
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

  /** Add a source. It is checked first: the address, the token, what it may read, and the time zone. It is polled within seconds, in AWS within two minutes. Its first poll sends no events. Needs the scope `admin`. */
  createSource(body: SourceInput, options?: CallOptions): Promise<Versioned<CheckedSource>> {
    return this.#call({ method: 'POST', path: '/v1/sources', body }, options);
  }

  /** Get a source. Needs the scope `read`. */
  getSource(name: string, options?: CallOptions): Promise<Source> {
    return this.#call({ method: 'GET', path: '/v1/sources/{name}', params: [name] }, options);
  }

  /** Change a source. It is checked as a new one. Another baseUrl needs the token again, because the stored one is sent only to the address it was given for. A source of the config is read-only here. Needs the scope `admin`. */
  patchSource(name: string, body: SourcePatch, options?: CallOptions): Promise<Versioned<CheckedSource>> {
    return this.#call({ method: 'PATCH', path: '/v1/sources/{name}', params: [name], body }, options);
  }

  /** Remove a source. It is not polled any more. Its records, events and deliveries stay; the operator deletes its records with `tidings sources forget NAME`. Needs the scope `admin`. */
  deleteSource(name: string, options?: CallOptions): Promise<void> {
    return this.#call({ method: 'DELETE', path: '/v1/sources/{name}', params: [name] }, options);
  }

  /** Scan for changes now. All resources of the source are scanned in its next cycle, within the quota: in AWS within a minute. A key with event types is refused (429) while the daily quota is needed for the regular scans. Needs the scope `operate`. */
  scanSource(name: string, options?: CallOptions): Promise<ScanRequest> {
    return this.#call({ method: 'POST', path: '/v1/sources/{name}/scan', params: [name] }, options);
  }

  /** Get the settings of a source that is not in the config. Needs the scope `admin`. */
  getSourceSettings(name: string, options?: CallOptions): Promise<Versioned<SourceSettings>> {
    return this.#call({ method: 'GET', path: '/v1/sources/{name}/settings', params: [name] }, options);
  }

  /** List the keys. Needs the scope `admin`. */
  listKeys(options?: CallOptions): Promise<ListKeysResult> {
    return this.#call({ method: 'GET', path: '/v1/keys' }, options);
  }

  /** Make a key. Needs the scope `admin`. */
  createKey(body: KeyInput, options?: CallOptions): Promise<NewKey> {
    return this.#call({ method: 'POST', path: '/v1/keys', body }, options);
  }

  /** Remove a key. It is refused at once. Its subscriptions stay and go on sending until they are removed. Needs the scope `admin`. */
  deleteKey(id: string, options?: CallOptions): Promise<void> {
    return this.#call({ method: 'DELETE', path: '/v1/keys/{id}', params: [id] }, options);
  }

  /** Remove the subscriptions that a key made. Also those of a key that was removed: remove a leaked key first, so that it makes no more of them. Needs the scope `admin`. */
  deleteKeySubscriptions(id: string, options?: CallOptions): Promise<DeleteKeySubscriptionsResult> {
    return this.#call({ method: 'DELETE', path: '/v1/keys/{id}/subscriptions', params: [id] }, options);
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
