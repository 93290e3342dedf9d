/** The default resources and cadences of a source, which depend on its kind. The schema has those of the default kind. */

import { DEFAULT_KIND, sourceRegistry } from '../../adapters/sources/registry.ts';
import { isJsonObject } from '../../core/model/json.ts';

/** The tree of a config with the defaults of each source. Leaves whatever is invalid to the schema. */
export function withKindDefaults(tree: unknown): unknown {
  if (!isJsonObject(tree)) return tree;
  const { source, sources } = tree;
  return {
    ...tree,
    ...(source === undefined ? {} : { source: withDefaults(source) }),
    ...(Array.isArray(sources) ? { sources: sources.map(withDefaults) } : {}),
  };
}

function withDefaults(source: unknown): unknown {
  if (!isJsonObject(source) || typeof source.kind !== 'string' || source.kind === DEFAULT_KIND) return source;
  const definition = sourceRegistry.get(source.kind);
  const resources = source.resources ?? {};
  if (definition === undefined || !isJsonObject(resources)) return source;
  const { cadences } = definition;
  const own = Object.entries(cadences).map(([name, [every, sweep]]) => {
    const given = resources[name] ?? {};
    return [name, isJsonObject(given) ? { every, sweep, ...given } : given] as const;
  });
  // Those of the default kind that this kind does not poll.
  const others = Object.keys(sourceRegistry.get(DEFAULT_KIND)?.cadences ?? {}).filter((name) => !(name in cadences));
  const off = others.map((name) => [name, resources[name] ?? 'off'] as const);
  const { perMinute } = definition;
  const given = source.quota ?? {};
  const quota = perMinute !== undefined && isJsonObject(given) ? { perMinute, ...given } : source.quota;
  return {
    ...source,
    ...(quota === undefined ? {} : { quota }),
    resources: { ...resources, ...Object.fromEntries([...own, ...off]) },
  };
}
