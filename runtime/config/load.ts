/** Reads a config file, puts the environment in place, and finds everything wrong with it at once. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigError, type ConfigProblem, errorMessage, UsageError } from '../../core/model/errors.ts';
import type { Home } from '../../core/model/home.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { checkForAws, checkForHere, hintOfAws, inWordsOfAws, tooOftenForAws } from './aws-references.ts';
import type { AwsSection } from './aws-schema.ts';
import { checkConfig } from './check.ts';
import type { Config, Environment } from './config.ts';
import { packConfig } from './packed.ts';
import { replaceInvalid } from './placeholders.ts';
import { describeIssues, isSecret, type Path, pathText, valueAt } from './problems.ts';
import { configSchema, type ParsedConfig } from './schema.ts';
import { isSection } from './values.ts';
import { parseYaml } from './yaml.ts';

const CONFIG_HINT = 'name another with --config, or start from examples/tidings.yaml';
const AWS_HINT = 'name another with -c config=FILE, or start from examples/aws.yaml';

export function loadConfig(file: string, environment: Environment): Config {
  return parseConfig(file, readText(file, 'config', CONFIG_HINT), environment);
}

export function parseConfig(file: string, text: string, environment: Environment): Config {
  return parseTree(file, parseText(file, text), environment);
}

export interface AwsConfig {
  readonly config: Config;
  /** The same for the bundles of the functions. */
  readonly text: string;
  /** How it is deployed. No part of the config: another mail address for alarms is no other code. */
  readonly aws: Defined<AwsSection>;
  /** What is good, and yet not done as it says. */
  readonly warnings: readonly ConfigProblem[];
}

/** It reaches esbuild as one argument, and Linux takes 128 KiB for one. */
const MOST_IN_BUNDLE = 120_000;
const TOO_LONG = 'expected a config of at most 120,000 characters as JSON, for it goes into the code of each function';

export interface AwsLoading {
  /** What to do when there is no such file. @default - name another, or start from the example */
  readonly hint?: string;
  /** Of the section `aws`, in place of those of the file: what the command line says counts. @default - none */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** For a home in AWS, where secrets are references to stores of AWS and nothing else. */
export function loadConfigForAws(
  file: string,
  environment: Environment,
  { hint = AWS_HINT, options = {} }: AwsLoading = {},
): AwsConfig {
  const raw = withOptions(parseText(file, readText(file, 'config', hint)), options);
  const parsed = checkedTree(file, raw, environment, 'aws');
  const config = toConfig(parsed);
  const text = packConfig(config);
  if (JSON.stringify(text).length > MOST_IN_BUNDLE) throw new ConfigError(file, [{ path: '', message: TOO_LONG }]);
  return { config, text, aws: withoutUndefined(parsed.aws), warnings: tooOftenForAws(parsed, raw) };
}

/** A value that is not a section stays, so that it is reported. */
function withOptions(raw: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (Object.keys(options).length === 0 || !isSection(raw)) return raw;
  const aws = valueAt(raw, ['aws']) ?? {};
  return isSection(aws) ? { ...Object(raw), aws: { ...Object(aws), ...options } } : raw;
}

/** Of what a file holds. */
export function parseTree(file: string, raw: unknown, environment: Environment, home: Home = 'embedded'): Config {
  return toConfig(checkedTree(file, raw, environment, home));
}

function checkedTree(file: string, raw: unknown, environment: Environment, home: Home): ParsedConfig {
  const { tree, problems: unset } = expand(raw, environment, home);
  const parsed = configSchema.safeParse(tree);
  const issues = describeIssues(parsed.error?.issues ?? [], raw);
  const shape = home === 'aws' ? issues.map(inWordsOfAws) : issues;
  // One invalid value hides no other problem: the rest is checked with placeholders, which are not reported.
  const { config, isOpen } = (parsed.success ? { config: parsed.data, isOpen: nowhere } : replaceInvalid(tree)) ?? {};
  const further = config === undefined ? [] : checkConfig(config, raw, environment, home);
  const ofHome = home === 'aws' ? checkForAws(raw, config?.mail?.from) : checkForHere(raw);
  const general = [...shape, ...further.filter(({ path }) => isOpen?.(path) !== true)];
  // A secret that must not be there need not be a good one.
  const all = [...withoutReported(withoutReported(general, unset), ofHome), ...ofHome];
  if (parsed.success && unset.length + all.length === 0) return parsed.data;
  const isElsewhere = home !== 'aws' && ofHome.length > 0;
  throw new ConfigError(file, eachOnce([...unset, ...all]), isElsewhere ? hintOfAws(file) : undefined);
}

/** Without problems at places that are reported already: an unset variable makes its value invalid too. */
export function withoutReported(problems: readonly ConfigProblem[], told: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.filter(({ path }) => !told.some((one) => one.path === path));
}

const nowhere = () => false;

function eachOnce(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}: ${problem.message}`, problem])).values()];
}

/** @param hint what to do when there is no such file */
export function readText(file: string, what: string, hint: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new UsageError(
      missing ? 'TIDINGS_CONFIG_MISSING' : 'TIDINGS_CONFIG_UNREADABLE',
      missing
        ? `${what} '${file}': no such file; ${hint}`
        : `${what} '${file}': cannot be read: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

/** Deeper than any config is meant to be; deeper trees would exhaust the stack. */
const DEEPEST = 64;

export function parseText(file: string, text: string): unknown {
  const tree = extname(file) === '.json' ? parseJson(file, text) : parseYaml(file, text);
  if (isDeeper(tree, DEEPEST))
    throw new ConfigError(file, [{ path: '', message: `expected at most ${DEEPEST} levels of nesting` }]);
  return tree;
}

function isDeeper(tree: unknown, levels: number): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return levels === 0 || Object.values(tree).some((value) => isDeeper(value, levels - 1));
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Node's own message quotes the text, and the text may hold a secret.
    throw new ConfigError(file, [{ path: '', message: 'expected JSON, got text that does not parse' }]);
  }
}

/**
 * Puts `${NAME}` in place everywhere but in secrets, and notes each variable that is not set, secrets included: but not
 * in AWS, where a secret has no business in a variable at all.
 */
export function expand(
  raw: unknown,
  environment: Environment,
  home: Home = 'embedded',
): { tree: unknown; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const expandText = (text: string, path: Path) =>
    text.replace(/\$\{([^}]*)\}/g, (reference, variable: string) => {
      const found = environment[variable];
      if (found !== undefined && found !== '') return found;
      problems.push({ path: pathText(path), message: `expected the environment variable ${variable} to be set` });
      return reference;
    });
  const walk = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') {
      if (home === 'aws' && isSecret(path)) return value;
      const expanded = expandText(value, path);
      return isSecret(path) ? value : expanded;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { tree: walk(raw, []), problems };
}

function toConfig(parsed: ParsedConfig): Config {
  const { source, sources, rules, customEvents, retention, subscriptions, links, mail, manage, network } = parsed;
  return {
    sources: (sources ?? (source === undefined ? [] : [source])).map(({ timeZone, resources, ...rest }) => ({
      ...rest,
      ...(timeZone === undefined ? {} : { timeZone }),
      resources: Object.entries(resources).flatMap(([name, cadence]) => {
        const resource = resourceOf(name);
        return resource === undefined || cadence === undefined || cadence === 'off' ? [] : [{ resource, cadence }];
      }),
    })),
    customEvents: customEvents.map(({ type, meaning, when: { before, after } }) => ({
      type,
      meaning,
      when: { after, ...(before === undefined ? {} : { before }) },
    })),
    retention,
    rules: { ...rules, invoiceOverdueReminders: rules.invoiceOverdueReminders.toSorted((a, b) => a - b) },
    subscriptions: subscriptions.map(toSubscription),
    links,
    ...(mail === undefined ? {} : { mail: withoutUndefined(mail) }),
    ...(manage === undefined ? {} : { manage: withoutUndefined(manage) }),
    network,
  };
}

type ParsedSubscription = ParsedConfig['subscriptions'][number];

/** As the ledger keeps it: what was not said is not there. */
export function toSubscription(parsed: ParsedSubscription): Subscription {
  return { ...withoutUndefined(parsed), declared: true };
}

/** Optional keys of the schema may be there with nothing in them; ours are there or not. Goes into sections, not into lists. */
function withoutUndefined<T extends object>(section: T): Defined<T> {
  const kept = Object.entries(section).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [[key, isSection(value) ? withoutUndefined(value) : value] as const];
  });
  return Object.fromEntries(kept) as Defined<T>;
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
