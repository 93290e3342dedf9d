/** Finds the fields that stored records have beside the documented ones: a filter may use them. Makes no requests. */

import type { MoreFields } from '../../core/events/event-shape.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Config } from '../config/config.ts';

/** The API sends the same fields for all records of a resource, so a few are enough. */
const SAMPLE_SIZE = 20;

export async function findMoreFields(
  snapshots: Pick<SnapshotStore, 'list'>,
  { sources }: Pick<Config, 'sources'>,
): Promise<MoreFields> {
  const fieldsByResource = new Map<string, Set<string>>();
  for (const { name, resources } of sources) {
    for (const { resource } of resources) {
      const fields = fieldsByResource.get(resource.name) ?? new Set();
      fieldsByResource.set(resource.name, fields);
      let count = 0;
      for await (const { record } of snapshots.list(name, resource.name)) {
        for (const field of Object.keys(record)) fields.add(field);
        count += 1;
        if (count === SAMPLE_SIZE) break;
      }
    }
  }
  return Object.fromEntries([...fieldsByResource].map(([resource, fields]) => [resource, [...fields]]));
}
