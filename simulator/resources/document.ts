/**
 * The document resource. Its filters and roles are the spec's; its fields are a plausible set. The response for one record has
 * fewer than a list ("reading one record through the collection, which is more detailed").
 */
import type { Data } from '../account/data.ts';
import type { DocumentRow } from '../account/records.ts';
import { ALL_ROLES, day, flag, instant, number, text } from './fields.ts';
import { anyOf, contains, flagIs, meaning, oneThat, onlyIf, onOrAfter, onOrBefore } from './filters.ts';
import type { Resource } from './resource.ts';

const task = (d: DocumentRow, data: Data) => (d.taskid === null ? undefined : data.task.get(d.taskid));
const milestone = (d: DocumentRow, data: Data) =>
  d.milestoneid === null ? undefined : data.milestone.get(d.milestoneid);

/** Its own project, or that of its task or milestone. */
function projectOf(d: DocumentRow, data: Data) {
  const id = task(d, data)?.projectid ?? milestone(d, data)?.projectid ?? d.projectid;
  return id === null ? undefined : data.project.get(id);
}

/** The response of `download`: the latest version as text. */
export function contentsOf(d: DocumentRow): string {
  return `${d.title}\r\nVersion ${d.version} of ${d.filename}\r\n\r\n${d.notes}\r\n`;
}

export const document: Resource<DocumentRow> = {
  name: 'document',
  rows: (data) => data.document,
  access: { list: ALL_ROLES, member: ALL_ROLES, create: [], update: [], remove: [] },
  fields: [
    number('id', (d) => d.id),
    number('personid', (d) => d.personid),
    text('person', (d, data) => data.name(d.personid)),
    text('title', (d) => d.title),
    text('notes', (d) => d.notes, { blank: '' }),
    text('filename', (d) => d.filename),
    number('filesize', (d) => Buffer.byteLength(contentsOf(d))),
    text('tags', (d) => d.tags.join(', '), { blank: '' }),
    flag('public', (d) => d.public),
    flag('active', (d) => d.active),
    number('version', (d) => d.version),
    day('dateuploaded', (d) => d.uploaded),
    instant('datemodified', (d) => d.modified),
    number('taskid', (d) => d.taskid),
    text('task', (d, data) => task(d, data)?.title),
    number('milestoneid', (d) => d.milestoneid),
    text('milestone', (d, data) => milestone(d, data)?.title),
    number('queueid', (d) => d.queueid),
    number('projectid', (d, data) => projectOf(d, data)?.id),
    text('project', (d, data) => projectOf(d, data)?.name),
    number('clientid', (d, data) => projectOf(d, data)?.clientid),
    text('client', (d, data) => data.clientOf(projectOf(d, data)?.id ?? null)?.name),
  ],
  listOnly: ['person', 'task', 'milestone', 'project', 'client', 'tags'],
  settable: [
    { name: 'title', type: 'string', required: true, max: 255 },
    { name: 'notes', type: 'string' },
    { name: 'filename', type: 'string', required: true, max: 255 },
    { name: 'public', type: 'boolean', default: 'f' },
    { name: 'active', type: 'boolean', default: 't' },
    { name: 'taskid', type: 'integer', refers: 'task' },
    { name: 'milestoneid', type: 'integer', refers: 'milestone' },
    { name: 'projectid', type: 'integer', refers: 'project' },
  ],
  filters: [
    onlyIf('public', (d) => d.public),
    anyOf('taskid', (d) => d.taskid),
    anyOf('milestoneid', (d, data) =>
      [d.milestoneid, task(d, data)?.milestoneid].filter((id): id is number => typeof id === 'number'),
    ),
    anyOf('queueid', (d) => d.queueid),
    anyOf('clientid', (d, data) => projectOf(d, data)?.clientid ?? null),
    anyOf('projectid', (d, data) => projectOf(d, data)?.id ?? null),
    anyOf('moduleid', (d, data) => task(d, data)?.moduleid ?? null),
    anyOf('personid', (d) => d.personid),
    contains('search', (d) => [d.title, d.notes, d.filename, ...d.tags]),
    meaning('projectactive', 'boolean', (value, asked) => {
      const active = flagIs<DocumentRow>('projectactive', (d, data) => projectOf(d, data)?.active === true);
      const test = active.compile(value, asked);
      return (d) => projectOf(d, asked.data) !== undefined && test(d);
    }),
    oneThat('taskassignedorownedby', (d, id, data) => {
      const about = task(d, data);
      if (about === undefined) return true;
      return about.assignees.includes(id) || about.owners.includes(id) || about.followers.includes(id);
    }),
    meaning('tag', 'string', (value) => (d) => d.tags.some((tag) => tag.toLowerCase() === value.toLowerCase())),
    onOrAfter('datebegin', (d) => d.uploaded),
    onOrBefore('dateend', (d) => d.uploaded),
    oneThat('id', (d, id) => d.id === id),
  ],
  sorts: {
    id: (d) => d.id,
    personid: (d) => d.personid,
    title: (d) => d.title,
    public: (d) => (d.public ? 1 : 0),
    datemodified: (d) => d.modified,
    active: (d) => (d.active ? 1 : 0),
  },
  // `public` selects "documents visible to Executive users", so the others are not.
  sees: (d, viewer) => viewer.role !== 'Executive' || d.public,
};
