/** What can be known of a client from its filters and sort fields. The API does not show its fields: the rest is watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  // Named by the filters and the sort fields.
  id: { type: 'id', role: 'watched' },
  localid: { type: 'text', role: 'watched' },
  name: { type: 'text', role: 'watched' },
  // Whether it may hold markup is not said. As HTML it keeps what it has, and nothing is decoded twice.
  description: { type: 'html', role: 'watched', nullable: true },
  datecreated: { type: 'date', role: 'watched' },
  active: { type: 'boolean', role: 'watched' },

  // Met in the wild, with a `mailto:` before the address.
  email: { type: 'email', role: 'watched', nullable: true },

  // Guesses from the documented resources.
  localidunpadded: { type: 'text', role: 'label' },
  datemodified: { type: 'datetime', role: 'volatile' },
} as const satisfies FieldTable;

export const client = {
  name: 'client',
  fields,
  unknown: 'watch',
  sortsById: true,
  modifiedSince: false,
  localIdFilter: true,
  listsAll: true,
  title: titleFrom('client', 'name'),
} as const satisfies Resource;
