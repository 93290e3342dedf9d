/**
 * Validates one subscription against the installation that is to deliver it: its shape, and what the schema cannot express.
 * Every entrance uses this function. Reads no file, resolves no reference, and knows no other subscription.
 */

import { closestMatch } from 'leven';
import type { ChannelDefinition, ValidParts } from '../../adapters/channels/definition.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { MAX_WORD_LENGTH } from '../../core/filters/nearest-word.ts';
import { patternProblems } from '../../core/filters/pattern.ts';
import { isTimeZone } from '../../core/model/calendar.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { runAtOnce, type Steps } from '../../core/model/steps.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { checkTemplate } from './check-template.ts';
import type { Installation } from './installation.ts';
import { type Path, pathText, problemAt, SUBSCRIPTION_PATH, valueAt } from './problems.ts';
import { type ReadValue, readParts } from './read-parts.ts';
import { GATHERING_OPTIONS, type ParsedSubscription, subscriptionSchema } from './subscription-schema.ts';
import { isConfigSection, listNames, withoutUndefined, ZONE } from './values.ts';

type SubscriptionParts = ValidParts<ParsedSubscription>;

export interface ValidatedSubscription {
  /** Undefined if there is a problem. */
  readonly subscription?: Subscription;
  /** The parts with a valid shape. */
  readonly parts: SubscriptionParts;
  /** Undefined if it is not known which one. */
  readonly channel?: ChannelDefinition;
  /** All of them. Their paths begin at the subscription: `to.http.url`. */
  readonly problems: readonly ConfigProblem[];
}

/** @param raw the subscription as written, before variables were replaced: messages show its values */
export const validateSubscription = (
  tree: unknown,
  installation: Installation,
  raw: unknown = tree,
): ValidatedSubscription => runAtOnce(validateInSteps(tree, installation, raw));

/** The same with pauses for others: templates that nobody has checked may take long. */
export function* validateInSteps(
  tree: unknown,
  installation: Installation,
  raw: unknown = tree,
): Steps<ValidatedSubscription> {
  const read = readParts(subscriptionSchema, tree, { raw, within: SUBSCRIPTION_PATH });
  const { whole, parts = {} } = read;
  const channel = channelOf(tree);
  const problems = [...read.problems, ...(yield* checkParts(read, channel, installation, raw))];
  const isValid = whole !== undefined && problems.length === 0;
  return { parts, channel, problems, subscription: isValid ? toSubscription(whole, installation, raw) : undefined };
}

/** What a subscription says about events, without a receiver. */
export type EventFilter = Pick<Subscription, 'name' | 'events' | 'where' | 'digest' | 'quiet'>;

export interface ValidatedFilter extends Pick<ValidatedSubscription, 'problems'> {
  /** Undefined if there is a problem. */
  readonly filter?: EventFilter;
}

const filterSchema = subscriptionSchema.partial({ to: true });

/** Validates a subscription that may have no receiver yet, of which only the filter is used. */
export const validateFilter = (tree: unknown, installation: Installation, raw: unknown = tree): ValidatedFilter =>
  runAtOnce(validateFilterInSteps(tree, installation, raw));

export function* validateFilterInSteps(
  tree: unknown,
  installation: Installation,
  raw: unknown = tree,
): Steps<ValidatedFilter> {
  const read = readParts(filterSchema, tree, { raw, within: SUBSCRIPTION_PATH });
  const problems = [...read.problems, ...(yield* checkParts(read, channelOf(tree), installation, raw))];
  if (read.whole === undefined || problems.length > 0) return { problems };
  const { name, events, where, digest, quiet } = read.whole;
  return { filter: withoutUndefined({ name, events, where, digest, quiet }), problems };
}

/** What the schema cannot express, of the parts that have a valid shape. */
function* checkParts(
  { parts: valid = {}, isInvalid }: Pick<ReadValue<ParsedSubscription>, 'parts' | 'isInvalid'>,
  channel: ChannelDefinition | undefined,
  installation: Installation,
  raw: unknown,
): Steps<ConfigProblem[]> {
  // A list that is too long is not read: each entry is compared with all types.
  const parts = isInvalid('events') ? { ...valid, events: undefined } : valid;
  return [
    ...checkTypes(parts.events ?? [], ['events'], installation.customEvents, raw),
    ...checkZone(parts, raw),
    ...checkRename(parts, raw),
    ...checkWhere(parts.where, raw, ['where']),
    ...(channel === undefined
      ? []
      : [
          ...checkOptions(parts, channel),
          ...(yield* checkOwnTemplate(parts, channel, installation, raw)),
          ...checkTarget(parts.to?.[channel.name] ?? {}, channel, installation, raw),
        ]),
  ].filter(({ path }) => !isInvalid(path));
}

/** Options that are not set have no key. */
function toSubscription(parsed: ParsedSubscription, { mode }: Installation, raw: unknown): Subscription {
  const [[channel, settings = {}] = ['', {}]] = Object.entries(parsed.to);
  // These variables are replaced only when a message is sent. In AWS they are replaced when the config is deployed.
  const variables = (mode === 'aws' ? [] : (channelRegistry.get(channel)?.variableKeys ?? [])).flatMap((key) => {
    const text = valueAt(raw, ['to', channel, key]);
    return typeof text === 'string' && text.includes('${') ? [[key, text] as const] : [];
  });
  const to = { channel, settings: { ...settings, ...Object.fromEntries(variables) } };
  return { ...withoutUndefined({ ...parsed, to }), declared: false };
}

/** The channel is known even if its settings are invalid. */
function channelOf(tree: unknown): ChannelDefinition | undefined {
  const to = valueAt(tree, ['to']);
  const [name = '', ...others] = isConfigSection(to) ? Object.keys(to) : [];
  return others.length > 0 ? undefined : channelRegistry.get(name);
}

/** Each must match an existing type: with a misspelled one the subscription would never receive anything. */
export function checkTypes(
  globs: readonly (string | undefined)[],
  path: Path,
  customEvents: Installation['customEvents'],
  raw: unknown,
): ConfigProblem[] {
  if (customEvents === undefined) return [];
  return globs.flatMap((glob, index) => {
    if (glob === undefined) return [];
    const matches = compileGlob(glob);
    if ([eventTypes, customEvents].some((all) => all.some(({ type }) => matches(type)))) return [];
    const types = [...eventTypes, ...customEvents].map(({ type }) => type);
    const nearest = glob.length > MAX_WORD_LENGTH ? undefined : closestMatch(glob, types);
    const expected = 'expected an event type, or a pattern that matches one';
    const message = nearest === undefined ? expected : `${expected} (the nearest is '${nearest}')`;
    return [problemAt(raw, [...path, index], message)];
  });
}

const GATHERING_CHANNELS = listNames(CHANNELS.filter(({ gathers }) => gathers).map(({ name }) => name));

/** Rejects options that the channel does not support: ignoring them would send unexpected messages. */
function checkOptions(parts: SubscriptionParts, { name, gathers, templateParts }: ChannelDefinition): ConfigProblem[] {
  const gathering = GATHERING_OPTIONS.filter((option) => parts[option] !== undefined);
  const supported = Object.keys(templateParts);
  const unsupported = Object.keys(parts.template ?? {}).filter((part) => !supported.includes(part));
  return [
    ...(gathers ? [] : gathering).map((option) => ({
      path: option,
      message: `expected nothing here: ${name} sends each event at once; this option is for ${GATHERING_CHANNELS}`,
    })),
    ...unsupported.map((part) => ({
      path: pathText(['template', part]),
      message:
        supported.length === 0
          ? `expected nothing here: ${name} sends each event unchanged`
          : `expected only ${supported.join(', ')} for ${name}`,
    })),
  ];
}

function checkZone({ timeZone }: SubscriptionParts, raw: unknown): ConfigProblem[] {
  return timeZone === undefined || isTimeZone(timeZone) ? [] : [problemAt(raw, ['timeZone'], ZONE)];
}

export const RENAMED_TO_KNOWN =
  'expected a name that no subscription has any more: rename in one step, without chains or swaps';

function checkRename({ name, renamedFrom }: SubscriptionParts, raw: unknown): ConfigProblem[] {
  const isOwn = renamedFrom !== undefined && renamedFrom === name;
  return isOwn ? [problemAt(raw, ['renamedFrom'], RENAMED_TO_KNOWN)] : [];
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

/** The channel determines which parts a template may have, and the events which fields. */
function* checkOwnTemplate(
  { template, events = [] }: SubscriptionParts,
  { templateParts, gathers }: ChannelDefinition,
  { customEvents }: Installation,
  raw: unknown,
): Steps<ConfigProblem[]> {
  const globs = events.filter((glob) => glob !== undefined);
  if (template === undefined || customEvents === undefined || globs.length < Math.max(events.length, 1)) return [];
  return yield* checkTemplate(template, valueAt(raw, ['template']), {
    templateParts,
    gathers,
    events: globs,
    customEvents,
  });
}

/** What the channel itself checks, and what it needs of the installation. */
function checkTarget(
  settings: object,
  channel: ChannelDefinition,
  installation: Installation,
  raw: unknown,
): ConfigProblem[] {
  const path = ['to', channel.name];
  const ownProblems = channel.check(settings, installation).map(({ path: inside, message, showsValue }) => {
    const full = [...path, ...inside];
    return showsValue ? problemAt(raw, full, message) : { path: pathText(full), message };
  });
  const keys = installation.mode === 'aws' ? 'from' : 'from and smtp';
  const noMail = `the config of this installation cannot send mail: expected its section mail with ${keys}`;
  return [
    ...ownProblems,
    ...(channel.needs.includes('mail') && !installation.hasMail ? [{ path: 'to', message: noMail }] : []),
    ...checkPersonal(settings, channel, installation),
  ];
}

/** The addresses of people come from their records, and managers from the projects: both must be polled. */
function checkPersonal(settings: object, channel: ChannelDefinition, { sources }: Installation): ConfigProblem[] {
  const personal = channel.personal?.(settings);
  if (personal === undefined) return [];
  const needed = personal.role === 'projectmanager' ? ['person', 'project'] : ['person'];
  return sources.flatMap(({ name, resources }) =>
    needed
      .filter((resource) => !resources.includes(resource))
      .map((resource) => ({
        path: pathText(['to', channel.name, 'to']),
        message: `expected a list of addresses or a channel: the ${personal.role} are not known, because source '${name}' does not poll ${resource}`,
      })),
  );
}
