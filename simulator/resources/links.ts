/**
 * The links from people and work types to projects, and contact data of people: resources whose fields the spec does not show.
 * Only the tables; teams change with projects and people.
 */
import type { PersonContactRow, ProjectLinkRow } from '../account/records.ts';
import { ADMINISTRATORS, ALL_ROLES, amount, NOT_EXECUTIVES, number, text } from './fields.ts';
import { anyOf } from './filters.ts';
import type { Resource } from './resource.ts';

export const projectteam: Resource<ProjectLinkRow> = {
  name: 'projectteam',
  rows: (data) => data.projectteam,
  access: { list: NOT_EXECUTIVES, member: NOT_EXECUTIVES, create: [], update: [], remove: [] },
  fields: [
    number('id', (link) => link.id),
    number('projectid', (link) => link.projectid),
    number('personid', (link) => link.otherid),
    text('person', (link, data) => data.name(link.otherid)),
  ],
  settable: [
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'otherid', type: 'integer', required: true, refers: 'person' },
  ],
  filters: [anyOf('projectid', (link) => link.projectid), anyOf('personid', (link) => link.otherid)],
  sorts: { id: (link) => link.id },
};

export const projectworktype: Resource<ProjectLinkRow> = {
  name: 'projectworktype',
  rows: (data) => data.projectworktype,
  access: { list: ALL_ROLES, member: ALL_ROLES, create: [], update: [], remove: [] },
  fields: [
    number('id', (link) => link.id),
    number('projectid', (link) => link.projectid),
    number('worktypeid', (link) => link.otherid),
    text('worktype', (link, data) => data.worktype.get(link.otherid)?.name),
    amount('hourlyrate', (link) => link.rate, { seenBy: ADMINISTRATORS }),
  ],
  settable: [],
  filters: [anyOf('projectid', (link) => link.projectid)],
  sorts: { id: (link) => link.id },
};

export const personcontact: Resource<PersonContactRow> = {
  name: 'personcontact',
  rows: (data) => data.personcontact,
  access: { list: NOT_EXECUTIVES, member: NOT_EXECUTIVES, create: [], update: [], remove: [] },
  fields: [
    number('id', (contact) => contact.id),
    number('personid', (contact) => contact.personid),
    number('contacttypeid', (contact) => contact.contacttypeid),
    number('contactdescriptorid', (contact) => contact.contactdescriptorid),
    text('contact', (contact) => contact.contact),
  ],
  settable: [],
  filters: [anyOf('personid', (contact) => contact.personid)],
  sorts: { id: (contact) => contact.id },
  sees: (contact, viewer, data) =>
    viewer.role !== 'Resource' ||
    data.person.get(contact.personid)?.private !== true ||
    viewer.personid === contact.personid,
};
