/**
 * The sources in effect: those that the config declares, and those that are kept in the data. The one place that decides it: the
 * composition roots build their config with it, and everything else reads `config.sources`.
 */

import { errorMessage } from '../core/model/errors.ts';
import { type Clock, type Duration, MINUTE, toMillis } from '../core/model/time.ts';
import type { SourceStore, StoredSource } from '../core/ports/source-store.ts';
import type { Config, SourceConfig, UnusedSource } from './config/config.ts';
import { linksOf } from './config/links-of.ts';
import { type PackedSource, unpackSource } from './config/packed.ts';

/**
 * Of two sources with the same name the declared one is in effect. A stored one that this version cannot read is left out, so that
 * the others are polled.
 */
export function withStoredSources<C extends Pick<Config, 'sources' | 'network' | 'links'>>(
  config: C,
  stored: readonly StoredSource[],
): C & Pick<Config, 'unusedSources'> {
  if (stored.length === 0) return config;
  const unusedSources = findUnusedSources(stored, config);
  const unused = new Set(unusedSources.map(({ source }) => source));
  const added = stored.filter(({ name }) => !unused.has(name)).map((one) => toSourceConfig(one, config));
  return {
    ...config,
    sources: [...config.sources, ...added],
    unusedSources,
    links: { ...config.links, ...linksOf(added, config.links) },
  };
}

/** What a person reads who has no source in effect. */
export const NO_SOURCES = 'no sources, so nothing is polled: add one with: tidings sources add NAME --url URL';

/** What a person should know about the sources in effect: that there is none, and which added ones are not polled. */
export function findSourceNotes({
  sources,
  unusedSources = [],
}: Pick<Config, 'sources' | 'unusedSources'>): readonly string[] {
  return [
    ...unusedSources.map(({ source, reason }) => `the added source '${source}' is not polled: ${reason}`),
    ...(sources.length === 0 ? [NO_SOURCES] : []),
  ];
}

/** Those of the stored sources that are not polled, with the reason. */
export function findUnusedSources(
  stored: readonly StoredSource[],
  config: Pick<Config, 'sources' | 'network'>,
): readonly UnusedSource[] {
  const declared = new Set(config.sources.filter((one) => one.stored === undefined).map(({ name }) => name));
  return stored.flatMap((one) => {
    const { name: source, settings } = one;
    const reason = declared.has(source) ? HIDDEN : whyUnreadable(one, config);
    if (reason === undefined) return [];
    return [{ source, baseUrl: typeof settings.baseUrl === 'string' ? settings.baseUrl : null, reason }];
  });
}

const HIDDEN = 'the config declares a source of this name, which is polled instead: remove one of the two';

function whyUnreadable(stored: StoredSource, config: Pick<Config, 'network'>): string | undefined {
  try {
    toSourceConfig(stored, config);
    return undefined;
  } catch (error) {
    return `this version cannot poll it: ${errorMessage(error)}`;
  }
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
