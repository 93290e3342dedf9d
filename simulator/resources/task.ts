/**
 * The task resource: response fields, settable fields, filters and sort fields in the order of the spec's tables.
 * Only the table; the rules implement writes.
 */
import type { Data } from '../account/data.ts';
import type { TaskRow } from '../account/records.ts';
import { invalid } from '../request-error.ts';
import {
  ALL_ROLES,
  amount,
  code,
  day,
  html,
  ids,
  instant,
  NOT_EXECUTIVES,
  number,
  padded,
  STAFF,
  text,
} from './fields.ts';
import * as filter from './filters.ts';
import type { Filter, Resource } from './resource.ts';

const priority = (t: TaskRow, data: Data) => data.taskpriority.get(t.priorityid);
const status = (t: TaskRow, data: Data) => data.taskstatus.get(t.statusid);
const project = (t: TaskRow, data: Data) => data.project.get(t.projectid);
const client = (t: TaskRow, data: Data) => data.clientOf(t.projectid);
const label = (t: TaskRow, data: Data) => data.labelOf(t.projectid);
const milestone = (t: TaskRow, data: Data) => (t.milestoneid === null ? undefined : data.milestone.get(t.milestoneid));
const request = (t: TaskRow, data: Data) => (t.queueid === null ? undefined : data.request.get(t.queueid));
const related = (t: TaskRow, id: number) =>
  t.assignees.includes(id) || t.followers.includes(id) || t.owners.includes(id);

/** Cached per project: a list may have a million tasks in few projects. */
const accessible: Filter<TaskRow> = {
  name: 'personid',
  type: 'integer',
  compile(value, { data }) {
    const person = filter.readInteger('personid', value);
    const answers = new Map<number, boolean>();
    return (t) => {
      let answer = answers.get(t.projectid);
      if (answer === undefined) {
        answer = data.canAccess(person, t.projectid);
        answers.set(t.projectid, answer);
      }
      return answer;
    };
  },
};

const saved: Filter<TaskRow> = {
  name: 'tasklistfilterid',
  type: 'integer',
  compile(value, asked) {
    const id = filter.readInteger('tasklistfilterid', value);
    const row = asked.data.tasklistfilter.get(id);
    if (row === undefined) throw invalid('tasklistfilterid', `there is no saved task list filter ${id}`);
    return asked.taskTest(new URLSearchParams(row.query));
  },
};

export const task: Resource<TaskRow> = {
  name: 'task',
  rows: (data) => data.task,
  access: {
    list: ALL_ROLES,
    member: ALL_ROLES,
    create: NOT_EXECUTIVES,
    update: NOT_EXECUTIVES,
    remove: STAFF,
  },
  fields: [
    number('id', (t) => t.id),
    number('localid', (t) => t.localid),
    number('queueid', (t) => t.queueid),
    ids('assigneeid', (t) => (t.assignees.length === 0 ? null : t.assignees), { seenBy: NOT_EXECUTIVES, blank: '' }),
    number('statusid', (t) => t.statusid),
    number('projectid', (t) => t.projectid),
    number('moduleid', (t) => t.moduleid),
    text('title', (t) => t.title),
    html('summary', (t) => t.summary, { blank: '' }),
    day('dateopen', (t) => t.dateopen),
    day('datedue', (t) => t.datedue),
    day('dateclosed', (t) => t.dateclosed, { blank: '' }),
    amount('estimate', (t) => t.estimate),
    ids('ownerid', (t) => t.owners, { seenBy: NOT_EXECUTIVES }),
    number('priorityid', (t) => t.priorityid),
    instant('datemodified', (t) => t.modified),
    code('color', (t, data) => priority(t, data)?.color),
    number('priority', (t, data) => priority(t, data)?.order),
    text('severity', (t, data) => priority(t, data)?.name),
    text('status', (t, data) => status(t, data)?.name),
    number('status_order', (t, data) => status(t, data)?.order),
    text('project', (t, data) => project(t, data)?.name),
    number('clientid', (t, data) => project(t, data)?.clientid),
    padded('clientlocalid', (t, data) => client(t, data)?.localid),
    text('client', (t, data) => client(t, data)?.name),
    number('milestoneid', (t) => t.milestoneid),
    text('milestone', (t, data) => milestone(t, data)?.title),
    text('module', (t, data) => data.moduleName(t.projectid, t.moduleid)),
    padded('projectlocalid', (t, data) => project(t, data)?.localid),
    text('assignees', (t, data) => data.names(t.assignees), { seenBy: NOT_EXECUTIVES, blank: '' }),
    text('followers', (t, data) => data.names(t.followers), { seenBy: NOT_EXECUTIVES, blank: '' }),
    ids('followerid', (t) => (t.followers.length === 0 ? null : t.followers), { seenBy: NOT_EXECUTIVES, blank: '' }),
    text('owners', (t, data) => data.names(t.owners), { seenBy: NOT_EXECUTIVES }),
    amount('billable', (t) => t.billable),
    amount('unbillable', (t) => t.unbillable),
    amount('actual', (t) => t.billable + t.unbillable),
    day('datecreated', (t) => t.datecreated),
    text('projectlabel', (t, data) => label(t, data)?.name),
    number('projectlabel_order', (t, data) => label(t, data)?.order),
    number('projectlabelid', (t, data) => label(t, data)?.id),
  ],
  settable: [
    { name: 'assigneeid', type: 'integers', refers: 'person' },
    { name: 'followerid', type: 'integers', refers: 'person' },
    { name: 'milestoneid', type: 'integer', refers: 'milestone' },
    { name: 'statusid', type: 'integer', required: true, refers: 'taskstatus' },
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'moduleid', type: 'integer', required: true, refers: 'module' },
    { name: 'title', type: 'string', required: true, max: 255 },
    { name: 'summary', type: 'html' },
    { name: 'dateopen', type: 'date', required: true },
    { name: 'datedue', type: 'date' },
    { name: 'dateclosed', type: 'date' },
    { name: 'estimate', type: 'double' },
    { name: 'ownerid', type: 'integers', required: true, refers: 'person' },
    { name: 'priorityid', type: 'integer', required: true, refers: 'taskpriority' },
  ],
  filters: [
    filter.anyOf('localid', (t) => t.localid),
    accessible,
    // Adds two fields without filtering: see extraFields.
    filter.oneThat('includetimerid', () => true),
    filter.anyOf('assigneeid', (t) => t.assignees, { none: true }),
    filter.anyOf('followerid', (t) => t.followers, { none: true }),
    filter.anyOf('statusid', (t) => t.statusid),
    filter.anyOf('clientid', (t, data) => project(t, data)?.clientid ?? null, { none: true }),
    filter.anyOf('projectid', (t) => t.projectid),
    filter.anyOf('moduleid', (t) => t.moduleid),
    filter.anyOf('milestoneid', (t) => t.milestoneid, { none: true }),
    filter.contains('title', (t) => t.title),
    filter.onDay('datecreated', (t) => t.datecreated),
    filter.afterDay('datecreatedbegin', (t) => t.datecreated),
    filter.beforeDay('datecreatedend', (t) => t.datecreated),
    filter.onDay('dateopen', (t) => t.dateopen),
    filter.onOrAfter('dateopenbegin', (t) => t.dateopen),
    filter.onOrBefore('dateopenend', (t) => t.dateopen),
    filter.onDay('datedue', (t) => t.datedue),
    filter.onOrAfter('dateduebegin', (t) => t.datedue),
    filter.onOrBefore('datedueend', (t) => t.datedue),
    filter.onDay('dateclosed', (t) => t.dateclosed),
    filter.afterDay('dateclosedbegin', (t) => t.dateclosed),
    filter.beforeDay('dateclosedend', (t) => t.dateclosed),
    filter.afterInstant('datemodifiedbegin', (t, data) => data.indexedModified(t)),
    filter.beforeInstant('datemodifiedend', (t, data) => data.indexedModified(t)),
    filter.flagIs('hasduedate', (t) => t.datedue !== null),
    filter.anyOf('ownerid', (t) => t.owners),
    filter.anyOf('priorityid', (t) => t.priorityid),
    saved,
    filter.flagIs('overdue', (t, data) => data.overdue(t)),
    filter.onlyIf('excludeclosed', (t, data) => !data.closed(t.statusid)),
    filter.anyThat('assignedorownedby', related),
    filter.anyThat('hastaskrelation', related),
    filter.contains('search', (t, data) => [
      t.title,
      t.summary,
      request(t, data)?.title ?? '',
      request(t, data)?.description ?? '',
      String(t.localid),
    ]),
  ],
  sorts: {
    id: (t) => t.id,
    localid: (t) => t.localid,
    queueid: (t) => t.queueid,
    assigneeid: (t) => t.assignees[0] ?? null,
    statusid: (t) => t.statusid,
    projectid: (t) => t.projectid,
    module: (t, data) => data.moduleName(t.projectid, t.moduleid),
    moduleid: (t) => t.moduleid,
    title: (t) => t.title,
    summary: (t) => t.summary,
    datecreated: (t) => t.datecreated,
    dateopen: (t) => t.dateopen,
    datedue: (t) => t.datedue,
    dateclosed: (t) => t.dateclosed,
    estimate: (t) => t.estimate,
    ownerid: (t) => t.owners[0] ?? null,
    priorityid: (t) => t.priorityid,
    'sev.priority': (t, data) => priority(t, data)?.order ?? null,
    severity: (t, data) => priority(t, data)?.name ?? null,
    status: (t, data) => status(t, data)?.name ?? null,
    status_order: (t, data) => status(t, data)?.order ?? null,
    project: (t, data) => project(t, data)?.name ?? null,
    client: (t, data) => client(t, data)?.name ?? null,
    assignee: (t, data) => data.names(t.assignees),
    milestoneid: (t) => t.milestoneid,
    milestone: (t, data) => milestone(t, data)?.title ?? null,
    owners: (t, data) => data.names(t.owners),
    projectlabelid: (t, data) => label(t, data)?.id ?? null,
    projectlabel: (t, data) => label(t, data)?.name ?? null,
    // Spelled as in the spec.
    projectabel_order: (t, data) => label(t, data)?.order ?? null,
  },
  // "users restricted to their own tasks see only tasks they own or are assigned to"
  sees: (t, viewer) =>
    !viewer.restricted || t.owners.includes(viewer.personid) || t.assignees.includes(viewer.personid),
  // "For users restricted to their own tasks it is set to the user by default and overrides assigneeid and ownerid"
  ignores: (viewer) => (viewer.restricted ? ['assigneeid', 'ownerid', 'assignedorownedby', 'hastaskrelation'] : []),
  extraFields(given, data) {
    const person = given.get('includetimerid');
    if (!person) return [];
    const timers = new Map(data.timersOfPerson.of(Number(person)).map((timer) => [timer.taskid, timer]));
    return [number('timerid', (t) => timers.get(t.id)?.id), instant('starttime', (t) => timers.get(t.id)?.start)];
  },
};
