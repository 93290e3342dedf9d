/** The fields of a person, in the order of the API's documentation. Event types are defined in core/events. */

import { ADMINISTRATORS_ONLY, type FieldTable, MANAGERS_ONLY } from './field.ts';
import { numbered, type Resource, spoken } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },
  localid: { type: 'text', role: 'watched' },
  clientid: { type: 'id', role: 'watched', nullable: true },
  title: { type: 'text', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  firstname: { type: 'text', role: 'watched' },
  lastname: { type: 'text', role: 'watched' },
  primaryaccount: { type: 'boolean', role: 'watched' },
  notes: { type: 'html', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  allprojects: { type: 'boolean', role: 'watched', hiddenFor: MANAGERS_ONLY },
  active: { type: 'boolean', role: 'watched' },
  private: { type: 'boolean', role: 'watched', hiddenFor: MANAGERS_ONLY },
  // A preference for the web application, as are calendarorientation and editordisabled.
  tips: { type: 'boolean', role: 'volatile' },
  username: { type: 'text', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  groupid: { type: 'id', role: 'watched', nullable: true },
  group: { type: 'text', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },

  // Both change with each login.
  numlogins: { type: 'number', role: 'volatile', hiddenFor: MANAGERS_ONLY },
  lastlogin: { type: 'datetime', role: 'volatile', nullable: true, hiddenFor: MANAGERS_ONLY },

  timezone: { type: 'text', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  // It may contain the current offset, which daylight saving time changes for everyone.
  timezone_offset: { type: 'text', role: 'volatile', nullable: true, hiddenFor: MANAGERS_ONLY },
  restricttasks: { type: 'boolean', role: 'watched', hiddenFor: MANAGERS_ONLY },
  clientlocalid: { type: 'text', role: 'label', nullable: true },
  // A code, not an amount.
  calendarorientation: { type: 'text', role: 'volatile' },
  // 0 or another number, not one of the API's booleans.
  editordisabled: { type: 'number', role: 'volatile' },

  // The documentation does not give the name of this field; under another name it is kept like any unknown field.
  email: { type: 'email', role: 'watched', nullable: true },
  hourlyrate: { type: 'decimal', role: 'watched', nullable: true, hiddenFor: ADMINISTRATORS_ONLY },
  cancomment: { type: 'boolean', role: 'watched', hiddenFor: MANAGERS_ONLY },
} as const satisfies FieldTable;

export const person = {
  name: 'person',
  fields,
  unknown: 'carry',
  title: (record) =>
    [spoken(record.firstname), spoken(record.lastname)].filter((name) => name !== '').join(' ') ||
    numbered('person', record),
} as const satisfies Resource;
