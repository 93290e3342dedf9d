/** What can be known of a group: little more than that it is there. The API does not show its fields: the rest is watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },

  // Guesses: a person shows the name of its group as `group`; other resources have theirs as `name`.
  group: { type: 'text', role: 'watched' },
  name: { type: 'text', role: 'watched' },
} as const satisfies FieldTable;

export const group = {
  name: 'group',
  fields,
  unknown: 'watch',
  sortsById: false,
  modifiedSince: false,
  localIdFilter: false,
  listsAll: true,
  title: titleFrom('group', 'group', 'name'),
} as const satisfies Resource;
