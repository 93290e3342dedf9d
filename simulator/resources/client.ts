/**
 * The client resource. Its filters and roles are the spec's; its fields, which the spec does not show, are a plausible set.
 * Only the table; the rules implement writes.
 */
import type { ClientRow } from '../account/records.ts';
import { ADMINISTRATORS, ALL_ROLES, day, flag, html, number, padded, STAFF, text } from './fields.ts';
import { anyOf, contains, flagIs, onlyIf } from './filters.ts';
import type { Resource } from './resource.ts';

export const client: Resource<ClientRow> = {
  name: 'client',
  rows: (data) => data.client,
  access: {
    list: ALL_ROLES,
    member: ALL_ROLES,
    create: ADMINISTRATORS,
    update: ADMINISTRATORS,
    remove: ADMINISTRATORS,
  },
  fields: [
    number('id', (c) => c.id),
    padded('localid', (c) => c.localid),
    number('localidunpadded', (c) => c.localid),
    text('name', (c) => c.name),
    html('description', (c) => c.description, { blank: '' }),
    text('website', (c) => c.website, { blank: '' }),
    text('email', (c) => c.email, { blank: '' }),
    text('phone', (c) => c.phone, { blank: '', seenBy: STAFF }),
    flag('active', (c) => c.active),
    day('datecreated', (c) => c.datecreated),
  ],
  settable: [
    { name: 'name', type: 'string', required: true, max: 255 },
    { name: 'description', type: 'html' },
    { name: 'website', type: 'string', max: 255 },
    { name: 'email', type: 'string', max: 255 },
    { name: 'phone', type: 'string', max: 55 },
    { name: 'active', type: 'boolean', required: true, default: 't' },
  ],
  filters: [
    anyOf('localid', (c) => c.localid),
    flagIs('active', (c) => c.active),
    contains('search', (c) => [c.name, c.description, String(c.localid).padStart(5, '0')]),
    onlyIf('projectsonly', (c, data) => {
      for (const project of data.project) if (project.clientid === c.id && project.active) return true;
      return false;
    }),
  ],
  sorts: {
    id: (c) => c.id,
    localid: (c) => c.localid,
    name: (c) => c.name,
    datecreated: (c) => c.datecreated,
  },
};
