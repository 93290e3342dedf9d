/** The fields of a project, in the order of the API's description. Says how they are read, not what a change means. */

import { type FieldTable, MANAGERS_ONLY } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },
  name: { type: 'text', role: 'watched' },
  description: { type: 'html', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  datestart: { type: 'date', role: 'watched' },
  dateend: { type: 'date', role: 'watched', nullable: true },
  alert_percent: { type: 'decimal', role: 'watched', hiddenFor: MANAGERS_ONLY },
  // Nobody can set it: the service does, around an alert it mails itself. Kept fresh; the budget is the news.
  alert_date: { type: 'date', role: 'label', nullable: true, hiddenFor: MANAGERS_ONLY },
  active: { type: 'boolean', role: 'watched' },
  billable: { type: 'boolean', role: 'watched' },
  // Hours or money, as the account has it.
  budget: { type: 'decimal', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  clientid: { type: 'id', role: 'watched', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
  clientlocalid: { type: 'text', role: 'label', nullable: true },

  // Which label a project has is its own; how the label looks is the label's.
  labelid: { type: 'id', role: 'watched', nullable: true },
  label: { type: 'text', role: 'label', nullable: true },
  labelcolor: { type: 'text', role: 'label', nullable: true },
  label_order: { type: 'number', role: 'label', nullable: true },

  // The same number as localid: one change should not be told twice.
  localidunpadded: { type: 'text', role: 'label' },
  localid: { type: 'text', role: 'watched' },
  manager: { type: 'text', role: 'label', nullable: true },
  // Several may be set at once. The description shows one in an answer; as a set, one or many read alike.
  managerid: { type: 'ids', role: 'watched', nullable: true },
} as const satisfies FieldTable;

export const project = {
  name: 'project',
  fields,
  unknown: 'carry',
  sortsById: true,
  modifiedSince: false,
  localIdFilter: true,
  listsAll: true,
  title: titleFrom('project', 'name'),
} as const satisfies Resource;
