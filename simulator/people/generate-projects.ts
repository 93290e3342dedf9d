/**
 * The agency's projects: one after the other over its history, with managers, teams, modules, milestones and requests.
 * Fills tables directly: a generated account has no journal yet.
 */
import type { Data } from '../account/data.ts';
import type { Day } from '../account/days.ts';
import type { ProjectRow } from '../account/records.ts';
import type { Random } from './random.ts';
import type { Size } from './size.ts';
import * as vocabulary from './vocabulary.ts';

export function generateProjects(data: Data, size: Size, history: number, random: Random): void {
  const begin = data.today() - history;
  const staff = [...data.person]
    .filter((person) => person.groupid !== null && person.groupid <= 3)
    .map((person) => person.id);
  const managers = [...data.person].filter((person) => person.groupid === 1 || person.groupid === 2);
  const managing = managers.filter((person) => person.active).map((person) => person.id);
  for (let i = 0; i < size.projects; i++) {
    // The first ones ran before the first task; the last ones have just begun.
    const start = begin - 20 + Math.floor((i / size.projects) * (history + 10)) - random.between(0, 10);
    const project = addProject(data, i, start, managing, random);
    addTeam(data, project, staff, random);
    addModules(data, project, random);
    addMilestones(data, project, random);
    if (random.chance(0.15)) addRequest(data, project, random);
  }
}

function addProject(data: Data, i: number, start: Day, managing: readonly number[], random: Random): ProjectRow {
  const today = data.today();
  const end = random.chance(0.8) ? start + random.between(40, 320) : null;
  const over = end !== null && end < today - 20;
  const managers = random.chance(0.06) ? [] : [random.pick(managing)];
  const second = random.pick(managing);
  if (managers.length === 1 && random.chance(0.15) && !managers.includes(second)) managers.push(second);
  const name = random.pick(vocabulary.PROJECTS);
  const hours = random.between(20, 600);
  return data.project.add({
    localid: i + 1,
    name: random.chance(0.5) ? `${name} ${yearOf(start)}` : name,
    description: random.pick(vocabulary.PROJECT_DESCRIPTIONS),
    datestart: start,
    dateend: end,
    alert_percent: random.chance(0.5) ? random.pick([75_000, 80_000, 90_000]) : 0,
    alert_date: null,
    active: !over || random.chance(0.1),
    billable: random.chance(0.9),
    budget: random.chance(0.75) ? hours * 100 : null,
    clientid: i > 0 && random.chance(0.08) ? null : random.between(1, data.client.count),
    labelid: random.chance(0.7) ? random.between(1, data.projectlabel.count) : null,
    managers,
  });
}

function addTeam(data: Data, project: ProjectRow, staff: readonly number[], random: Random): void {
  const team = new Set(project.managers);
  // The one who sees only their own tasks needs some, even in the smallest account.
  if (project.id <= 3 || random.chance(0.1)) team.add(6);
  const wanted = Math.min(staff.length, random.between(3, 8));
  while (team.size < wanted) team.add(random.pick(staff));
  for (const otherid of team) data.projectteam.add({ projectid: project.id, otherid, rate: null });
  for (const worktype of data.worktype) {
    if (!random.chance(0.4)) continue;
    data.projectworktype.add({
      projectid: project.id,
      otherid: worktype.id,
      rate: worktype.value + random.between(-10, 10) * 100,
    });
  }
}

function addModules(data: Data, project: ProjectRow, random: Random): void {
  for (const module of data.module) {
    if (module.id > 2 && !random.chance(0.6)) continue;
    const renamed = random.chance(0.05);
    data.projectmodule.add({
      projectid: project.id,
      moduleid: module.id,
      module: renamed ? `${module.name} (${vocabulary.LABELS[4][0].toLowerCase()})` : '',
      description: renamed ? 'Renamed for this project' : '',
      active: module.id <= 2 || random.chance(0.85),
    });
  }
  if (!random.chance(0.2)) return;
  const module = random.pick(vocabulary.CUSTOM_MODULES);
  data.projectmodule.add({ projectid: project.id, moduleid: 0, module, description: '', active: random.chance(0.8) });
}

function addMilestones(data: Data, project: ProjectRow, random: Random): void {
  const today = data.today();
  const first = random.between(0, vocabulary.MILESTONES.length - 3);
  const many = random.between(1, 3);
  for (let n = 0; n < many; n++) {
    const datedue = project.datestart + (n + 1) * random.between(15, 45);
    data.milestone.add({
      localid: data.milestone.count + 1,
      projectid: project.id,
      title: vocabulary.MILESTONES[first + n] ?? 'Go-live',
      description: '',
      datedue,
      complete: datedue < today && random.chance(0.8),
      ownerid: project.managers[0] ?? 1,
    });
  }
}

function addRequest(data: Data, project: ProjectRow, random: Random): void {
  data.request.add({
    title: random.pick([
      'New text on the homepage',
      'Photo missing',
      'Wrong opening hours',
      'Form does not send',
      'Add the new branch',
    ]),
    description: '<p>Please have a look, thank you!</p>',
    projectid: project.id,
    personid: 7,
    datecreated: Math.min(data.today(), project.datestart + random.between(1, 60)),
    status: 'accepted',
  });
}

function yearOf(day: Day): number {
  return new Date(day * 86_400_000).getUTCFullYear();
}
