/**
 * Checks of a config that need more than one value, or knowledge from elsewhere: zones, event types, patterns, addresses.
 * The shape has been found good before.
 */

import leven from 'leven';
import { isRange } from '../../adapters/http/guard.ts';
import { eventTypeOf, eventTypes } from '../../core/events/catalogue.ts';
import { hasResource } from '../../core/events/custom-events.ts';
import { isTimeZone } from '../../core/model/calendar.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { compileGlob } from '../../core/subscriptions/match.ts';
import { patternProblems } from '../../core/subscriptions/pattern.ts';
import { checkHttp } from './check-http.ts';
import { checkMail } from './check-mail.ts';
import { checkTemplate, TEMPLATE_PARTS } from './check-template.ts';
import type { Environment, Home } from './config.ts';
import { knownSecret } from './known-secret.ts';
import { type Path, pathText, problemAt, valueAt } from './problems.ts';
import type { ParsedConfig } from './schema.ts';

type Source = NonNullable<ParsedConfig['source']>;
type CustomEvent = ParsedConfig['customEvents'][number];
type Subscription = ParsedConfig['subscriptions'][number];

export function checkConfig(
  config: ParsedConfig,
  raw: unknown,
  environment: Environment,
  home: Home = 'embedded',
): ConfigProblem[] {
  const at = (path: Path, expected: string) => problemAt(raw, path, expected);
  const sources: (readonly [Path, Source])[] =
    config.source === undefined
      ? (config.sources ?? []).map((source, index) => [['sources', index], source] as const)
      : [[['source'], config.source]];
  const { customEvents, subscriptions, network } = config;
  const types = [...eventTypes, ...customEvents].map(({ type }) => type);
  return [
    ...sources.flatMap(([path, source]) => checkSource(source, network.allowHttp, path, at)),
    ...repeated(sources.map(([path, { name }]) => [[...path, 'name'], name] as const)),
    ...network.allow.flatMap((range, index) =>
      isRange(range) ? [] : [at(['network', 'allow', index], "expected a range such as '10.0.0.0/8' or 'fd00::/8'")],
    ),
    ...customEvents.flatMap((custom, index) => checkCustomEvent(custom, raw, ['customEvents', index], at)),
    ...repeated(customEvents.map(({ type }, index) => [['customEvents', index, 'type'], type] as const)),
    ...subscriptions.flatMap((subscription, index) =>
      checkSubscription(subscription, types, network.allowHttp, ['subscriptions', index], at),
    ),
    ...subscriptions.flatMap(({ where }, index) => checkWhere(where, raw, ['subscriptions', index, 'where'])),
    ...subscriptions.flatMap(({ template, to, events }, index) =>
      checkTemplate({ template, channel: channelOf(to), events, custom: customEvents }, raw, [
        'subscriptions',
        index,
        'template',
      ]),
    ),
    ...subscriptions.flatMap(({ to }, index) =>
      checkHttp(to.http, environment, ['subscriptions', index, 'to', 'http'], home, network.allow),
    ),
    ...subscriptions.flatMap(({ to }, index) =>
      checkSlack(to, environment, network.allowHttp, ['subscriptions', index, 'to', 'slack'], at),
    ),
    ...repeated(subscriptions.map(({ name }, index) => [['subscriptions', index, 'name'], name] as const)),
    ...checkMail(config, raw, environment, home),
  ];
}

const HTTPS = 'expected an https URL (network.allowHttp opens plain http)';
const ZONE = "expected an IANA zone such as 'Europe/Berlin'";

type At = (path: Path, expected: string) => ConfigProblem;

function checkSource(source: Source, allowHttp: boolean, path: Path, at: At): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (!isSafe(source.baseUrl, (url) => allowHttp || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))) {
    problems.push(at([...path, 'baseUrl'], 'expected an https URL, for the token travels with every request'));
  }
  if (source.timeZone !== undefined && !isTimeZone(source.timeZone)) {
    problems.push(at([...path, 'timeZone'], ZONE));
  }
  return problems;
}

function checkCustomEvent({ type, when }: CustomEvent, raw: unknown, path: Path, at: At): ConfigProblem[] {
  const problems = [
    ...checkWhere(when.before, raw, [...path, 'when', 'before']),
    ...checkWhere(when.after, raw, [...path, 'when', 'after']),
  ];
  if (!hasResource(type)) problems.push(at([...path, 'type'], 'expected the name of a resource before the dot'));
  if (eventTypeOf(type) !== undefined) problems.push(at([...path, 'type'], 'expected a name that is not taken'));
  return problems;
}

function checkSubscription(
  subscription: Subscription,
  types: readonly string[],
  allowHttp: boolean,
  path: Path,
  at: At,
): ConfigProblem[] {
  const { events, to, timeZone } = subscription;
  const problems = [...checkTypes(events, [...path, 'events'], at, types), ...checkManners(subscription, path)];
  if (timeZone !== undefined && !isTimeZone(timeZone)) problems.push(at([...path, 'timeZone'], ZONE));
  if (to.http !== undefined && !isSafe(to.http.url, () => allowHttp)) {
    problems.push(at([...path, 'to', 'http', 'url'], HTTPS));
  }
  return problems;
}

/** The webhook is a secret as a whole, and looked at where it can be seen; the token goes wherever `api` says. */
function checkSlack(to: Subscription['to'], environment: Environment, mayBeHttp: boolean, path: Path, at: At) {
  const { webhook = '', api = '' } = to.slack ?? {};
  const addresses = { webhook: knownSecret(webhook, environment) ?? '', api };
  return (['webhook', 'api'] as const).flatMap((key) =>
    isSafe(addresses[key], () => mayBeHttp) ? [] : [at([...path, key], HTTPS)],
  );
}

/** What a channel cannot do is said, not ignored: a wish that is silently not granted sends what nobody asked for. */
function checkManners({ to, template = {}, ...wishes }: Subscription, path: Path): ConfigProblem[] {
  const channel = channelOf(to);
  const forPeople = (['gather', 'digest', 'quiet'] as const).filter((wish) => wishes[wish] !== undefined);
  const wrong = Object.keys(template).filter((part) => !TEMPLATE_PARTS[channel].some((known) => known === part));
  return [
    ...(channel === 'http' || channel === 'bus' ? forPeople : []).map((wish) => ({
      path: pathText([...path, wish]),
      message: `expected nothing here: ${channel} gets each event at once; this is for slack and email`,
    })),
    ...wrong.map((part) => ({
      path: pathText([...path, 'template', part]),
      message:
        channel === 'bus'
          ? 'expected nothing here: a bus gets each event as it is'
          : `expected only ${TEMPLATE_PARTS[channel].join(', ')} for ${channel}`,
    })),
  ];
}

/** The schema has seen to it that there is exactly one. */
export function channelOf(to: Subscription['to']): keyof typeof TEMPLATE_PARTS {
  if (to.http !== undefined) return 'http';
  if (to.slack !== undefined) return 'slack';
  return to.email !== undefined ? 'email' : 'bus';
}

/** Each must match a type there is: a typing mistake would be a subscription that never hears anything. */
export function checkTypes(
  globs: readonly string[],
  path: Path,
  at: At,
  types: readonly string[] = eventTypes.map(({ type }) => type),
): ConfigProblem[] {
  return globs.flatMap((glob, index) => {
    if (types.some(compileGlob(glob))) return [];
    const [nearest] = types.toSorted((a, b) => leven(a, glob) - leven(b, glob));
    const expected = 'expected an event type, or a pattern that matches one';
    return [at([...path, index], `${expected} (the nearest is '${nearest}')`)];
  });
}

/** Looks at the pattern as the file has it, then with the environment in place, whose values are never shown. */
export function checkWhere(where: unknown, raw: unknown, path: Path): ConfigProblem[] {
  if (where === undefined) return [];
  const written = patternProblems(valueAt(raw, path));
  const hidden = 'expected a pattern that is good once the environment is in place, got a value that is not shown here';
  const problems = written.length > 0 ? written : patternProblems(where).map(({ path }) => ({ path, message: hidden }));
  const at = pathText(path);
  return problems.map(({ path, message }) => ({ path: path === '' ? at : `${at}.${path}`, message }));
}

/** https, or http where it may be. A URL whose variables are not set is a problem told elsewhere. */
function isSafe(text: string, mayBeHttp: (url: URL) => boolean): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol === 'https:') return true;
  return url.protocol === 'http:' && mayBeHttp(url);
}

function repeated(names: readonly (readonly [Path, string])[]): ConfigProblem[] {
  const seen = new Set<string>();
  return names.flatMap(([path, name]) => {
    if (seen.has(name)) return [{ path: pathText(path), message: `expected a name of its own, got '${name}' again` }];
    seen.add(name);
    return [];
  });
}
