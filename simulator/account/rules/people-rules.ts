/**
 * What happens when people, clients, projects and their modules change: log-ins, managers, teams, limits, and what may not be deleted.
 */
import { invalid } from '../../request-error.ts';
import type { Act } from '../changes.ts';
import type { Data } from '../data.ts';
import type { Input } from '../input.ts';
import type { ClientRow, PersonRow, ProjectModuleRow, ProjectRow } from '../records.ts';
import { nextLocalid, plainRules, type Rules, sentValues } from './rules.ts';

const ADMINISTRATOR_GROUP = 1;
const MANAGER_GROUP = 2;

const plainPerson = plainRules<PersonRow>('person', ({ data }) => ({
  localid: nextLocalid(data.person),
  clientid: null,
  title: '',
  firstname: '',
  lastname: '',
  primaryaccount: false,
  notes: '',
  allprojects: false,
  active: true,
  private: true,
  tips: true,
  username: '',
  password: '',
  email: '',
  groupid: null,
  numlogins: 0,
  lastlogin: null,
  timezone: data.timeZone,
  restricttasks: false,
  calendarorientation: 1,
  editordisabled: 0,
  hourlyrate: null,
  cancomment: true,
}));

export const personRules: Rules<PersonRow> = {
  create(input, act) {
    if (input.text('username') !== '') {
      if (input.text('email') === '') throw invalid('email', 'is required when adding a person who can log in');
      if (input.number('groupid') === null) throw invalid('groupid', 'is required when adding a person who can log in');
      checkUsername(input, undefined, act.data);
    }
    return plainPerson.create(input, act);
  },
  update(person, input, act) {
    checkUsername(input, person, act.data);
    plainPerson.update(person, input, act);
  },
  remove(person, act) {
    const { data, changes } = act;
    if (person.primaryaccount) throw invalid('id', 'the primary account holder cannot be deleted');
    refuseWhileUsed('person', person.id, usesOfPerson(person.id, data));
    for (const contact of data.contactsOfPerson.of(person.id)) changes.deleted('personcontact', contact, act);
    for (const member of [...data.projectteam]) {
      if (member.otherid === person.id) changes.deleted('projectteam', member, act);
    }
    changes.deleted('person', person, act);
  },
};

function checkUsername(input: Input, self: PersonRow | undefined, data: Data): void {
  const username = input.text('username').toLowerCase();
  if (username === '') return;
  for (const other of data.person) {
    if (other !== self && other.username.toLowerCase() === username) {
      throw invalid('username', `'${username}' is taken by another person`);
    }
  }
}

const plainClient = plainRules<ClientRow>('client', ({ data }) => ({
  localid: nextLocalid(data.client),
  name: '',
  description: '',
  website: '',
  email: '',
  phone: '',
  active: true,
  datecreated: data.today(),
}));

export const clientRules: Rules<ClientRow> = {
  ...plainClient,
  remove(client, act) {
    const { data } = act;
    refuseWhileUsed('client', client.id, {
      project: count(data.project, (project) => project.clientid === client.id),
      person: count(data.person, (person) => person.clientid === client.id),
    });
    plainClient.remove(client, act);
  },
};

export const projectRules: Rules<ProjectRow> = {
  create(input, act) {
    const { data, changes } = act;
    const fresh: Omit<ProjectRow, 'id'> = {
      localid: nextLocalid(data.project),
      name: '',
      description: '',
      datestart: data.today(),
      dateend: null,
      alert_percent: 0,
      alert_date: null,
      active: true,
      billable: true,
      budget: null,
      clientid: null,
      labelid: null,
      managers: [],
    };
    const values = { ...fresh, ...projectValues(input, fresh, act) };
    if (values.active) checkActiveProjects(data);
    const project = changes.created('project', data.project.add(values), act);
    // "added to the project team of all future projects"
    for (const person of data.person) {
      if (!person.allprojects || !person.active) continue;
      const member = { projectid: project.id, otherid: person.id, rate: null };
      changes.created('projectteam', data.projectteam.add(member), act);
    }
    changes.notify(act, project.managers, `New project: ${project.name}`);
    return project;
  },
  update(project, input, act) {
    const values = projectValues(input, project, act);
    if (values.active === true && !project.active) checkActiveProjects(act.data);
    act.changes.updated('project', project, act, () => Object.assign(project, values));
  },
  remove(project, act) {
    const { data, changes } = act;
    refuseWhileUsed('project', project.id, usesOfProject(project.id, data));
    for (const member of data.teamOfProject.of(project.id)) changes.deleted('projectteam', member, act);
    for (const module of data.modulesOfProject.of(project.id)) changes.deleted('projectmodule', module, act);
    for (const link of [...data.projectworktype]) {
      if (link.projectid === project.id) changes.deleted('projectworktype', link, act);
    }
    changes.deleted('project', project, act);
  },
};

/** Sent values with `managerid` as the list of managers it is. */
function projectValues(input: Input, template: Partial<ProjectRow>, act: Act): Partial<ProjectRow> {
  const sent: Partial<ProjectRow> & { managerid?: unknown } = sentValues<ProjectRow>(input, template);
  delete sent.managerid;
  if (input.has('alert_percent')) sent.alert_percent = input.number('alert_percent') ?? 0;
  if (input.has('managerid')) {
    sent.managers = input.list('managerid');
    for (const id of sent.managers) {
      const groupid = act.data.person.get(id)?.groupid;
      if (groupid !== ADMINISTRATOR_GROUP && groupid !== MANAGER_GROUP) {
        throw invalid('managerid', `person ${id} is neither an Administrator nor a Manager`);
      }
    }
  }
  const start = sent.datestart ?? template.datestart;
  const end = sent.dateend === undefined ? template.dateend : sent.dateend;
  if (start != null && end != null && end < start) throw invalid('dateend', 'may not be earlier than datestart');
  return sent;
}

function checkActiveProjects(data: Data): void {
  const limit = data.activeProjects;
  if (limit === undefined) return;
  const active = count(data.project, (project) => project.active);
  if (active >= limit) throw invalid('active', `the plan allows ${limit} active projects and ${active} are active`);
}

const plainModule = plainRules<ProjectModuleRow>(
  'projectmodule',
  () => ({ projectid: 0, moduleid: 0, module: '', description: '', active: true }),
  ['moduleid'],
);

export const projectModuleRules: Rules<ProjectModuleRow> = {
  create(input, act) {
    checkModule(
      { projectid: 0, moduleid: 0, module: '', ...sentValues<ProjectModuleRow>(input, { module: '' }, ['moduleid']) },
      0,
      act,
    );
    return plainModule.create(input, act);
  },
  update(module, input, act) {
    const next = { ...module, ...sentValues<ProjectModuleRow>(input, module, ['moduleid']) };
    if (next.projectid !== module.projectid) {
      throw invalid('projectid', 'cannot be changed once set: delete the module and create it for the other project');
    }
    checkModule(next, module.id, act);
    plainModule.update(module, input, act);
  },
  remove: plainModule.remove,
};

function checkModule(
  module: Pick<ProjectModuleRow, 'projectid' | 'moduleid' | 'module'>,
  self: number,
  { data }: Act,
): void {
  if (module.moduleid === 0) {
    if (module.module === '') throw invalid('module', 'is required for a custom module');
    return;
  }
  if (data.module.get(module.moduleid) === undefined) {
    throw invalid('moduleid', `there is no module with id ${module.moduleid}`);
  }
  for (const other of data.modulesOfProject.of(module.projectid)) {
    if (other.id !== self && other.moduleid === module.moduleid) {
      throw invalid('moduleid', `module ${module.moduleid} is already assigned to project ${module.projectid}`);
    }
  }
}

function usesOfPerson(id: number, data: Data): Record<string, number> {
  let tasks = 0;
  for (let slot = 0; slot < data.task.slots; slot++) {
    if (!data.task.has(slot)) continue;
    const task = data.task.at(slot);
    if (task.owners.includes(id) || task.assignees.includes(id) || task.followers.includes(id)) tasks++;
  }
  return {
    task: tasks,
    project: count(data.project, (project) => project.managers.includes(id)),
    time: count(data.time, (entry) => entry.personid === id),
    expense: count(data.expense, (expense) => expense.personid === id),
    document: count(data.document, (document) => document.personid === id),
    milestone: count(data.milestone, (milestone) => milestone.ownerid === id),
  };
}

function usesOfProject(id: number, data: Data): Record<string, number> {
  let tasks = 0;
  for (let slot = 0; slot < data.task.slots; slot++) {
    if (data.task.has(slot) && data.task.at(slot).projectid === id) tasks++;
  }
  return {
    task: tasks,
    invoice: count(data.invoice, (invoice) => invoice.projectid === id),
    time: data.timeOfProject.of(id).length,
    expense: count(data.expense, (expense) => expense.projectid === id),
    milestone: count(data.milestone, (milestone) => milestone.projectid === id),
    document: count(data.document, (document) => document.projectid === id),
    request: count(data.request, (request) => request.projectid === id),
  };
}

/** What others point at stays; it can be made inactive instead. */
function refuseWhileUsed(resource: string, id: number, uses: Record<string, number>): void {
  const used = Object.entries(uses).filter(([, times]) => times > 0);
  if (used.length === 0) return;
  const list = used.map(([name, times]) => `${times} ${name}`).join(', ');
  throw invalid('id', `${resource} ${id} is still used by ${list}; set active to 'f' instead of deleting it`);
}

function count<R>(rows: Iterable<R>, test: (row: R) => boolean): number {
  let found = 0;
  for (const row of rows) if (test(row)) found++;
  return found;
}
