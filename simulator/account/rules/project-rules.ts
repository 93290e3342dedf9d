/**
 * What happens when projects and their modules change: managers, teams, limits of the plan, default and custom modules.
 * Does not touch tasks, but a project with tasks cannot be deleted.
 */
import { invalid } from '../../request-error.ts';
import type { WriteContext } from '../changes.ts';
import type { Data } from '../data.ts';
import type { Input } from '../input.ts';
import type { ProjectModuleRow, ProjectRow } from '../records.ts';
import { count, countProjectReferences, rejectIfReferenced } from './references.ts';
import { nextLocalid, plainRules, sentValues, type WriteRules } from './rules.ts';

const ADMINISTRATOR_GROUP = 1;
const MANAGER_GROUP = 2;

export const projectRules: WriteRules<ProjectRow> = {
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
    rejectIfReferenced('project', project.id, countProjectReferences(project.id, data));
    for (const member of data.teamOfProject.of(project.id)) changes.deleted('projectteam', member, act);
    for (const module of data.modulesOfProject.of(project.id)) changes.deleted('projectmodule', module, act);
    for (const link of [...data.projectworktype]) {
      if (link.projectid === project.id) changes.deleted('projectworktype', link, act);
    }
    changes.deleted('project', project, act);
  },
};

/** Sent values with `managerid` as the list of managers it is. */
function projectValues(input: Input, template: Partial<ProjectRow>, act: WriteContext): Partial<ProjectRow> {
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

export const projectModuleRules: WriteRules<ProjectModuleRow> = {
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
  { data }: WriteContext,
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
