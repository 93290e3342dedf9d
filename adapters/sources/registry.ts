/** Finds source kinds by name. Derived from the list in index.ts. */

import { UsageError } from '../../core/model/errors.ts';
import type { SourceDefinition } from './definition.ts';
import { SOURCES } from './index.ts';

export const sourceRegistry: ReadonlyMap<string, SourceDefinition> = new Map(
  SOURCES.map((definition: SourceDefinition) => [definition.name, definition]),
);

/** The kind of a source whose config names none. */
export const DEFAULT_KIND = SOURCES[0].name;

/** Throws UsageError for a kind of another build. */
export function sourceDefinition(kind: string = DEFAULT_KIND): SourceDefinition {
  const definition = sourceRegistry.get(kind);
  if (definition !== undefined) return definition;
  const names = [...sourceRegistry.keys()].join(', ');
  throw new UsageError('TIDINGS_CONFIG_INVALID', `source.kind: expected one of ${names}, got '${kind}'`);
}
