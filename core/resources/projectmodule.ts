/** The writable fields of a project's module. The API documents no others, so all others are watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },

  // The writable fields.
  projectid: { type: 'id', role: 'watched' },
  moduleid: { type: 'id', role: 'watched' },
  description: { type: 'text', role: 'watched', nullable: true },
  active: { type: 'boolean', role: 'watched' },
  // Watched, because a custom module has its own name. Renaming a default module therefore causes an event in each
  // project that uses it.
  module: { type: 'text', role: 'watched' },

  // Assumed from the documented resources.
  project: { type: 'text', role: 'label' },
  projectlocalid: { type: 'text', role: 'label' },
  clientid: { type: 'id', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const projectmodule = {
  name: 'projectmodule',
  fields,
  unknown: 'watch',
  title: titleFrom('projectmodule', 'module'),
} as const satisfies Resource;
