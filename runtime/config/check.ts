/**
 * Checks that the schema cannot express: those across several values, and of zones, event types, patterns and addresses.
 * The schema has already validated the shape.
 */

import { closestMatch } from 'leven';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { isCidrRange } from '../../adapters/http/guard.ts';
import { eventTypeOf, eventTypes } from '../../core/events/catalogue.ts';
import { hasResource } from '../../core/events/custom-events.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { MAX_WORD_LENGTH } from '../../core/filters/nearest-word.ts';
import { patternProblems } from '../../core/filters/pattern.ts';
import { isTimeZone } from '../../core/model/calendar.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { Target } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { checkMail } from './check-mail.ts';
import { checkSlack } from './check-slack.ts';
import { checkTemplate } from './check-template.ts';
import type { Environment } from './config.ts';
import { knownSecret } from './known-secret.ts';
import { type Path, pathText, problemAt, valueAt } from './problems.ts';
import type { ParsedConfig } from './schema.ts';
import { listNames } from './values.ts';

type Source = NonNullable<ParsedConfig['source']>;
type CustomEvent = ParsedConfig['customEvents'][number];
type Subscription = ParsedConfig['subscriptions'][number];

export function checkConfig(
  config: ParsedConfig,
  raw: unknown,
  environment: Environment,
  mode: Mode = 'embedded',
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
    ...findDuplicates(sources.map(([path, { name }]) => [[...path, 'name'], name] as const)),
    ...network.allow.flatMap((range, index) =>
      isCidrRange(range)
        ? []
        : [at(['network', 'allow', index], "expected a range such as '10.0.0.0/8' or 'fd00::/8'")],
    ),
    ...customEvents.flatMap((custom, index) => checkCustomEvent(custom, raw, ['customEvents', index], at)),
    ...findDuplicates(customEvents.map(({ type }, index) => [['customEvents', index, 'type'], type] as const)),
    ...subscriptions.flatMap((subscription, index) =>
      checkSubscription(subscription, types, ['subscriptions', index], at),
    ),
    ...subscriptions.flatMap(({ where }, index) => checkWhere(where, raw, ['subscriptions', index, 'where'])),
    ...subscriptions.flatMap(({ template, to, events }, index) =>
      checkTemplate({ template, channel: to.channel, events, custom: customEvents }, raw, [
        'subscriptions',
        index,
        'template',
      ]),
    ),
    ...subscriptions.flatMap(({ to }, index) =>
      checkTarget(
        to,
        { environment, mode, network, hasSlackApp: config.slack !== undefined },
        ['subscriptions', index, 'to', to.channel],
        at,
      ),
    ),
    ...subscriptions.flatMap(({ to }, index) =>
      checkPersonal(
        to,
        sources.map(([, source]) => source),
        ['subscriptions', index, 'to', to.channel, 'to'],
      ),
    ),
    ...findDuplicates(subscriptions.map(({ name }, index) => [['subscriptions', index, 'name'], name] as const)),
    ...checkRenames(subscriptions, at),
    ...checkMail(config, raw, environment, mode),
    ...checkTypes(config.slack?.offer ?? [], ['slack', 'offer'], at, types),
    ...checkSlack(config, mode, at),
  ];
}

const ZONE = "expected an IANA zone such as 'Europe/Berlin'";

export type At = (path: Path, expected: string) => ConfigProblem;

function checkSource(source: Source, allowHttp: boolean, path: Path, at: At): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (!isSafe(source.baseUrl, (url) => allowHttp || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))) {
    problems.push(at([...path, 'baseUrl'], 'expected an https URL, because every request carries the token'));
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

function checkSubscription(subscription: Subscription, types: readonly string[], path: Path, at: At): ConfigProblem[] {
  const { events, timeZone } = subscription;
  const problems = [
    ...checkTypes(events, [...path, 'events'], at, types),
    ...checkSupportedOptions(subscription, path),
  ];
  if (timeZone !== undefined && !isTimeZone(timeZone)) problems.push(at([...path, 'timeZone'], ZONE));
  return problems;
}

/** Each rename is one step: with chains and swaps, the order of the moves would decide where deliveries end up. */
function checkRenames(subscriptions: readonly Subscription[], at: At): ConfigProblem[] {
  const names = new Set(subscriptions.map(({ name }) => name));
  const seen = new Set<string>();
  return subscriptions.flatMap(({ renamedFrom }, index) => {
    if (renamedFrom === undefined) return [];
    const path = ['subscriptions', index, 'renamedFrom'];
    const isRepeated = seen.has(renamedFrom);
    seen.add(renamedFrom);
    if (names.has(renamedFrom))
      return [
        at(path, 'expected a name that no subscription has any more: rename in one step, without chains or swaps'),
      ];
    return isRepeated ? [at(path, 'expected each old name once')] : [];
  });
}

interface TargetCheckOptions {
  readonly environment: Environment;
  readonly mode: Mode;
  readonly network: ParsedConfig['network'];
  readonly hasSlackApp: boolean;
}

/** The checks of the channel's definition. */
function checkTarget(
  { channel, settings }: Target,
  { environment, ...options }: TargetCheckOptions,
  path: Path,
  at: At,
): ConfigProblem[] {
  const context = { ...options, knownSecret: (reference: string) => knownSecret(reference, environment) };
  const problems = channelRegistry.get(channel)?.check(settings, context) ?? [];
  return problems.map(({ path: inside, message, showsValue }) => {
    const full = [...path, ...inside];
    return showsValue ? at(full, message) : { path: pathText(full), message };
  });
}

/** The addresses of people come from their records, and managers from the projects: both must be polled. */
function checkPersonal({ channel, settings }: Target, sources: readonly Source[], path: Path): ConfigProblem[] {
  const personal = channelRegistry.get(channel)?.personal?.(settings);
  if (personal === undefined) return [];
  const needed = personal.role === 'projectmanager' ? ['person', 'project'] : ['person'];
  return sources.flatMap(({ name, resources }) =>
    needed.flatMap((resource) => {
      const section = (resources as Readonly<Record<string, unknown>>)[resource];
      if (section !== undefined && section !== 'off') return [];
      const message = `expected a list of addresses or a channel: the ${personal.role} are not known, because source '${name}' does not poll ${resource}`;
      return [{ path: pathText(path), message }];
    }),
  );
}

/** Rejects options that the channel does not support: ignoring them would send unexpected messages. */
function checkSupportedOptions({ to, template = {}, ...options }: Subscription, path: Path): ConfigProblem[] {
  const { name, gathers, templateParts } = traitsOf(channelRegistry, to);
  const gathering = GATHERING_OPTIONS.filter((option) => options[option] !== undefined);
  const parts = Object.keys(templateParts);
  const unsupported = Object.keys(template).filter((part) => !parts.includes(part));
  return [
    ...(gathers ? [] : gathering).map((option) => ({
      path: pathText([...path, option]),
      message: `expected nothing here: ${name} sends each event at once; this option is for ${GATHERING_CHANNELS}`,
    })),
    ...unsupported.map((part) => ({
      path: pathText([...path, 'template', part]),
      message:
        parts.length === 0
          ? `expected nothing here: ${name} sends each event unchanged`
          : `expected only ${parts.join(', ')} for ${name}`,
    })),
  ];
}

/** The options of channels that collect events into messages. */
export const GATHERING_OPTIONS = ['gather', 'digest', 'quiet', 'dayStartsAt'] as const;

const GATHERING_CHANNELS = listNames(CHANNELS.filter(({ gathers }) => gathers).map(({ name }) => name));

/** Each must match an existing type: with a misspelled one the subscription would never receive anything. */
export function checkTypes(
  globs: readonly string[],
  path: Path,
  at: At,
  types: readonly string[] = eventTypes.map(({ type }) => type),
): ConfigProblem[] {
  return globs.flatMap((glob, index) => {
    if (types.some(compileGlob(glob))) return [];
    const nearest = glob.length > MAX_WORD_LENGTH ? undefined : closestMatch(glob, types);
    const expected = 'expected an event type, or a pattern that matches one';
    return [at([...path, index], nearest === undefined ? expected : `${expected} (the nearest is '${nearest}')`)];
  });
}

/** Checks the pattern with its variables expanded. A message shows a value only if it is wrong as written, too. */
export function checkWhere(where: unknown, raw: unknown, path: Path): ConfigProblem[] {
  if (where === undefined) return [];
  const written = patternProblems(valueAt(raw, path));
  const hidden =
    'expected a pattern that is valid after its variables are replaced, got a value that is not shown here';
  const problems = patternProblems(where).map(
    ({ path }) => written.find((one) => one.path === path) ?? { path, message: hidden },
  );
  const at = pathText(path);
  return problems.map(({ path, message }) => ({ path: path === '' ? at : `${at}.${path}`, message }));
}

/** https, or http where `mayBeHttp` allows it. A URL with unset variables is reported elsewhere. */
function isSafe(text: string, mayBeHttp: (url: URL) => boolean): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol === 'https:') return true;
  return url.protocol === 'http:' && mayBeHttp(url);
}

function findDuplicates(names: readonly (readonly [Path, string])[]): ConfigProblem[] {
  const seen = new Set<string>();
  return names.flatMap(([path, name]) => {
    if (seen.has(name)) return [{ path: pathText(path), message: `expected a unique name, got '${name}' again` }];
    seen.add(name);
    return [];
  });
}
