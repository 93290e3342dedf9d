/**
 * The project and projectmodule resources, as in the spec's tables.
 * Only the tables; the rules implement writes.
 */
import type { Data } from '../account/data.ts';
import type { ProjectModuleRow, ProjectRow } from '../account/records.ts';
import {
  ADMINISTRATORS,
  ALL_ROLES,
  amount,
  day,
  flag,
  html,
  ids,
  number,
  padded,
  percent,
  STAFF,
  text,
} from './fields.ts';
import { anyOf, contains, flagIs, onDay, oneThat, onOrAfter, onOrBefore } from './filters.ts';
import type { Resource } from './resource.ts';

const clientOf = (p: ProjectRow, data: Data) => (p.clientid === null ? undefined : data.client.get(p.clientid));
const labelOf = (p: ProjectRow, data: Data) => (p.labelid === null ? undefined : data.projectlabel.get(p.labelid));

const written = {
  list: ALL_ROLES,
  member: ALL_ROLES,
  create: ADMINISTRATORS,
  update: ADMINISTRATORS,
  remove: ADMINISTRATORS,
};

export const project: Resource<ProjectRow> = {
  name: 'project',
  rows: (data) => data.project,
  access: written,
  fields: [
    number('id', (p) => p.id),
    text('name', (p) => p.name),
    html('description', (p) => p.description, { seenBy: STAFF }),
    day('datestart', (p) => p.datestart),
    day('dateend', (p) => p.dateend),
    percent('alert_percent', (p) => p.alert_percent, { seenBy: STAFF }),
    day('alert_date', (p) => p.alert_date, { seenBy: STAFF, blank: '' }),
    flag('active', (p) => p.active),
    flag('billable', (p) => p.billable),
    amount('budget', (p) => p.budget, { seenBy: STAFF }),
    number('clientid', (p) => p.clientid, { blank: '' }),
    text('client', (p, data) => clientOf(p, data)?.name),
    padded('clientlocalid', (p, data) => clientOf(p, data)?.localid),
    number('labelid', (p) => p.labelid),
    text('label', (p, data) => labelOf(p, data)?.name),
    text('labelcolor', (p, data) => labelOf(p, data)?.color),
    number('label_order', (p, data) => labelOf(p, data)?.order),
    number('localidunpadded', (p) => p.localid),
    padded('localid', (p) => p.localid),
    text('manager', (p, data) => (p.managers[0] === undefined ? null : data.name(p.managers[0]))),
    ids('managerid', (p) => (p.managers.length === 0 ? null : p.managers)),
  ],
  settable: [
    { name: 'clientid', type: 'integer', refers: 'client' },
    { name: 'managerid', type: 'integers', refers: 'person' },
    { name: 'labelid', type: 'integer', refers: 'projectlabel' },
    { name: 'name', type: 'string', required: true, max: 255 },
    { name: 'description', type: 'html' },
    { name: 'datestart', type: 'date', required: true },
    { name: 'dateend', type: 'date' },
    { name: 'budget', type: 'double' },
    { name: 'billable', type: 'boolean', required: true, default: 't' },
    { name: 'active', type: 'boolean', required: true, default: 't' },
    { name: 'alert_percent', type: 'double', places: 3 },
  ],
  filters: [
    anyOf('localid', (p) => p.localid),
    anyOf('clientid', (p) => p.clientid, { none: true }),
    anyOf('managerid', (p) => p.managers, { none: true }),
    anyOf('labelid', (p) => p.labelid),
    contains('name', (p) => p.name),
    onDay('datestart', (p) => p.datestart),
    onOrAfter('datestartbegin', (p) => p.datestart),
    onOrBefore('datestartend', (p) => p.datestart),
    onDay('dateend', (p) => p.dateend),
    onOrAfter('dateendbegin', (p) => p.dateend),
    onOrBefore('dateendend', (p) => p.dateend),
    contains('search', (p, data) => [
      p.name,
      p.description,
      clientOf(p, data)?.name ?? '',
      String(p.localid).padStart(5, '0'),
    ]),
    flagIs('active', (p) => p.active),
    flagIs('billable', (p) => p.billable),
    oneThat('personid', (p, id, data) => data.canAccess(id, p.id)),
  ],
  sorts: {
    id: (p) => p.id,
    localid: (p) => p.localid,
    clientid: (p) => p.clientid,
    managerid: (p) => p.managers[0] ?? null,
    name: (p) => p.name,
    datestart: (p) => p.datestart,
    dateend: (p) => p.dateend,
    billable: (p) => (p.billable ? 1 : 0),
    labelid: (p) => p.labelid,
    label: (p, data) => labelOf(p, data)?.name ?? null,
    label_order: (p, data) => labelOf(p, data)?.order ?? null,
  },
};

export const projectmodule: Resource<ProjectModuleRow> = {
  name: 'projectmodule',
  rows: (data) => data.projectmodule,
  access: written,
  fields: [
    number('id', (m) => m.id),
    number('projectid', (m) => m.projectid),
    text('project', (m, data) => data.project.get(m.projectid)?.name),
    number('moduleid', (m) => m.moduleid),
    text('module', (m, data) => m.module || data.module.get(m.moduleid)?.name),
    text('description', (m) => m.description, { blank: '' }),
    flag('active', (m) => m.active),
    flag('custom', (m) => m.moduleid === 0 || m.module !== ''),
  ],
  settable: [
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'moduleid', type: 'integer', default: '0' },
    { name: 'description', type: 'string' },
    { name: 'active', type: 'boolean', required: true },
    { name: 'module', type: 'string', max: 155 },
  ],
  filters: [
    anyOf('projectid', (m) => m.projectid),
    flagIs('active', (m) => m.active),
    oneThat('personid', (m, id, data) => data.canAccess(id, m.projectid)),
  ],
  sorts: {},
  // "Resource users cannot see inactive modules": in lists, by id, and with any filter.
  sees: (m, viewer) => viewer.role !== 'Resource' || m.active,
};
