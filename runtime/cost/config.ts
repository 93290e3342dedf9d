/**
 * Reads a config for its costs alone: where secrets are kept counts, what they are does not, and neither does any address,
 * time of day or wording. So a config for AWS and one for this machine are both good, and no variable of these need be set.
 */

import type { Config, Environment } from '../config/config.ts';
import { parseText, parseTree, readText } from '../config/load.ts';
import { ANY_SECRET, ANY_URL, anyValueAt } from '../config/placeholders.ts';
import { isSecret, type Path, pathText, valueAt } from '../config/problems.ts';

export interface CostConfig {
  readonly config: Config;
  /** As they stand in the file: `ssm:/tidings/token`. */
  readonly references: readonly string[];
}

const HINT = 'name another with --config, or leave it out to reckon with the cadences of a config that names none';

const VARIABLE = /\$\{([^}]*)\}/g;

/** Places that cost nothing and take any text: a variable's own name will do, and names stay apart by it. */
const TEXTS = /(^|\.)(name|channel|meaning|user)$|^links\.|\.(where|when|template|mentions)\.|^rules\.closedStatuses\[/;

export function loadCostConfig(file: string, environment: Environment): CostConfig {
  return costConfigOf(file, parseText(file, readText(file, 'config', HINT)), environment);
}

/** As the schema fills it in: one source with its default resources, and nobody subscribed. */
export function defaultCostConfig(): CostConfig {
  const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
  return costConfigOf('the default config', { source }, {});
}

export function costConfigOf(file: string, raw: unknown, environment: Environment): CostConfig {
  const references: string[] = [];
  const config = parseTree(file, withAddress(withStandIns(raw, [], environment, references)), environment);
  return { config, references };
}

/** In AWS links have an address without being given one; which one costs nothing. */
function withAddress(raw: unknown): unknown {
  const manage = valueAt(raw, ['manage']);
  if (typeof manage !== 'object' || manage === null || 'url' in manage) return raw;
  return { ...Object(raw), manage: { ...manage, url: ANY_URL } };
}

/** What is empty, or no text at all, stays as it is: it is wrong, and has to be told. */
function withStandIns(value: unknown, path: Path, environment: Environment, references: string[]): unknown {
  if (typeof value === 'string') {
    if (value === '' || !isSecret(path)) return withoutUnset(value, pathText(path), environment);
    references.push(value);
    return ANY_SECRET;
  }
  const walk = (item: unknown, key: PropertyKey) => withStandIns(item, [...path, key], environment, references);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, key)]));
}

/** Cadences and all else that may cost something stay as they are: their variables are needed. */
function withoutUnset(text: string, place: string, environment: Environment): string {
  const named = TEXTS.test(place)
    ? text.replace(VARIABLE, (reference, name: string) => (environment[name] ? reference : name))
    : text;
  const isSet = [...named.matchAll(VARIABLE)].every(([, name = '']) => environment[name]);
  return isSet ? named : (anyValueAt(place) ?? text);
}
