/** The fields of a client as known from its filters and sort fields. The API does not document them, so all others are watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  // From the filters and sort fields.
  id: { type: 'id', role: 'watched' },
  localid: { type: 'text', role: 'watched' },
  name: { type: 'text', role: 'watched' },
  // It may contain markup. The type html leaves it unchanged, so no entity is decoded twice.
  description: { type: 'html', role: 'watched', nullable: true },
  datecreated: { type: 'date', role: 'watched' },
  active: { type: 'boolean', role: 'watched' },

  // Seen in real responses, with a `mailto:` prefix.
  email: { type: 'email', role: 'watched', nullable: true },

  // Assumed from the documented resources.
  localidunpadded: { type: 'text', role: 'label' },
  datemodified: { type: 'datetime', role: 'volatile' },
} as const satisfies FieldTable;

export const client = {
  name: 'client',
  fields,
  unknown: 'watch',
  title: titleFrom('client', 'name'),
} as const satisfies Resource;
