/**
 * Compares the values that a config names with those of the account: a filter on a project that does not exist is silent. Counts
 * what each subscription would have got in the last days. Makes at most one request for each kind of value.
 */

import { resourceOfType } from '../../core/events/schema-name.ts';
import { nearestField } from '../../core/events/shape-path.ts';
import { backtest } from '../../core/filters/backtest.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { compilePattern } from '../../core/filters/pattern.ts';
import type { Field, Section } from '../../core/filters/pattern-node.ts';
import { parsePattern } from '../../core/filters/pattern-tree.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { isJsonObject } from '../../core/model/json.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { EventStore } from '../../core/ports/event-store.ts';
import type { Config } from '../config/config.ts';
import { polledResources } from '../config/find-warnings.ts';
import { type Path, pathText } from '../config/problems.ts';
import { type AccountValues, MENTIONED, type Reference, readNames, referenceOf } from './account-values.ts';

/** A value in the config that names something of the account. */
interface NamedValue {
  readonly path: Path;
  readonly value: string;
  readonly reference: Reference;
}

/** Values of filters, custom event types, rules and mentions that the account does not have, or that are ambiguous. */
export async function findUnknownValues(
  config: Config,
  accounts: readonly AccountValues[],
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const { path, value, reference } of namedValues(config)) {
    const namesakes = reference.by === 'address' ? await countNamesakes(value, accounts) : 0;
    if (namesakes > 1)
      problems.push({
        path: pathText(path),
        message: `${namesakes} people are named '${value}'; use the mail address`,
      });
    const valueLists = await Promise.all(accounts.map((account) => account.valuesOf(reference)));
    // With several accounts, one of them may have it.
    if (
      valueLists.length === 0 ||
      valueLists.some((values) => values === undefined || isAmong(value, reference, values))
    )
      continue;
    const values = [...new Set(valueLists.flatMap((one) => one ?? []))];
    problems.push({ path: pathText(path), message: describeUnknown(value, reference, values) });
  }
  return problems;
}

/** How many active people of one account have the name: it mentions none of them. */
async function countNamesakes(name: string, accounts: readonly AccountValues[]): Promise<number> {
  const counts = await Promise.all(
    accounts.map(async ({ recordsOf }) => {
      const people = (await recordsOf('person')) ?? [];
      const active = people.filter((person) => person.active !== false);
      return active.filter((person) => isAmong(name, MENTIONED, readNames('person', person))).length;
    }),
  );
  return Math.max(0, ...counts);
}

/** Mentions ignore case, as messages do. */
function isAmong(value: string, { by }: Reference, values: readonly string[]): boolean {
  const normalize = (text: string) => (by === 'address' ? text.trim().toLowerCase() : text);
  return values.some((one) => normalize(one) === normalize(value));
}

function describeUnknown(value: string, { noun, by }: Reference, values: readonly string[]): string {
  const nearest = by === 'id' ? undefined : nearestField(value, values);
  const what = by === 'id' ? `${noun} with id '${value}'` : `${noun} '${value}'`;
  return `no ${what} among ${values.length}${nearest === undefined ? '' : `; did you mean '${nearest}'?`}`;
}

function namedValues({ subscriptions, customEvents, rules, sources }: Config): readonly NamedValue[] {
  const polled = polledResources(sources);
  return [
    ...rules.closedStatuses.flatMap((value, index) => {
      const reference = referenceOf('task', 'status');
      return reference === undefined ? [] : [{ path: ['rules', 'closedStatuses', index], value, reference }];
    }),
    ...customEvents.flatMap(({ type, when }, index) =>
      (['before', 'after'] as const).flatMap((side) =>
        valuesIn(when[side], [], [resourceOfType(type)], ['customEvents', index, 'when', side]),
      ),
    ),
    ...subscriptions.flatMap(({ where, events }, index) =>
      valuesIn(where, ['data', 'record'], resourcesOf(events, polled), ['subscriptions', index, 'where']),
    ),
    ...subscriptions.flatMap(({ to: { channel, settings } }, index) => {
      const { mentions } = settings as { readonly mentions?: unknown };
      const path = ['subscriptions', index, 'to', channel, 'mentions'];
      const people = isJsonObject(mentions) ? Object.keys(mentions) : [];
      return people.map((value) => ({ path: [...path, value], value, reference: MENTIONED }));
    }),
  ];
}

/** The polled resources that the globs may match. */
function resourcesOf(globs: readonly string[], polled: readonly string[]): readonly string[] {
  const resourceGlobs = globs.map((glob) => compileGlob(glob.includes('.') ? glob.slice(0, glob.indexOf('.')) : glob));
  return polled.filter((resource) => resourceGlobs.some((matches) => matches(resource)));
}

/** Texts that the pattern compares with fields below `prefix`. A field must refer to the same for all resources. */
function valuesIn(
  pattern: unknown,
  prefix: readonly string[],
  resources: readonly string[],
  path: Path,
): readonly NamedValue[] {
  if (pattern === undefined) return [];
  const { tree } = parsePattern(pattern);
  const fieldValues = tree.alternatives.flatMap(fieldsOf).flatMap(({ path: at, values }) => {
    const field = at.at(-1) ?? '';
    if (at.slice(0, -1).join('.') !== prefix.join('.')) return [];
    const references = resources.map((resource) => referenceOf(resource, field));
    const [reference] = references;
    if (reference === undefined || references.some((one) => one?.resource !== reference.resource)) return [];
    const texts = [...values].filter((value) => typeof value === 'string');
    return texts.map((value) => ({ path: [...path, ...at], value, reference }));
  });
  return [...new Map(fieldValues.map((one) => [`${pathText(one.path)} ${one.value}`, one])).values()];
}

const fieldsOf = ({ children }: Section): readonly Field[] =>
  children.flatMap(([, child]) => (child.kind === 'field' ? [child] : fieldsOf(child)));

/** How much a subscription would have got. */
export interface Reach {
  readonly subscription: string;
  /** Recorded events of the period that it would have got, and all recorded events. */
  readonly events: { readonly matching: number; readonly recorded: number };
  /** Records that changed in the period, and those of them that its filter selects; null without a filter on records. */
  readonly records: { readonly matching: number; readonly changed: number } | null;
}

const REACH_PERIOD = 30 * DAY;

export async function measureReach(
  { name, events, where }: Subscription,
  config: Pick<Config, 'sources'>,
  store: Pick<EventStore, 'list'>,
  accounts: readonly AccountValues[],
  now: Instant,
): Promise<Reach> {
  const since = plus(now, -REACH_PERIOD);
  const { recorded, received } = await backtest(store, { events, where }, { since, until: now });
  const filter = keepRecordPart(where, []);
  const reach = { subscription: name, events: { matching: received.length, recorded } };
  if (filter === undefined) return { ...reach, records: null };
  const matches = compilePattern(filter);
  const resources = resourcesOf(events, polledResources(config.sources));
  const records = await Promise.all(
    accounts.flatMap((account) => resources.map(async (one) => (await account.recordsOf(one)) ?? [])),
  );
  const changed = records.flat().filter((record) => isChangedSince(record, since.slice(0, 10)));
  return {
    ...reach,
    records: { matching: changed.filter((record) => matches({ data: { record } })).length, changed: changed.length },
  };
}

/** By the dates that the API gives. A record without one counts. */
function isChangedSince({ datemodified, datecreated, date }: Fields, day: string): boolean {
  const changedAt = [datemodified, datecreated, date].find((value) => typeof value === 'string');
  return typeof changedAt !== 'string' || changedAt >= day;
}

const RECORD = ['data', 'record'];

/** The part of a pattern about the record; undefined when there is none. */
function keepRecordPart(pattern: unknown, path: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(pattern)) return undefined;
  const kept = Object.entries(pattern).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (key === '$or') {
      const branches = Array.isArray(value) ? value.map((branch) => keepRecordPart(branch, path)) : [];
      return branches.length > 0 && branches.every((branch) => branch !== undefined) ? [[key, branches]] : [];
    }
    const at = [...path, ...key.split('.')];
    if (RECORD.every((name, index) => at[index] === name) && at.length >= RECORD.length) return [[key, value]];
    const inner = at.every((name, index) => RECORD[index] === name) ? keepRecordPart(value, at) : undefined;
    return inner === undefined ? [] : [[key, inner]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
