/** The fields of a document as known from its filters and sort fields. The API does not document them, so all others are watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  // From the sort fields.
  id: { type: 'id', role: 'watched' },
  personid: { type: 'id', role: 'watched' },
  title: { type: 'text', role: 'watched' },
  public: { type: 'boolean', role: 'watched' },
  datemodified: { type: 'datetime', role: 'volatile' },
  active: { type: 'boolean', role: 'watched' },

  // From the filters and the search.
  notes: { type: 'html', role: 'watched', nullable: true },
  filename: { type: 'text', role: 'watched' },
  tags: { type: 'names', role: 'watched', nullable: true },
  taskid: { type: 'id', role: 'watched', nullable: true },
  milestoneid: { type: 'id', role: 'watched', nullable: true },
  queueid: { type: 'id', role: 'watched', nullable: true },
  projectid: { type: 'id', role: 'watched', nullable: true },
  // The client belongs to the project, the module to the task.
  clientid: { type: 'id', role: 'label', nullable: true },
  moduleid: { type: 'id', role: 'label', nullable: true },

  // Assumed: the names for those ids.
  person: { type: 'text', role: 'label' },
  task: { type: 'text', role: 'label', nullable: true },
  milestone: { type: 'text', role: 'label', nullable: true },
  project: { type: 'text', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
  module: { type: 'text', role: 'label', nullable: true },
  projectactive: { type: 'boolean', role: 'label' },
} as const satisfies FieldTable;

export const document = {
  name: 'document',
  fields,
  unknown: 'watch',
  title: titleFrom('document', 'title', 'filename'),
} as const satisfies Resource;
