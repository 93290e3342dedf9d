/** Reads a config file, replaces environment variables, and reports all its problems at once. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { sourceDefinition } from '../../adapters/sources/registry.ts';
import type { Links } from '../../core/messages/link.ts';
import { ConfigError, type ConfigProblem, errorMessage, systemErrorCode, UsageError } from '../../core/model/errors.ts';
import { isNestedDeeper } from '../../core/model/json.ts';
import type { Mode } from '../../core/model/mode.ts';
import { replaceReferences } from '../../core/model/reference.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { awsConfigHint, checkForAws, checkForEmbedded, findShortCadences, rephraseForAws } from './aws-references.ts';
import type { AwsSection } from './aws-schema.ts';
import { checkSections, installationInFile } from './check-sections.ts';
import type { Config, Environment } from './config.ts';
import { envFileHint } from './env-file.ts';
import { findConfigWarnings } from './find-warnings.ts';
import { environmentSecrets } from './installation.ts';
import { withKindDefaults } from './kind-defaults.ts';
import { linksOf } from './links-of.ts';
import { packConfig } from './packed.ts';
import { isSecret, type Path, pathText, plainTypeAt, valueAt } from './problems.ts';
import { readParts } from './read-parts.ts';
import { type ParsedConfig, sectionsSchema } from './schema.ts';
import { validateSubscription } from './validate-subscription.ts';
import { type Defined, isConfigSection, withoutUndefined } from './values.ts';
import { parseYaml } from './yaml.ts';

const CONFIG_HINT = 'name another with --config, or create one with: tidings init';
const AWS_HINT = 'name another with -c config=FILE, or start from examples/aws.yaml';

export function loadConfig(file: string, environment: Environment): Config {
  return parseConfig(file, readText(file, 'config', CONFIG_HINT), environment);
}

export function parseConfig(file: string, text: string, environment: Environment): Config {
  return parseTree(file, parseText(file, text), environment);
}

export interface AwsConfig {
  readonly config: Config;
  /** The config as text, for the bundles of the functions. */
  readonly text: string;
  /** Options of the deployment. Not part of `config`, so that changing the alarm address does not change the bundles. */
  readonly aws: Defined<AwsSection>;
  /** Valid options that have no effect. */
  readonly warnings: readonly ConfigProblem[];
  /** Names and values that never occur, see findConfigWarnings. */
  readonly ineffective: readonly ConfigProblem[];
}

/** esbuild gets the text as one argument, and Linux limits an argument to 128 KiB. */
const MAX_PACKED_CHARS = 120_000;

function tooLong(length: number): ConfigProblem {
  const message = `expected a config of at most ${count(MAX_PACKED_CHARS)} characters as JSON, because it is part of the code of each function, got ${count(length)}; add sources with 'tidings sources add --aws STACK' and subscriptions with 'tidings subscriptions add --aws STACK', or the API, which are stored in the ledger`;
  return { path: '', message };
}

const count = (number: number) => number.toLocaleString('en');

export interface LoadForAwsOptions {
  /** Shown when the file does not exist. @default - name another, or start from the example */
  readonly hint?: string;
  /** Override options of the section `aws`: they come from the command line. @default - none */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** For deployments to AWS, where all secrets must be references to Parameter Store or Secrets Manager. */
export function loadConfigForAws(
  file: string,
  environment: Environment,
  { hint = AWS_HINT, options = {} }: LoadForAwsOptions = {},
): AwsConfig {
  const raw = withOptions(parseText(file, readText(file, 'config', hint)), options);
  const { parsed, config } = validateTree(file, raw, environment, 'aws');
  const text = packConfig(config);
  const { length } = JSON.stringify(text);
  if (length > MAX_PACKED_CHARS) throw new ConfigError(file, [tooLong(length)]);
  return {
    config,
    text,
    aws: withoutUndefined(parsed.aws),
    warnings: findShortCadences(parsed, raw),
    ineffective: findConfigWarnings(config),
  };
}

/** Leaves a value that is not a section unchanged, so that it is reported. */
function withOptions(raw: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (Object.keys(options).length === 0 || !isConfigSection(raw)) return raw;
  const aws = valueAt(raw, ['aws']) ?? {};
  return isConfigSection(aws) ? { ...Object(raw), aws: { ...Object(aws), ...options } } : raw;
}

/** `raw`: the parsed content of the file, variables not expanded. */
export function parseTree(file: string, raw: unknown, environment: Environment, mode: Mode = 'embedded'): Config {
  return validateTree(file, raw, environment, mode).config;
}

interface ValidatedConfig {
  readonly parsed: ParsedConfig;
  readonly config: Config;
}

function validateTree(file: string, raw: unknown, environment: Environment, mode: Mode): ValidatedConfig {
  const { tree, problems: unset } = expand(raw, environment, { mode });
  const sections = readParts(sectionsSchema, withKindDefaults(tree), { raw });
  const installation = installationInFile(sections, mode, environmentSecrets(environment));
  const subscriptions = (sections.parts?.subscriptions ?? []).map((subscription, index) =>
    validateSubscription(subscription, installation, valueAt(raw, ['subscriptions', index])),
  );
  const ofSections = checkSections(sections, subscriptions, installation, raw);
  // In the usual order of a config.
  const isBeforeSubscriptions = ({ path }: ConfigProblem) => /^(source|network|customEvents)/.test(path);
  const general = [
    ...sections.problems,
    ...ofSections.filter(isBeforeSubscriptions),
    ...subscriptions.flatMap(({ problems }, index) =>
      problems.map(({ path, message }) => ({ path: joinPaths(`subscriptions[${index}]`, path), message })),
    ),
    ...ofSections.filter((problem) => !isBeforeSubscriptions(problem)),
  ];
  const ofMode = mode === 'aws' ? checkForAws(raw, sections.parts?.mail?.from) : checkForEmbedded(raw);
  const problems = mergeProblems(mode === 'aws' ? general.map(rephraseForAws) : general, unset, ofMode);
  if (sections.whole !== undefined && problems.length === 0) {
    const valid = subscriptions.flatMap(({ subscription }) => (subscription === undefined ? [] : [subscription]));
    return { parsed: sections.whole, config: toConfig(sections.whole, valid) };
  }
  const hints = [
    ...(unset.length > 0 ? [envFileHint(file)] : []),
    ...(mode !== 'aws' && ofMode.length > 0 ? [awsConfigHint(file)] : []),
  ];
  throw new ConfigError(file, problems, ...hints);
}

const joinPaths = (path: string, inside: string) => (inside === '' ? path : `${path}.${inside}`);

/**
 * All problems of a file, each once. An unset variable also makes its value invalid, and so does a secret that the mode does
 * not allow: such a value has no general problem.
 */
export function mergeProblems(
  general: readonly ConfigProblem[],
  unset: readonly ConfigProblem[],
  ofMode: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  const reported = new Set([...unset, ...ofMode].map(({ path }) => path));
  const all = [...unset, ...general.filter(({ path }) => !reported.has(path)), ...ofMode];
  return [...new Map(all.map((problem) => [`${problem.path}: ${problem.message}`, problem])).values()];
}

/** @param hint what to do when the file does not exist */
export function readText(file: string, what: string, hint: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = systemErrorCode(error) === 'ENOENT';
    throw new UsageError(
      missing ? 'TIDINGS_CONFIG_MISSING' : 'TIDINGS_CONFIG_UNREADABLE',
      missing
        ? `${what} '${file}': no such file; ${hint}`
        : `${what} '${file}': cannot be read: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

/** No valid config is nested this deeply. Deeper trees would exhaust the stack. */
const MAX_NESTING = 64;

export function parseText(file: string, text: string): unknown {
  const tree = extname(file) === '.json' ? parseJson(file, text) : parseYaml(file, text);
  if (isNestedDeeper(tree, MAX_NESTING))
    throw new ConfigError(file, [{ path: '', message: `expected at most ${MAX_NESTING} levels of nesting` }]);
  return tree;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the JSON parser quotes the text, which may contain a secret.
    throw new ConfigError(file, [{ path: '', message: 'expected JSON, got text that does not parse' }]);
  }
}

interface ExpandOptions {
  readonly mode: Mode;
  /** The path of the content in the schema of a config. @default - it is a config */
  readonly within?: Path;
}

/**
 * Replaces `${NAME}` by the environment variable, also where a number or a boolean is expected, except in secrets, which stay
 * references. Reports every variable that is not set, those of secrets included. In AWS variables in secrets are not allowed,
 * and reported by `checkForAws`.
 */
export function expand(
  raw: unknown,
  environment: Environment,
  { mode, within = [] }: ExpandOptions,
): { readonly tree: unknown; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const expandText = (text: string, path: Path) =>
    replaceReferences(text, (reference, variable) => {
      const value = environment[variable];
      if (value !== undefined && value !== '') return value;
      problems.push({ path: pathText(path), message: `expected the environment variable ${variable} to be set` });
      return reference;
    });
  const walk = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') {
      if (mode === 'aws' && isSecret(path)) return value;
      const expanded = expandText(value, path);
      if (isSecret(path)) return value;
      return expanded === value ? value : convert(expanded, [...within, ...path]);
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { tree: walk(raw, []), problems };
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** The value of a variable where a number or a boolean is expected. Other text stays, and the schema reports it. */
function convert(text: string, path: Path): string | number | boolean {
  // The expected type is costly to find out: it is asked only for text that would be converted.
  if (text === 'true' || text === 'false') return plainTypeAt(path) === 'boolean' ? text === 'true' : text;
  return NUMBER.test(text) && plainTypeAt(path) === 'number' ? Number(text) : text;
}

function linksOfSources({ source, sources, links }: ParsedConfig): Links {
  return linksOf(
    (sources ?? [source]).filter((one) => one !== undefined),
    links,
  );
}

function toConfig(parsed: ParsedConfig, subscriptions: readonly Subscription[]): Config {
  const { source, sources, rules, customEvents, retention, links, mail, manage, slack, tracing, network } = parsed;
  return {
    sources: (sources ?? (source === undefined ? [] : [source])).map(({ kind, timeZone, resources, ...rest }) => ({
      kind,
      ...rest,
      timeZone,
      resources: Object.entries(resources).flatMap(([name, cadence]) => {
        const resource = sourceDefinition(kind).resources.get(name);
        return resource === undefined || cadence === undefined || cadence === 'off' ? [] : [{ resource, cadence }];
      }),
    })),
    customEvents: customEvents.map(({ type, meaning, when: { before, after } }) => ({
      type,
      meaning,
      when: { after, before },
    })),
    retention,
    rules: { ...rules, invoiceOverdueReminders: rules.invoiceOverdueReminders.toSorted((a, b) => a - b) },
    subscriptions: subscriptions.map((subscription) => ({ ...subscription, declared: true })),
    links: { ...links, ...linksOfSources(parsed) },
    ...(mail === undefined ? {} : { mail: withoutUndefined(mail) }),
    ...(manage === undefined ? {} : { manage: withoutUndefined(manage) }),
    ...(slack === undefined ? {} : { slack: withoutUndefined(slack) }),
    ...(tracing === undefined ? {} : { tracing: withoutUndefined(tracing) }),
    network,
  };
}
