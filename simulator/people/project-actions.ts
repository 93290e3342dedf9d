/**
 * User actions on projects, clients, milestones, documents and people.
 * Every action goes through the account's rules.
 */
import type { Account } from '../account/account.ts';
import { formatDay } from '../account/days.ts';
import type { Row } from '../account/records.ts';
import type { Table } from '../account/table.ts';
import { type Action, pickRecent } from './action.ts';
import { plainName } from './generate-people.ts';
import type { Random } from './random.ts';
import * as vocabulary from './vocabulary.ts';

export const projectActions: readonly (readonly [Action, number])[] = [
  [createProject, 0.6],
  [renameProject, 0.6],
  [archiveProject, 0.6],
  [reactivateProject, 0.2],
  [budgetProject, 1],
  [createClient, 0.2],
  [renameClient, 0.3],
  [hire, 0.15],
  [deactivatePerson, 0.12],
  [completeMilestone, 1],
  [upload, 1],
];

export function createProject(account: Account, random: Random): boolean {
  const { data } = account;
  const today = data.today();
  const managers = [...data.person].filter((person) => person.active && (person.groupid === 1 || person.groupid === 2));
  const manager = random.pick(managers).id;
  const project = account.create('project', {
    name: random.pick(vocabulary.PROJECTS),
    clientid: pick(random, data.client, (client) => client.active)?.id ?? '',
    managerid: manager,
    datestart: formatDay(today),
    dateend: formatDay(today + random.between(30, 200)),
    budget: random.between(20, 400),
    alert_percent: 80,
  });
  const staff = [...data.person].filter((person) => person.active && person.groupid === 3);
  for (const person of new Set([random.pick(staff), random.pick(staff), random.pick(staff)])) {
    account.create('projectteam', { projectid: project.id, otherid: person.id });
  }
  for (const moduleid of [1, 2, 8]) account.create('projectmodule', { projectid: project.id, moduleid, active: 't' });
  return true;
}

function renameProject(account: Account, random: Random): boolean {
  const project = pick(random, account.data.project, (candidate) => candidate.active);
  if (project === undefined) return false;
  const name = random.chance(0.5)
    ? `${project.name.split(' – ')[0]} – phase ${random.between(2, 4)}`
    : random.pick(vocabulary.PROJECTS);
  if (name === project.name) return false;
  account.rename('project', project.id, name.slice(0, 255));
  return true;
}

function archiveProject(account: Account, random: Random): boolean {
  const project = pick(random, account.data.project, (candidate) => candidate.active);
  if (project === undefined || account.list('project', { active: 't', limit: '3' }).length < 3) return false;
  account.update('project', project.id, { active: 'f' });
  return true;
}

function reactivateProject(account: Account, random: Random): boolean {
  const project = pick(random, account.data.project, (candidate) => !candidate.active);
  if (project === undefined) return false;
  account.update('project', project.id, {
    active: 't',
    dateend: formatDay(account.data.today() + random.between(20, 90)),
  });
  return true;
}

function budgetProject(account: Account, random: Random): boolean {
  const project = pick(random, account.data.project, (candidate) => candidate.active);
  if (project === undefined) return false;
  const labelid = random.between(1, account.data.projectlabel.count);
  account.update('project', project.id, random.chance(0.5) ? { budget: random.between(20, 600) } : { labelid });
  return true;
}

export function createClient(account: Account, random: Random): boolean {
  const name = `${random.pick(vocabulary.HOUSES)} ${random.pick(vocabulary.TRADES)}`;
  account.create('client', { name, email: `office@${plainName(name)}.example` });
  return true;
}

function renameClient(account: Account, random: Random): boolean {
  const client = pick(random, account.data.client, (candidate) => candidate.active);
  if (client === undefined) return false;
  account.rename('client', client.id, `${random.pick(vocabulary.HOUSES)} ${random.pick(vocabulary.TRADES)}`);
  return true;
}

export function hire(account: Account, random: Random): boolean {
  const firstname = random.pick(vocabulary.FIRST_NAMES);
  const lastname = random.pick(vocabulary.LAST_NAMES);
  const username = plainName(`${firstname}${lastname}`);
  const email = `${username}@agency.example`;
  account.create('person', {
    firstname,
    lastname,
    username,
    email,
    groupid: 3,
    title: random.pick(vocabulary.JOB_TITLES),
  });
  return true;
}

function deactivatePerson(account: Account, random: Random): boolean {
  // Never the first ten: their tokens are in use.
  const person = pick(random, account.data.person, (candidate) => candidate.active && candidate.id > 10);
  if (person === undefined) return false;
  account.update('person', person.id, { active: 'f' });
  return true;
}

function completeMilestone(account: Account, random: Random): boolean {
  const milestone = pick(random, account.data.milestone, (candidate) => !candidate.complete);
  if (milestone === undefined) return false;
  account.update('milestone', milestone.id, { complete: 't' }, { by: milestone.ownerid });
  return true;
}

export function upload(account: Account, random: Random): boolean {
  const [title, filename] = random.pick(vocabulary.DOCUMENTS);
  const project = pick(random, account.data.project, (candidate) => candidate.active);
  if (project === undefined) return false;
  const isPublic = random.chance(0.4) ? 't' : 'f';
  account.create(
    'document',
    { title, filename, projectid: project.id, public: isPublic },
    { by: project.managers[0] ?? 1 },
  );
  return true;
}

function pick<R extends Row>(random: Random, table: Table<R>, test: (row: R) => boolean): R | undefined {
  const slot = pickRecent(random, table.slots, (at) => table.has(at) && test(table.at(at)));
  return slot === undefined ? undefined : table.at(slot);
}
