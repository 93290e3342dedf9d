/** The resources of our model that Redmine has, where they are, and how they can be read. */

import type { ResourceTraits } from '../../../core/ports/source-api.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import type { PolledResource } from '../../../core/resources/resource.ts';

/** Redmine returns no more rows, whatever it is asked for. */
export const MAX_PAGE_SIZE = 100;

const UNSORTED: ResourceTraits = { sortsById: false, modifiedSince: false, listsAll: true, maxPageSize: MAX_PAGE_SIZE };

const TRAITS: Readonly<Record<string, ResourceTraits>> = {
  task: { ...UNSORTED, sortsById: true, modifiedSince: true, readsBy: 'id' },
  project: UNSORTED,
  // Each project lists its own versions: all of them are one page.
  milestone: { ...UNSORTED, maxPageSize: undefined },
  time: UNSORTED,
  // Only administrators may list them.
  person: UNSORTED,
};

export const redmineResources: ReadonlyMap<string, PolledResource> = new Map(
  Object.entries(TRAITS).flatMap(([name, traits]) => {
    const resource = resourceOf(name);
    return resource === undefined ? [] : [[name, { ...resource, ...traits }] as const];
  }),
);

/** The key of the rows in a response, and of a single one. */
export const PATHS: Readonly<Record<string, { readonly list: string; readonly one: string }>> = {
  task: { list: 'issues', one: 'issue' },
  project: { list: 'projects', one: 'project' },
  milestone: { list: 'versions', one: 'version' },
  time: { list: 'time_entries', one: 'time_entry' },
  person: { list: 'users', one: 'user' },
  category: { list: 'issue_categories', one: 'issue_category' },
};

/** Lists of settings, read as a whole: their paths and the keys of their rows. */
export const SETTINGS: Readonly<Record<string, readonly [path: string, key: string]>> = {
  status: ['issue_statuses.json', 'issue_statuses'],
  tracker: ['trackers.json', 'trackers'],
  priority: ['enumerations/issue_priorities.json', 'issue_priorities'],
};

export const LISTED = Object.keys(SETTINGS);

/** The name by which an issue is read with its journals, untranslated. */
export const HISTORY = 'history';
