/**
 * What the token's person sees changes while their role stays the same: they join a project that is not new, they leave it, or a
 * restriction to their own tasks is lifted. Nothing of that creates or deletes a record.
 */

import type { Account, Simulator } from '../../simulator/simulator.ts';
import type { ScheduledFault } from './fault-schedule.ts';
import type { RawRecord, Sight } from './observation.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** Shares of the fault at which a hidden project comes into sight, and goes out of it. */
const JOINS_AT = 0.4;
const LEAVES_AT = 0.7;
/** The share at which the restriction ends. */
const LIFTED_AT = 0.6;

/** How likely somebody adds a task to the hidden project between two polls. */
const HIDDEN_TASK_SHARE = 0.1;

/** Returns a function that applies what the fault hides by then, and says what the token's person sees. */
export function changingSight(
  simulator: Simulator,
  seed: number,
): (fault: ScheduledFault | undefined, now: number, person: string) => Sight {
  const { account } = simulator;
  const chance = seededRandom(seed + 5);
  let current: ScheduledFault | undefined;
  let project = '';
  let sight: Sight = { since: new Date(account.clock.now()).toISOString() };
  return (fault, now, person) => {
    if (fault !== current) {
      current = fault;
      if (fault?.sight === 'project') project = createProject(account, chance);
    }
    const share = fault === undefined ? 1 : (now - fault.from) / (fault.until - fault.from);
    const isHidden = fault?.sight === 'project' && (share < JOINS_AT || share >= LEAVES_AT);
    const isRestricted = fault?.sight === 'own tasks' && share < LIFTED_AT;
    if (isHidden && share < JOINS_AT && chance.unit() < HIDDEN_TASK_SHARE) createTask(account, project, chance);
    if (isHidden !== (sight.hiddenProject !== undefined))
      simulator.setFaults({ lostProject: isHidden ? { project: Number(project) } : false });
    if (isRestricted !== (sight.ownTasksOf !== undefined))
      restrict(account, isRestricted ? person : (sight.ownTasksOf ?? ''), isRestricted);
    const isSame =
      isHidden === (sight.hiddenProject !== undefined) && isRestricted === (sight.ownTasksOf !== undefined);
    if (isSame) return sight;
    sight = {
      since: new Date(now).toISOString(),
      ...(isHidden ? { hiddenProject: project } : {}),
      ...(isRestricted ? { ownTasksOf: person } : {}),
    };
    return sight;
  };
}

/** Whether the API shows the record. */
export function isInSight(resource: string, record: RawRecord, { hiddenProject, ownTasksOf }: Sight): boolean {
  if (hiddenProject !== undefined && (resource === 'project' ? record.id : record.projectid) === hiddenProject)
    return false;
  if (ownTasksOf === undefined || resource !== 'task') return true;
  return [record.ownerid, record.assigneeid].some((people) => (people ?? '').split(',').includes(ownTasksOf));
}

/** The API cannot set it. Only Administrators and Managers see it, and the fault ends before they do. */
function restrict(account: Account, person: string, isRestricted: boolean): void {
  const row = account.data.person.get(Number(person));
  if (row !== undefined) row.restricttasks = isRestricted;
}

/** A project with tasks, some of which are due: it exists before the person sees it. */
function createProject(account: Account, chance: SeededRandom): string {
  const [client] = account.list('client', { active: 't' });
  const manager = account.list('person').find(({ groupid, active }) => active === 't' && groupid === '2');
  const { id } = account.create('project', {
    name: 'Behind closed doors',
    clientid: client?.id ?? '',
    managerid: manager?.id ?? '',
    datestart: account.today(),
    dateend: dayFromToday(account, 3),
    budget: 40,
    alert_percent: 80,
  });
  for (const moduleid of [1, 2, 8])
    account.create('projectmodule', { projectid: id ?? '', moduleid: String(moduleid), active: 't' });
  for (let task = 0; task < 3; task++) createTask(account, id ?? '', chance);
  return id ?? '';
}

function createTask(account: Account, projectid: string, chance: SeededRandom): void {
  const people = account.list('person').filter(({ groupid, active }) => active === 't' && groupid === '3');
  const [sample] = account.list('task', { excludeclosed: 't', limit: '1' });
  account.create('task', {
    ...{ projectid, moduleid: '1', statusid: '1', priorityid: '2', title: 'Behind closed doors' },
    ownerid: sample?.ownerid?.split(',')[0] ?? '1',
    assigneeid: chance.pick(people)?.id ?? '',
    dateopen: account.today(),
    datedue: dayFromToday(account, Math.floor(chance.unit() * 5) - 1),
  });
}

function dayFromToday(account: Account, days: number): string {
  return new Date(Date.parse(`${account.today()}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
