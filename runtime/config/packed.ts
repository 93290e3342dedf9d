/**
 * A config that was found good, as text for a function's bundle, and back. Unpacking checks nothing: the
 * schema would be a quarter of a function's code and a third of its start.
 */

import { UsageError } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { fromStored, type StoredSubscription, toStored } from '../../core/model/subscription.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import type { Config, SourceConfig } from './config.ts';

type PackedSource = Omit<SourceConfig, 'resources'> & {
  readonly resources: readonly (Omit<SourceConfig['resources'][number], 'resource'> & { readonly resource: string })[];
};

interface Packed {
  /** Changes with the shape: text of another version is not read as if it were ours. */
  readonly packed: typeof VERSION;
  readonly config: Omit<Config, 'sources' | 'subscriptions'> & {
    readonly sources: readonly PackedSource[];
    readonly subscriptions: readonly StoredSubscription[];
  };
}

const VERSION = 1;

/** Secrets are references in it, as they are in the config. */
export function packConfig(config: Config): string {
  const sources = config.sources.map((source) => ({
    ...source,
    resources: source.resources.map(({ resource, ...rest }) => ({ ...rest, resource: resource.name })),
  }));
  const subscriptions = config.subscriptions.map(toStored);
  const packed: Packed = { packed: VERSION, config: { ...config, sources, subscriptions } };
  return JSON.stringify(packed);
}

/** Throws UsageError for what `packConfig` did not make; the text itself is never shown. */
export function unpackConfig(text: string | undefined): Config {
  const { config } = read(text);
  return {
    ...config,
    subscriptions: config.subscriptions.map(fromStored),
    sources: config.sources.map((source) => ({
      ...source,
      resources: source.resources.flatMap(({ resource: name, ...rest }) => {
        const resource = resourceOf(name);
        return resource === undefined ? [] : [{ ...rest, resource }];
      }),
    })),
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

/** The text is part of the function, and both are made by one build: its mark says enough. */
function isPacked(value: unknown): value is Packed {
  return typeof value === 'object' && value !== null && 'packed' in value && value.packed === VERSION;
}
