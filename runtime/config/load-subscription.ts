/**
 * Reads one subscription from its own file, with the same keys as in the config: to backtest it, or to add it. A backtest
 * sends nothing, so the target may be missing and its secrets need not exist.
 */

import * as z from 'zod';
import { eventTypes } from '../../core/events/catalogue.ts';
import { QueryError } from '../../core/filters/query.ts';
import { type QuerySubscription, subscriptionFromQuery } from '../../core/filters/query-compile.ts';
import { ConfigError, type ConfigProblem, UsageError } from '../../core/model/errors.ts';
import type { Mode } from '../../core/model/mode.ts';
import { referencesIn, replaceReferences } from '../../core/model/reference.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { checkTypes, checkWhere } from './check.ts';
import { checkTemplate } from './check-template.ts';
import type { Environment } from './config.ts';
import { expand, parseText, parseTree, readText, withoutReported } from './load.ts';
import { describeIssues, type Path, problemAt } from './problems.ts';
import { subscriptionSchema } from './subscription-schema.ts';

/** A subscription without its target: enough to match events. */
export type SubscriptionFilter = Pick<Subscription, 'name' | 'events' | 'where'>;

/** The path of a subscription in a config, which messages of the schema refer to. */
const PATH: Path = ['subscriptions', 0];
const schema = z.object({ subscriptions: z.array(subscriptionSchema.partial({ to: true })) });

/** @param custom custom event types of the config, which the subscription may also use */
export function loadSubscription(
  file: string,
  environment: Environment,
  custom: readonly string[] = [],
): SubscriptionFilter {
  const text = readText(file, 'subscription', 'name a file with name, events and where, as in the config');
  return parseSubscription(file, text, environment, custom);
}

export function parseSubscription(
  file: string,
  text: string,
  environment: Environment,
  custom: readonly string[] = [],
): SubscriptionFilter {
  const types = [...eventTypes.map(({ type }) => type), ...custom];
  const raw = { subscriptions: [parseText(file, text)] };
  const expanded = expand(raw, environment);
  const parsed = schema.safeParse(expanded.tree);
  const unset = expanded.problems.filter(({ path }) => !path.startsWith('subscriptions[0].to.'));
  const schemaProblems = [
    ...describeIssues(parsed.error?.issues ?? [], raw),
    ...(parsed.data?.subscriptions ?? []).flatMap(({ events, where, to, template }) => [
      ...checkTypes(events, [...PATH, 'events'], (path, expected) => problemAt(raw, path, expected), types),
      ...checkWhere(where, raw, [...PATH, 'where']),
      // The channel determines which template parts are valid.
      ...(to === undefined
        ? []
        : checkTemplate({ template, channel: to.channel, events, custom: [] }, raw, [...PATH, 'template'])),
    ]),
  ];
  const problems = [...unset, ...withoutReported(schemaProblems, expanded.problems)];
  const [subscription] = parsed.data?.subscriptions ?? [];
  if (problems.length > 0 || subscription === undefined) throw new ConfigError(file, problems.map(relativeToFile));
  const { name, events, where } = subscription;
  return { name, events, ...(where === undefined ? {} : { where }) };
}

/** A query as people type it. @param custom custom event types of the config, which the query may also use */
export function readQuery(query: string, custom: readonly string[] = []): QuerySubscription {
  try {
    return subscriptionFromQuery(query, [...eventTypes.map(({ type }) => type), ...custom]);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new UsageError(error.code, `--query: ${error.message}`);
  }
}

/**
 * Reads a subscription to add to those of the config. It is checked as if it were part of the config: with its network
 * rules, mail server and custom event types.
 * @param query what to subscribe to, instead of events, where, digest and quiet in the file. @default - the file has them
 */
export function loadAddition(
  file: string,
  configFile: string,
  environment: Environment,
  mode: Mode = 'embedded',
  query?: string,
): Subscription {
  const config = parseText(configFile, readText(configFile, 'config', 'name another with --config'));
  const addition = parseText(
    file,
    readText(file, 'subscription', 'name a file with one subscription, as in the config'),
  );
  const added = query === undefined ? addition : withQuery(file, addition, readQuery(query, customTypes(config)));
  const raw = { ...(typeof config === 'object' ? config : {}), subscriptions: [added] };
  try {
    const [subscription] = parseTree(configFile, raw, environment, mode).subscriptions;
    if (subscription === undefined) throw new ConfigError(file, [{ path: '', message: 'expected one subscription' }]);
    return { ...subscription, declared: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const inAddition = error.problems.filter(({ path }) => path.startsWith('subscriptions[0]'));
    throw inAddition.length === 0 ? error : new ConfigError(file, inAddition.map(relativeToFile));
  }
}

/** Reads a subscription to add through the management API, which checks it. Its secrets are values there, not references. */
export function loadApiAddition(
  file: string,
  environment: Environment,
  query?: string,
): { readonly name: string; readonly body: object } {
  const addition = parseText(
    file,
    readText(file, 'subscription', 'name a file with one subscription, as in the config'),
  );
  const { name, ...body } = (query === undefined ? Object(addition) : withQuery(file, addition, readQuery(query))) as {
    readonly name?: unknown;
  };
  if (typeof name !== 'string') throw new ConfigError(file, [{ path: 'name', message: 'expected a name' }]);
  const missing = referencesIn(JSON.stringify(body)).filter((variable) => !environment[variable]);
  if (missing.length > 0) {
    const message = (variable: string) => `expected the environment variable ${variable} to be set`;
    throw new ConfigError(
      file,
      missing.map((variable) => ({ path: '', message: message(variable) })),
    );
  }
  return { name, body: fillReferences(body, environment) as object };
}

function fillReferences(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') {
    return replaceReferences(value, (reference, variable) => environment[variable] ?? reference);
  }
  if (Array.isArray(value)) return value.map((item) => fillReferences(item, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillReferences(item, environment)]));
}

function withQuery(file: string, addition: unknown, query: QuerySubscription): object {
  const section = typeof addition === 'object' && addition !== null ? addition : {};
  const twice = ['events', 'where', 'digest', 'quiet'].filter((key) => key in section);
  if (twice.length > 0) {
    throw new ConfigError(
      file,
      twice.map((path) => ({ path, message: 'expected either this key in the file or --query, got both' })),
    );
  }
  return { ...section, ...query };
}

/** The types of `customEvents` in a config that is not validated yet. */
function customTypes(config: unknown): readonly string[] {
  const events: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'customEvents') : [];
  return (Array.isArray(events) ? events : []).flatMap((event: unknown) => {
    const type: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined;
    return typeof type === 'string' ? [type] : [];
  });
}

/** The file contains only the subscription, so paths in it have no prefix. */
function relativeToFile({ path, message }: ConfigProblem): ConfigProblem {
  return { path: path.replace(/^subscriptions\[0\]\.?/, ''), message };
}
