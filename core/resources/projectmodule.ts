/** What can be known of a project's module from the fields that can be set. The API shows no others: the rest is watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },

  // The fields that can be set.
  projectid: { type: 'id', role: 'watched' },
  moduleid: { type: 'id', role: 'watched' },
  description: { type: 'text', role: 'watched', nullable: true },
  active: { type: 'boolean', role: 'watched' },
  // The name of a custom module is its own, that of a default one is the default's. Renaming a default module may
  // thus be told by each project that has it; as a label, renaming a custom one would never be told.
  module: { type: 'text', role: 'watched' },

  // Guesses from the documented resources.
  project: { type: 'text', role: 'label' },
  projectlocalid: { type: 'text', role: 'label' },
  clientid: { type: 'id', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const projectmodule = {
  name: 'projectmodule',
  fields,
  unknown: 'watch',
  sortsById: false,
  modifiedSince: false,
  localIdFilter: false,
  // A token of the Resource role is shown active modules alone, and what was deactivated looks gone to it. Its member
  // is still there to be asked.
  listsAll: true,
  title: titleFrom('projectmodule', 'module'),
} as const satisfies Resource;
