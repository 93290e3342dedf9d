/**
 * Time entries, timers, milestones, requests and saved filters: resources of the inventory whose fields the spec does not show.
 * Only the tables; the rules implement writes.
 */
import type { Data } from '../account/data.ts';
import { type Day, formatDay } from '../account/days.ts';
import type { MilestoneRow, RequestRow, TaskListFilterRow, TimeRow, TimerRow } from '../account/records.ts';
import {
  ALL_ROLES,
  amount,
  code,
  day,
  flag,
  html,
  instant,
  NOT_EXECUTIVES,
  number,
  padded,
  STAFF,
  text,
} from './fields.ts';
import { afterInstant, anyOf, beforeInstant, flagIs, onOrAfter, onOrBefore } from './filters.ts';
import type { Resource } from './resource.ts';

const task = (entry: { taskid: number | null }, data: Data) =>
  entry.taskid === null ? undefined : data.task.get(entry.taskid);

/** `time.date` is in display format, MM/DD/YYYY; `dateiso` is the one to read. */
function displayed(date: Day): string {
  const [year, month, dayOfMonth] = formatDay(date).split('-');
  return `${month}/${dayOfMonth}/${year}`;
}

export const time: Resource<TimeRow> = {
  name: 'time',
  rows: (data) => data.time,
  access: {
    list: ALL_ROLES,
    member: ALL_ROLES,
    create: NOT_EXECUTIVES,
    update: NOT_EXECUTIVES,
    remove: NOT_EXECUTIVES,
  },
  fields: [
    number('id', (e) => e.id),
    number('projectid', (e) => e.projectid),
    text('project', (e, data) => data.project.get(e.projectid)?.name),
    number('moduleid', (e) => e.moduleid),
    text('module', (e, data) => data.moduleName(e.projectid, e.moduleid)),
    number('taskid', (e) => e.taskid),
    text('task', (e, data) => task(e, data)?.title),
    number('worktypeid', (e) => e.worktypeid),
    text('worktype', (e, data) => data.worktype.get(e.worktypeid)?.name),
    number('personid', (e) => e.personid),
    text('person', (e, data) => data.name(e.personid)),
    code('date', (e) => displayed(e.date)),
    day('dateiso', (e) => e.date),
    amount('time', (e) => e.time),
    flag('billable', (e) => e.billable),
    text('description', (e) => e.description, { blank: '' }),
    instant('datemodified', (e) => e.modified),
  ],
  settable: [
    { name: 'projectid', type: 'integer', refers: 'project' },
    { name: 'taskid', type: 'integer', refers: 'task' },
    { name: 'moduleid', type: 'integer', refers: 'module' },
    { name: 'personid', type: 'integer', refers: 'person' },
    { name: 'worktypeid', type: 'integer', required: true, default: '1', refers: 'worktype' },
    { name: 'date', type: 'date', required: true },
    { name: 'time', type: 'double', required: true },
    { name: 'billable', type: 'boolean' },
    { name: 'description', type: 'string' },
  ],
  filters: [
    anyOf('projectid', (e) => e.projectid),
    anyOf('taskid', (e) => e.taskid),
    anyOf('personid', (e) => e.personid),
    anyOf('clientid', (e, data) => data.clientOf(e.projectid)?.id ?? null),
    flagIs('billable', (e) => e.billable),
    onOrAfter('datebegin', (e) => e.date),
    onOrBefore('dateend', (e) => e.date),
    afterInstant('datemodifiedbegin', (e) => e.modified),
    beforeInstant('datemodifiedend', (e) => e.modified),
  ],
  sorts: { id: (e) => e.id, date: (e) => e.date, datemodified: (e) => e.modified },
};

export const timer: Resource<TimerRow> = {
  name: 'timer',
  rows: (data) => data.timer,
  access: { list: NOT_EXECUTIVES, member: NOT_EXECUTIVES, create: [], update: [], remove: [] },
  fields: [
    number('id', (t) => t.id),
    number('personid', (t) => t.personid),
    text('person', (t, data) => data.name(t.personid)),
    number('taskid', (t) => t.taskid),
    text('task', (t, data) => task(t, data)?.title),
    instant('starttime', (t) => t.start),
  ],
  settable: [],
  filters: [anyOf('personid', (t) => t.personid), anyOf('taskid', (t) => t.taskid)],
  sorts: { id: (t) => t.id },
};

export const milestone: Resource<MilestoneRow> = {
  name: 'milestone',
  rows: (data) => data.milestone,
  access: { list: ALL_ROLES, member: ALL_ROLES, create: [], update: [], remove: [] },
  fields: [
    number('id', (m) => m.id),
    padded('localid', (m) => m.localid),
    number('projectid', (m) => m.projectid),
    text('project', (m, data) => data.project.get(m.projectid)?.name),
    text('title', (m) => m.title),
    html('description', (m) => m.description, { blank: '' }),
    day('datedue', (m) => m.datedue),
    flag('complete', (m) => m.complete),
    number('ownerid', (m) => m.ownerid, { seenBy: NOT_EXECUTIVES }),
    text('owner', (m, data) => data.name(m.ownerid), { seenBy: NOT_EXECUTIVES }),
  ],
  settable: [
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'title', type: 'string', required: true, max: 255 },
    { name: 'description', type: 'html' },
    { name: 'datedue', type: 'date', required: true },
    { name: 'complete', type: 'boolean', default: 'f' },
    { name: 'ownerid', type: 'integer', required: true, refers: 'person' },
  ],
  filters: [anyOf('projectid', (m) => m.projectid), flagIs('complete', (m) => m.complete)],
  sorts: { id: (m) => m.id, title: (m) => m.title, datedue: (m) => m.datedue },
};

export const request: Resource<RequestRow> = {
  name: 'request',
  rows: (data) => data.request,
  access: { list: ALL_ROLES, member: ALL_ROLES, create: [], update: [], remove: [] },
  fields: [
    number('id', (r) => r.id),
    text('title', (r) => r.title),
    html('description', (r) => r.description, { blank: '' }),
    number('projectid', (r) => r.projectid),
    text('project', (r, data) => data.project.get(r.projectid)?.name),
    number('personid', (r) => r.personid),
    text('person', (r, data) => data.name(r.personid)),
    day('datecreated', (r) => r.datecreated),
    text('status', (r) => r.status),
  ],
  settable: [],
  filters: [anyOf('projectid', (r) => r.projectid)],
  sorts: { id: (r) => r.id, datecreated: (r) => r.datecreated },
};

export const tasklistfilter: Resource<TaskListFilterRow> = {
  name: 'tasklistfilter',
  rows: (data) => data.tasklistfilter,
  access: { list: STAFF, member: STAFF, create: [], update: [], remove: [] },
  fields: [
    number('id', (f) => f.id),
    number('personid', (f) => f.personid),
    text('name', (f) => f.name),
    text('filter', (f) => f.query),
  ],
  settable: [],
  filters: [anyOf('personid', (f) => f.personid)],
  sorts: { id: (f) => f.id, name: (f) => f.name },
};
