/**
 * Serializes a validated config for the bundles of the functions, and reads it back. Does not validate it again: the
 * schema would take a quarter of a function's code and a third of its start-up time.
 */

import { sourceDefinition } from '../../adapters/sources/registry.ts';
import { UsageError } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { fromStored, type StoredSubscription, toStored } from '../../core/model/subscription.ts';
import type { Config, SourceConfig } from './config.ts';

export type PackedSource = Omit<SourceConfig, 'resources'> & {
  readonly resources: readonly (Omit<SourceConfig['resources'][number], 'resource'> & { readonly resource: string })[];
};

interface Packed {
  /** Format version: text of another version is rejected. */
  readonly packed: typeof VERSION;
  readonly config: Omit<Config, 'sources' | 'subscriptions'> & {
    readonly sources: readonly PackedSource[];
    readonly subscriptions: readonly StoredSubscription[];
  };
}

const VERSION = 1;

/** Secrets stay references. */
export function packConfig(config: Config): string {
  const sources = config.sources.map(packSource);
  const subscriptions = config.subscriptions.map(toStored);
  const packed: Packed = { packed: VERSION, config: { ...config, sources, subscriptions } };
  return JSON.stringify(packed);
}

/** Throws UsageError for text that `packConfig` did not write. The error never shows the text. */
export function unpackConfig(text: string | undefined): Config {
  const { config } = read(text);
  return {
    ...config,
    subscriptions: config.subscriptions.map(fromStored),
    sources: config.sources.map(unpackSource),
  };
}

/** A source with all its defaults, as JSON. */
export function packSource(source: SourceConfig): PackedSource {
  return {
    ...source,
    resources: source.resources.map(({ resource, ...rest }) => ({ ...rest, resource: resource.name })),
  };
}

/** @param packed what `packSource` returned */
export function unpackSource(packed: PackedSource): SourceConfig {
  const { resources } = sourceDefinition(packed.kind);
  return {
    ...packed,
    resources: packed.resources.flatMap(({ resource: name, ...rest }) => {
      const resource = resources.get(name);
      return resource === undefined ? [] : [{ ...rest, resource }];
    }),
  };
}

function read(text: string | undefined): Packed {
  const value = text === undefined ? undefined : readJsonObject(text);
  if (isPacked(value)) return value;
  throw new UsageError(
    'TIDINGS_CONFIG_NOT_PACKED',
    `TIDINGS_CONFIG: expected a config as packConfig writes it, got ${text === undefined ? 'nothing' : 'another text'}`,
  );
}

/** Checks only the version: the same build creates the text and the function. */
function isPacked(value: unknown): value is Packed {
  return typeof value === 'object' && value !== null && 'packed' in value && value.packed === VERSION;
}
