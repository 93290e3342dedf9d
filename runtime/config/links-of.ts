/** The links that sources know themselves: some kinds have pages of records at addresses of their own. */

import { sourceDefinition } from '../../adapters/sources/registry.ts';
import type { Links } from '../../core/messages/link.ts';
import type { SourceConfig } from './config.ts';

/** By source and resource. @param given the links of the config, which replace those of all sources */
export function linksOf(sources: readonly Pick<SourceConfig, 'name' | 'kind' | 'baseUrl'>[], given: Links): Links {
  const entries = sources.flatMap(({ name, kind, baseUrl }) =>
    Object.entries(sourceDefinition(kind).links(baseUrl))
      .filter(([resource]) => !Object.hasOwn(given, resource))
      .map(([resource, template]) => [`${name}/${resource}`, template] as const),
  );
  return Object.fromEntries(entries);
}
