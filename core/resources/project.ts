/** The fields of a project, in the order of the API's documentation. Event types are defined in core/events. */

import { type FieldTable, MANAGERS_ONLY } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },
  name: { type: 'text', role: 'watched' },
  description: { type: 'html', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  datestart: { type: 'date', role: 'watched' },
  dateend: { type: 'date', role: 'watched', nullable: true },
  alert_percent: { type: 'decimal', role: 'watched', hiddenFor: MANAGERS_ONLY },
  // Read-only: the service sets it when it mails a budget alert.
  alert_date: { type: 'date', role: 'label', nullable: true, hiddenFor: MANAGERS_ONLY },
  active: { type: 'boolean', role: 'watched' },
  billable: { type: 'boolean', role: 'watched' },
  // Hours or money, depending on the account.
  budget: { type: 'decimal', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  clientid: { type: 'id', role: 'watched', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
  clientlocalid: { type: 'text', role: 'label', nullable: true },

  // The choice of label belongs to the project; the name and colour belong to the label.
  labelid: { type: 'id', role: 'watched', nullable: true },
  label: { type: 'text', role: 'label', nullable: true },
  labelcolor: { type: 'text', role: 'label', nullable: true },
  label_order: { type: 'number', role: 'label', nullable: true },

  // The same number as localid; if watched, one change would be listed twice.
  localidunpadded: { type: 'text', role: 'label' },
  localid: { type: 'text', role: 'watched' },
  manager: { type: 'text', role: 'label', nullable: true },
  // There may be several, although the documentation shows a response with one.
  managerid: { type: 'ids', role: 'watched', nullable: true },
} as const satisfies FieldTable;

export const project = {
  name: 'project',
  fields,
  unknown: 'carry',
  title: titleFrom('project', 'name'),
} as const satisfies Resource;
