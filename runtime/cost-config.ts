/**
 * Reads a config for its costs alone: where secrets are kept counts, what they are does not. So a config for AWS and one
 * for this machine are both good, and no variable of a secret need be set.
 */

import type { Config, Environment } from './config/config.ts';
import { parseText, parseTree, readText } from './config/load.ts';
import { isSecret, type Path, valueAt } from './config/problems.ts';

export interface CostConfig {
  readonly config: Config;
  /** As they stand in the file: `ssm:/tidings/token`. */
  readonly references: readonly string[];
}

const HINT = 'name another with --config, or leave it out to reckon with the cadences of a config that names none';

/** Good wherever a secret is: nobody can look into a file while a config is checked. */
const STAND_IN = 'file:secret';
const ANYWHERE = 'https://tidings.example.com';

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
  const config = parseTree(file, withAddress(withoutSecrets(raw, [], references)), environment);
  return { config, references };
}

/** In AWS links have an address without being given one; which one costs nothing. */
function withAddress(raw: unknown): unknown {
  const manage = valueAt(raw, ['manage']);
  if (typeof manage !== 'object' || manage === null || 'url' in manage) return raw;
  return { ...Object(raw), manage: { ...manage, url: ANYWHERE } };
}

/** What is empty, or no text at all, stays as it is: it is wrong, and has to be told. */
function withoutSecrets(value: unknown, path: Path, references: string[]): unknown {
  if (typeof value === 'string') {
    if (value === '' || !isSecret(path)) return value;
    references.push(value);
    return STAND_IN;
  }
  if (Array.isArray(value)) return value.map((item, index) => withoutSecrets(item, [...path, index], references));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, [...path, key], references)]),
  );
}
