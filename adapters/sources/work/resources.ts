/** How the API lists its resources. Their fields are those of our model, in core/resources. */

import type { ResourceTraits } from '../../../core/ports/source-api.ts';
import { resourceOf, resources, type TabledName } from '../../../core/resources/catalogue.ts';
import type { PolledResource } from '../../../core/resources/resource.ts';

const SORTED: ResourceTraits = { sortsById: true, modifiedSince: false, listsAll: true };
const UNSORTED: ResourceTraits = { ...SORTED, sortsById: false };

const TRAITS: Readonly<Record<string, ResourceTraits>> = {
  task: { ...SORTED, modifiedSince: true, listsByDueDate: true, readsBy: 'localid' },
  invoice: { ...SORTED, listsOpen: true, readsBy: 'localid' },
  project: { ...SORTED, readsBy: 'localid' },
  client: { ...SORTED, readsBy: 'localid' },
  person: { ...UNSORTED, readsBy: 'localid' },
  expense: SORTED,
  document: SORTED,
  // The API lists task notes for seven days only: a missing note may still exist.
  tasknote: { ...UNSORTED, listsAll: false },
};

/**
 * All resources of the model, by name. The API documents no sorting for the others. A role may see a part of a list only, such as
 * active modules: reading a module by its id shows that it still exists.
 */
export const workResources: ReadonlyMap<string, PolledResource> = new Map(
  resources.map((resource) => [resource.name, { ...resource, ...(TRAITS[resource.name] ?? UNSORTED) }]),
);

/** Undefined for an unknown resource and for one that cannot be polled. */
export function workResourceOf(name: TabledName): PolledResource;
export function workResourceOf(name: string): PolledResource | undefined;
export function workResourceOf(name: string): PolledResource | undefined {
  return resourceOf(name) === undefined ? undefined : workResources.get(name);
}
