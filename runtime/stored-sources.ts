/**
 * The sources in effect: those that the config declares, and those that are kept in the data. The one place that decides it: the
 * composition roots build their config with it, and everything else reads `config.sources`.
 */

import { type Clock, type Duration, MINUTE, toMillis } from '../core/model/time.ts';
import type { SourceStore, StoredSource } from '../core/ports/source-store.ts';
import type { Config, SourceConfig } from './config/config.ts';
import { linksOf } from './config/links-of.ts';
import { type PackedSource, unpackSource } from './config/packed.ts';

/** Of two sources with the same name the declared one is in effect. */
export function withStoredSources(config: Config, stored: readonly StoredSource[]): Config {
  const declared = new Set(config.sources.map(({ name }) => name));
  const added = stored.filter(({ name }) => !declared.has(name)).map((one) => toSourceConfig(one, config));
  if (added.length === 0) return config;
  return {
    ...config,
    sources: [...config.sources, ...added],
    links: { ...config.links, ...linksOf(added, config.links) },
  };
}

/** A source that people add may be on the networks that receivers may be on. */
export function toSourceConfig(
  { packed }: Pick<StoredSource, 'packed'>,
  { network }: Pick<Config, 'network'>,
): SourceConfig {
  // Unchecked: only `packSource` makes it.
  return { ...unpackSource(packed as unknown as PackedSource), stored: { allow: network.allow } };
}

/** The config in effect. @param fresh whether it must have every completed change. @default false */
export type ReadConfig = (fresh?: boolean) => Promise<Config>;

interface ConfigReaderOptions {
  readonly clock: Clock;
  /** How long no change is looked for. @default - it is looked for at each call, which is one small read */
  readonly keepFor?: Duration;
}

/** After this time all sources are read again: a change whose writer was killed before it counted the change is found then. */
const MAX_AGE: Duration = 15 * MINUTE;

/** Reads the sources again when there was a change. The same config object is returned as long as there was none. */
export function createConfigReader(
  config: Config,
  store: Pick<SourceStore, 'list' | 'revision'>,
  { clock, keepFor = 0 }: ConfigReaderOptions,
): ReadConfig {
  let current: { readonly config: Config; readonly revision: number; readonly stored: string } | undefined;
  let checkedAt = 0;
  let readAt = 0;
  return async (fresh = false) => {
    const now = toMillis(clock.now());
    if (current !== undefined && !fresh && Math.abs(now - checkedAt) < keepFor) return current.config;
    // Before the list: a change in between is noticed at the next call.
    const revision = await store.revision();
    checkedAt = now;
    if (current?.revision === revision && Math.abs(now - readAt) < MAX_AGE) return current.config;
    const sources = await store.list();
    readAt = now;
    const stored = JSON.stringify(sources);
    current =
      current?.stored === stored
        ? { ...current, revision }
        : { config: withStoredSources(config, sources), revision, stored };
    return current.config;
  };
}
