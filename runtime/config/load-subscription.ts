/**
 * Reads one subscription from its own file, with the same keys as in the config: to backtest it, or to add it. A backtest
 * sends nothing, so the target may be missing and its secrets need not exist.
 */

import { eventTypes } from '../../core/events/catalogue.ts';
import { QueryError } from '../../core/filters/query.ts';
import { type QuerySubscription, subscriptionFromQuery } from '../../core/filters/query-compile.ts';
import { ConfigError, type ConfigProblem, UsageError } from '../../core/model/errors.ts';
import { jsonObjectOf } from '../../core/model/json.ts';
import type { Mode } from '../../core/model/mode.ts';
import { referencesIn, replaceReferences } from '../../core/model/reference.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { checkForAws, checkForEmbedded, rephraseForAws } from './aws-references.ts';
import type { Config, Environment } from './config.ts';
import { environmentSecrets, type Installation, installationOf } from './installation.ts';
import { expand, mergeProblems, parseText, readText } from './load.ts';
import { SUBSCRIPTION_PATH } from './problems.ts';
import { type EventFilter, validateFilter, validateSubscription } from './validate-subscription.ts';

type CustomEvents = Config['customEvents'];

/** @param customEvents those of the config, which the subscription may also use */
export function loadSubscription(file: string, environment: Environment, customEvents: CustomEvents = []): EventFilter {
  const text = readText(file, 'subscription', 'name a file with name, events and where, as in the config');
  return parseSubscription(file, text, environment, customEvents);
}

export function parseSubscription(
  file: string,
  text: string,
  environment: Environment,
  customEvents: CustomEvents = [],
): EventFilter {
  const raw = parseText(file, text);
  const { tree, problems: unset } = expand(raw, environment, { mode: 'embedded', within: SUBSCRIPTION_PATH });
  const { filter, problems: general } = validateFilter(tree, { ...NOWHERE, customEvents }, raw);
  const isUnusedSecret = ({ path }: ConfigProblem) => path.startsWith('to.') && unset.some((one) => one.path === path);
  const problems = mergeProblems(general, unset, []).filter((problem) => !isUnusedSecret(problem));
  if (filter === undefined || problems.length > 0) throw new ConfigError(file, problems);
  return filter;
}

/** Of a backtest nothing is known, and nothing about the target is refused. */
const NOWHERE: Installation = {
  mode: 'embedded',
  customEvents: [],
  network: {},
  refusesPrivateAddresses: false,
  sources: [],
  hasMail: true,
  hasSlackApp: true,
  knownSecret: () => undefined,
};

/** A query as people type it. @param custom custom event types of the config, which the query may also use */
export function readQuery(query: string, custom: readonly string[] = []): QuerySubscription {
  try {
    return subscriptionFromQuery(query, [...eventTypes.map(({ type }) => type), ...custom]);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new UsageError(error.code, `--query: ${error.message}`);
  }
}

export interface LoadAdditionOptions {
  /** The loaded config of the installation. */
  readonly config: Config;
  readonly mode: Mode;
  readonly environment: Environment;
  /** What to subscribe to, instead of events, where, digest and quiet in the file. @default - the file has them */
  readonly query?: string;
}

/** Reads a subscription to add to those of the config, once: the file may be a pipe. The function validates it. */
export function openAddition(file: string): (options: LoadAdditionOptions) => Subscription {
  const written = readAddition(file);
  return (options) => validateAddition(file, written, options);
}

function validateAddition(file: string, written: unknown, options: LoadAdditionOptions): Subscription {
  const { config, mode, environment, query } = options;
  const types = config.customEvents.map(({ type }) => type);
  const raw = query === undefined ? written : withQuery(file, written, readQuery(query, types));
  const { tree, problems: unset } = expand(raw, environment, { mode, within: SUBSCRIPTION_PATH });
  const installation = installationOf(config, mode, environmentSecrets(environment));
  const { subscription, problems: general } = validateSubscription(tree, installation, raw);
  const problems =
    mode === 'aws'
      ? mergeProblems(general.map(rephraseForAws), unset, checkForAws(raw))
      : mergeProblems(general, unset, checkForEmbedded(raw));
  if (subscription === undefined || problems.length > 0) throw new ConfigError(file, problems);
  return subscription;
}

function readAddition(file: string): unknown {
  return parseText(file, readText(file, 'subscription', 'name a file with one subscription, as in the config'));
}

/** Reads a subscription to add through the management API, which checks it. Its secrets are values there, not references. */
export function loadApiAddition(
  file: string,
  environment: Environment,
  query?: string,
): { readonly name: string; readonly body: object } {
  const addition = readAddition(file);
  const { name, ...body } = (
    query === undefined ? jsonObjectOf(addition) : withQuery(file, addition, readQuery(query))
  ) as {
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
