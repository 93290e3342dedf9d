/** The fields of a group. The API does not document them, so all others are watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },

  // Assumed: a person has the name of its group in `group`; other resources have their own in `name`.
  group: { type: 'text', role: 'watched' },
  name: { type: 'text', role: 'watched' },
} as const satisfies FieldTable;

export const group = {
  name: 'group',
  fields,
  unknown: 'watch',
  title: titleFrom('group', 'group', 'name'),
} as const satisfies Resource;
