/**
 * Reads a subscription from a request: the keys of the config, `url` for short, and the field names that REST-hook platforms
 * use. Values in place of secrets are always taken literally, so that a request can never name a secret of the operator.
 */

import { suggestWord } from '../../../core/filters/nearest-word.ts';
import { QueryError } from '../../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import { clip } from '../../../core/messages/clip.ts';
import type { ConfigProblem } from '../../../core/model/errors.ts';
import type { Mode } from '../../../core/model/mode.ts';
import type { Steps } from '../../../core/model/steps.ts';
import type { Subscription, Target } from '../../../core/model/subscription.ts';
import { type Instant, parseInstant } from '../../../core/model/time.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { type Installation, installationOf } from '../../../runtime/config/installation.ts';
import { isSecret, type Path, pathText, valueAt } from '../../../runtime/config/problems.ts';
import { subscriptionSchema } from '../../../runtime/config/subscription-schema.ts';
import {
  type EventFilter,
  validateFilterInSteps,
  validateInSteps,
} from '../../../runtime/config/validate-subscription.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import { type FieldError, invalid, toPointer } from '../http/problem.ts';
import { givenInstantSchema } from '../http/schemas.ts';
import { VERIFICATIONS, type Verification } from './verify-endpoint.ts';

export interface SubscriptionInput {
  /** Validated; its settings refer to the secret values of the request, see `secrets`. */
  readonly subscription: Subscription;
  /** The secret values of the request by their references. */
  readonly secrets: ReadonlyMap<string, string>;
  /** @default - depends on the key */
  readonly verify?: Verification;
  /** @default - not asked for */
  readonly active?: boolean;
  /** Where a path of the subscription is in the request. */
  pointerOf(path: string): string;
}

/** Other names of `url`. A subscription that uses one is removed by 410 Gone. */
const HOOK_URLS = ['targetUrl', 'target_url', 'hookUrl', 'hook_url'] as const;
export const URL_KEYS = ['url', ...HOOK_URLS] as const;

/** Settings of `to.http` that a request with `url` may name beside it. */
export const HTTP_KEYS = ['format', 'contentType', 'headers', 'auth'] as const;

/** What the API adds to the keys of the config. */
const OWN_KEYS = [...URL_KEYS, ...HTTP_KEYS, 'event', 'verify', 'active', 'expiresAt', 'removeWhenGone'] as const;

/** Keys of the config that a request may not have: with this one a subscription would take over the deliveries of another. */
export const CONFIG_ONLY_KEYS = ['renamedFrom'] as const;

/** The keys that a request shares with the config. */
const CONFIG_KEYS = Object.keys(subscriptionSchema.shape).filter((key) => !CONFIG_ONLY_KEYS.some((own) => own === key));

const REQUEST_KEYS = [...new Set(['name', 'url', 'to', 'events', 'query', ...CONFIG_KEYS, ...OWN_KEYS])];
const KNOWN_KEYS: ReadonlySet<string> = new Set([...REQUEST_KEYS, ...CONFIG_ONLY_KEYS]);

export interface InputOptions {
  readonly config: Config;
  readonly mode: Mode;
  /** The name that the subscription has or gets. */
  readonly name: string;
  /** The event types that a query may name. */
  readonly types: readonly string[];
  /** The receiver that is changed: it keeps its sealed values and the references of the operator where they are. @default - a new one */
  readonly stored?: Target;
}

/** Throws a problem with a pointer for each wrong field. */
export function* readSubscriptionInput(given: unknown, options: InputOptions): Steps<SubscriptionInput> {
  const request = readRequest(given, options);
  const { body, tree, secrets, pointerOf, errors } = request;
  const verify = readOption(body, 'verify', VERIFICATIONS, errors);
  const active = readFlag(body, 'active', errors);
  const removeWhenGone = readFlag(body, 'removeWhenGone', errors) ?? HOOK_URLS.some((key) => key in body);
  const expiresAt = readExpiry(body, errors);
  const { subscription, problems } = yield* validateInSteps(tree, request.installation);
  if (subscription === undefined || errors.length > 0) throw invalid(errorsOf(request, problems));
  return {
    subscription: {
      ...subscription,
      expiresAt,
      ...(removeWhenGone ? { removeWhenGone } : {}),
    },
    secrets,
    pointerOf,
    verify,
    active,
  };
}

/** Reads a request without a receiver, of which only the filter counts. Throws as `readSubscriptionInput` does. */
export function* readFilterInput(given: unknown, options: InputOptions): Steps<EventFilter> {
  const request = readRequest(given, options);
  const { filter, problems } = yield* validateFilterInSteps(request.tree, request.installation);
  if (filter === undefined || request.errors.length > 0) throw invalid(errorsOf(request, problems));
  return filter;
}

interface ReadRequest extends ConfigTree {
  readonly body: Section;
  readonly secrets: SubscriptionInput['secrets'];
  readonly installation: Installation;
  /** Those that are known so far. */
  readonly errors: FieldError[];
}

function readRequest(given: unknown, options: InputOptions): ReadRequest {
  const { config, mode, name, types, stored } = options;
  if (!isConfigSection(given)) throw invalid([{ pointer: '', detail: 'expected an object' }]);
  const errors: FieldError[] = [];
  const body = expandQuery(given, types, errors);
  const { tree, pointerOf } = toConfigTree(body, errors, given.query !== undefined);
  const hidden = hideSecrets(tree, stored, errors);
  const installation = installationOf(config, mode, (reference) => hidden.secrets.get(reference));
  return { body, tree: { ...Object(hidden.tree), name }, secrets: hidden.secrets, pointerOf, installation, errors };
}

/** A query that cannot be read brings no events: only its own errors are shown. */
function errorsOf({ errors, pointerOf }: ReadRequest, problems: readonly ConfigProblem[]): readonly FieldError[] {
  const hasQueryError = errors.some(({ pointer }) => pointer === '/query');
  const further = problems.map(({ path, message }) => ({ pointer: pointerOf(path), detail: message }));
  return [...errors, ...further.filter(({ pointer }) => !(hasQueryError && pointer === '/query'))];
}

type Section = Readonly<Record<string, unknown>>;

/** The keys that a query stands for: beside it they are refused. */
export const QUERY_KEYS = ['event', 'events', 'where', 'digest', 'quiet'] as const;

/** @param types the event types that the caller may see, also as suggestions for a misspelled one */
function expandQuery(body: Section, types: readonly string[], errors: FieldError[]): Section {
  const { query, ...rest } = body;
  if (query === undefined) return body;
  for (const key of QUERY_KEYS.filter((one) => rest[one] !== undefined)) {
    errors.push({ pointer: `/${key}`, detail: `expected either query or ${key}` });
  }
  const others = Object.entries(rest).filter(([key]) => !QUERY_KEYS.some((one) => one === key));
  return { ...Object.fromEntries(others), ...compileQuery(query, types, errors) };
}

/** Empty after an error. */
function compileQuery(query: unknown, types: readonly string[], errors: FieldError[]): Section {
  if (typeof query !== 'string') {
    errors.push({ pointer: '/query', detail: "expected words such as 'task.overdue daily 08:30'" });
    return {};
  }
  try {
    return { ...subscriptionFromQuery(query, types) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    for (const { word, at, message } of error.problems) {
      errors.push({ pointer: '/query', detail: message, position: at, ...(word === '' ? {} : { word }) });
    }
    return {};
  }
}

interface ConfigTree {
  readonly tree: unknown;
  /** Where a path of the tree is in the request. */
  pointerOf(path: string): string;
}

/** The request in the form of the config: `url` is `to.http.url`, `event` is `events`. */
function toConfigTree(body: Section, errors: FieldError[], isFromQuery: boolean): ConfigTree {
  const urls = URL_KEYS.filter((key) => body[key] !== undefined);
  const [urlKey] = urls;
  const rest = Object.fromEntries(CONFIG_KEYS.flatMap((key) => (key in body ? [[key, body[key]]] : [])));
  for (const key of Object.keys(body).filter((one) => !KNOWN_KEYS.has(one))) {
    errors.push({
      pointer: toPointer(pathText([key])),
      detail: `unknown key '${clip(key, 80)}', ${suggestWord(key, REQUEST_KEYS)}`,
    });
  }
  const http = Object.fromEntries(HTTP_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])));
  for (const key of urls.slice(1)) errors.push({ pointer: `/${key}`, detail: `expected one URL, got ${urlKey} too` });
  if (urlKey !== undefined && body.to !== undefined) {
    errors.push({ pointer: '/to', detail: `expected either ${urlKey} or to` });
  }
  if (body.event !== undefined && body.events !== undefined) {
    errors.push({ pointer: '/event', detail: 'expected either event or events' });
  }
  for (const key of CONFIG_ONLY_KEYS.filter((one) => body[one] !== undefined)) {
    const detail = 'expected nothing here: this key belongs to the config of the operator';
    errors.push({ pointer: `/${key}`, detail });
  }
  const isShort = urlKey !== undefined && body.to === undefined;
  const tree = {
    ...rest,
    ...(body.event === undefined || body.events !== undefined ? {} : { events: [body.event] }),
    to: withSigningSecret(isShort ? { http: { ...http, url: body[urlKey] } } : body.to, errors),
  };
  const moved: readonly (readonly [string, string])[] = [
    ...(isShort
      ? ([['to.http.url', `/${urlKey}`], ...HTTP_KEYS.map((key) => [`to.http.${key}`, `/${key}`] as const)] as const)
      : []),
    ...(body.event === undefined ? [] : ([['events[0]', '/event']] as const)),
  ];
  return {
    tree,
    pointerOf(path) {
      if (
        isFromQuery &&
        QUERY_KEYS.some((key) => path === key || (/^[.[]/.test(path.slice(key.length)) && path.startsWith(key)))
      )
        return '/query';
      const [from, to] = moved.find(([start]) => path === start || path.startsWith(`${start}.`)) ?? ['', ''];
      return `${to}${toPointer(path.slice(from.length))}`;
    },
  };
}

/** Any value: the schema asks for one, and the API makes it. */
export const SIGNING_SECRET = 'derived:00000000:new:0';

function withSigningSecret(to: unknown, errors: FieldError[]): unknown {
  if (!isConfigSection(to) || !isConfigSection(to.http)) return to;
  if (to.http.secret !== undefined) {
    const detail = 'expected nothing here: the API makes the signing secret and returns it once';
    errors.push({ pointer: '/to/http/secret', detail });
  }
  return { ...to, http: { ...to.http, secret: SIGNING_SECRET } };
}

interface HiddenSecrets {
  readonly tree: unknown;
  readonly secrets: SubscriptionInput['secrets'];
}

/** Servers take 8 to 16 KB of headers. Each attempt opens these values, sends them, and searches the response for them. */
const MAX_SECRETS_LENGTH = 16_000;

/** Replaces secret values by references. A variable of the operator elsewhere would be replaced when a message is sent. */
function hideSecrets(tree: unknown, stored: Target | undefined, errors: FieldError[]): HiddenSecrets {
  const known = stored && { to: { [stored.channel]: stored.settings } };
  const secrets = new Map<string, string>();
  let length = 0;
  const walk = (value: unknown, path: Path): unknown => {
    // A filter has no secrets, and may be nested deeply.
    if (path.length > 0 && path[0] !== 'to') return value;
    if (typeof value === 'string') {
      if (!isSecret(path)) {
        if (value.includes('${')) {
          const detail = 'expected text without ${…}: variables belong to the config of the operator';
          errors.push({ pointer: toPointer(pathText(path)), detail });
        }
        return value;
      }
      // Elsewhere the same text is a value like any other: it must not stand for another secret of the receiver.
      if (value === (pathText(path) === 'to.http.secret' ? SIGNING_SECRET : valueAt(known, path))) return value;
      const reference = `given:${secrets.size}`;
      secrets.set(reference, value);
      const isWithin = length <= MAX_SECRETS_LENGTH;
      length += value.length;
      if (isWithin && length > MAX_SECRETS_LENGTH) {
        const detail = `expected headers and other secret values of at most ${MAX_SECRETS_LENGTH} characters in all`;
        errors.push({ pointer: toPointer(pathText(path)), detail });
      }
      return reference;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isConfigSection(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { tree: walk(tree, []), secrets };
}

function readOption<T extends string>(
  body: Section,
  key: string,
  known: readonly T[],
  errors: FieldError[],
): T | undefined {
  const value = body[key];
  const option = known.find((one) => one === value);
  if (value !== undefined && option === undefined) {
    errors.push({ pointer: `/${key}`, detail: `expected one of ${known.join(', ')}` });
  }
  return option;
}

function readFlag(body: Section, key: string, errors: FieldError[]): boolean | undefined {
  const value = body[key];
  if (value === undefined || typeof value === 'boolean') return value;
  errors.push({ pointer: `/${key}`, detail: 'expected true or false' });
  return undefined;
}

function readExpiry({ expiresAt }: Section, errors: FieldError[]): Instant | undefined {
  if (expiresAt === undefined || expiresAt === null) return undefined;
  const parsed = givenInstantSchema.safeParse(expiresAt);
  if (parsed.success) return parseInstant(parsed.data);
  errors.push({ pointer: '/expiresAt', detail: parsed.error.issues[0]?.message ?? 'expected a time' });
  return undefined;
}
