/**
 * What every filter of the API document means, said again over records as read from the wire.
 * Written without a look at the simulator's own tables: the tests hold one against the other.
 */
import type { WireRecord } from '../../simulator/simulator.ts';

/** All records by resource and id, for filters that ask about other records. */
export type World = Readonly<Record<string, ReadonlyMap<string, WireRecord>>>;

export type Naive = (record: WireRecord, value: string, world: World) => boolean;

const TODAY = '2026-11-14';
const CLOSED = '7';

const csv = (value: string) => value.split(',');
const has =
  (field: string, none = false): Naive =>
  (record, value) => {
    const wanted = csv(value);
    const own = (record[field] ?? '') === '' ? [] : csv(record[field] ?? '');
    return own.some((id) => wanted.includes(id)) || (none && own.length === 0 && wanted.includes('-1'));
  };
const numbered =
  (field: string): Naive =>
  (record, value) =>
    csv(value).some((id) => Number(id) === Number(record[field]));
const is =
  (field: string): Naive =>
  (record, value) =>
    record[field] === value;
const text =
  (...fields: string[]): Naive =>
  (record, value) =>
    fields.some((field) => (record[field] ?? '').toLowerCase().includes(value.toLowerCase()));
type Order = (own: string, wanted: string) => boolean;
const date =
  (field: string, order: Order): Naive =>
  (record, value) => {
    const own = record[field] ?? '';
    return own !== '' && order(own, value);
  };
const on: Order = (own, wanted) => own === wanted;
const after: Order = (own, wanted) => own > wanted;
const before: Order = (own, wanted) => own < wanted;
const onOrAfter: Order = (own, wanted) => own >= wanted;
const onOrBefore: Order = (own, wanted) => own <= wanted;

/** On the team, its manager, or an Administrator. */
function access(person: string, project: string | null | undefined, world: World): boolean {
  if (!project) return false;
  if (world.person?.get(person)?.groupid === '1') return true;
  if ((world.project?.get(project)?.managerid ?? '').split(',').includes(person)) return true;
  return [...(world.projectteam?.values() ?? [])].some(
    (link) => link.projectid === project && link.personid === person,
  );
}

const related: Naive = (record, value) =>
  csv(value).some((person) =>
    [record.assigneeid, record.followerid, record.ownerid].some((ids) => csv(ids ?? '').includes(person)),
  );

export const NAIVE: Readonly<Record<string, Readonly<Record<string, Naive>>>> = {
  client: {
    localid: numbered('localid'),
    active: is('active'),
    search: text('name', 'description', 'localid'),
    projectsonly: (record, value, world) =>
      value === 'f' ||
      [...(world.project?.values() ?? [])].some((project) => project.clientid === record.id && project.active === 't'),
  },
  document: {
    public: (record, value) => value === 'f' || record.public === 't',
    taskid: has('taskid'),
    milestoneid: (record, value, world) =>
      has('milestoneid')(record, value, world) ||
      (record.taskid !== null && csv(value).includes(world.task?.get(record.taskid ?? '')?.milestoneid ?? 'none')),
    queueid: has('queueid'),
    clientid: has('clientid'),
    projectid: has('projectid'),
    moduleid: (record, value, world) => csv(value).includes(world.task?.get(record.taskid ?? '')?.moduleid ?? 'none'),
    personid: has('personid'),
    search: text('title', 'notes', 'filename', 'tags'),
    projectactive: (record, value, world) => world.project?.get(record.projectid ?? '')?.active === value,
    taskassignedorownedby: (record, value, world) => {
      const task = world.task?.get(record.taskid ?? '');
      return task === undefined || related(task, value, world);
    },
    tag: (record, value) => (record.tags ?? '').split(', ').includes(value),
    datebegin: date('dateuploaded', onOrAfter),
    dateend: date('dateuploaded', onOrBefore),
    id: is('id'),
  },
  expense: {
    projectid: has('projectid'),
    personid: has('personid'),
    clientid: has('clientid'),
    managerid: (record, value, world) =>
      has('managerid')(world.project?.get(record.projectid ?? '') ?? {}, value, world),
    datebegin: date('date', onOrAfter),
    dateend: date('date', onOrBefore),
    date: date('date', on),
  },
  invoice: {
    localid: numbered('localid'),
    clientid: has('clientid'),
    projectid: has('projectid'),
    datebegin: date('date', onOrAfter),
    dateend: date('date', onOrBefore),
    status: (record, value) => (record.status === 'paid') === (value === 'paid'),
    search: text('title', 'description', 'localid', 'purchaseorder', 'addressfrom', 'addressto'),
  },
  person: {
    localid: numbered('localid'),
    username: text('username'),
    email: text('email'),
    firstname: text('firstname'),
    lastname: text('lastname'),
    excludegroupids: (record, value) => !csv(value).includes(record.groupid ?? 'none'),
    // A role that sees all projects has no access to one that does not exist.
    projectid: (record, value, world) =>
      csv(value).some((project) => world.project?.has(project) === true && access(record.id ?? '', project, world)),
    clientid: has('clientid'),
    projectclientid: (record, value, world) =>
      [...(world.project?.values() ?? [])].some(
        (project) => csv(value).includes(project.clientid ?? 'none') && access(record.id ?? '', project.id, world),
      ),
    search: (record, value, world) =>
      text('firstname', 'lastname', 'client', 'username', 'notes', 'email')(record, value, world) ||
      [...(world.personcontact?.values() ?? [])].some(
        (contact) => contact.personid === record.id && text('contact')(contact, value, world),
      ),
    active: is('active'),
    groupid: is('groupid'),
    allprojects: is('allprojects'),
    restricttasks: is('restricttasks'),
  },
  project: {
    localid: numbered('localid'),
    clientid: has('clientid', true),
    managerid: has('managerid', true),
    labelid: has('labelid'),
    name: text('name'),
    datestart: date('datestart', on),
    datestartbegin: date('datestart', onOrAfter),
    datestartend: date('datestart', onOrBefore),
    dateend: date('dateend', on),
    dateendbegin: date('dateend', onOrAfter),
    dateendend: date('dateend', onOrBefore),
    search: text('name', 'description', 'client', 'localid'),
    active: is('active'),
    billable: is('billable'),
    personid: (record, value, world) => access(value, record.id, world),
  },
  projectmodule: {
    projectid: has('projectid'),
    active: is('active'),
    personid: (record, value, world) => access(value, record.projectid, world),
  },
  task: {
    localid: numbered('localid'),
    personid: (record, value, world) => access(value, record.projectid, world),
    includetimerid: () => true,
    assigneeid: has('assigneeid', true),
    followerid: has('followerid', true),
    statusid: has('statusid'),
    clientid: has('clientid', true),
    projectid: has('projectid'),
    moduleid: has('moduleid'),
    milestoneid: has('milestoneid', true),
    title: text('title'),
    datecreated: date('datecreated', on),
    datecreatedbegin: date('datecreated', after),
    datecreatedend: date('datecreated', before),
    dateopen: date('dateopen', on),
    dateopenbegin: date('dateopen', onOrAfter),
    dateopenend: date('dateopen', onOrBefore),
    datedue: date('datedue', on),
    dateduebegin: date('datedue', onOrAfter),
    datedueend: date('datedue', onOrBefore),
    dateclosed: date('dateclosed', on),
    dateclosedbegin: date('dateclosed', after),
    dateclosedend: date('dateclosed', before),
    datemodifiedbegin: date('datemodified', after),
    datemodifiedend: date('datemodified', before),
    hasduedate: (record, value) => (record.datedue !== null) === (value === 't'),
    ownerid: has('ownerid'),
    priorityid: has('priorityid'),
    tasklistfilterid: (record, value) =>
      value === '1'
        ? record.statusid !== CLOSED
        : value === '2'
          ? record.statusid !== CLOSED && record.datedue !== null && (record.datedue ?? '') < TODAY
          : ['1', '2'].includes(record.priorityid ?? '') && record.statusid === '1',
    overdue: (record, value) =>
      (record.statusid !== CLOSED && record.datedue !== null && (record.datedue ?? '') < TODAY) === (value === 't'),
    excludeclosed: (record, value) => value === 'f' || record.statusid !== CLOSED,
    assignedorownedby: related,
    hastaskrelation: related,
    search: (record, value, world) =>
      text('title', 'summary', 'localid')(record, value, world) ||
      text('title', 'description')(world.request?.get(record.queueid ?? '') ?? {}, value, world),
  },
};
