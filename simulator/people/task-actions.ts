/**
 * User actions on tasks: create, assign, log time, postpone, close, reopen, edit in bulk and, rarely, delete.
 * Every action goes through the account's rules.
 */
import type { Account } from '../account/account.ts';
import { formatDay } from '../account/days.ts';
import type { Body } from '../account/input.ts';
import type { TaskRow } from '../account/records.ts';
import { type Action, pickRecent } from './action.ts';
import { summaryPhrase, titlePhrase, workPhrase } from './phrases.ts';
import type { Random } from './random.ts';

const OPEN = 1;
const LAST_BEFORE_CLOSED = 6;
const CLOSED = 7;

export const taskActions: readonly (readonly [Action, number])[] = [
  [createTask, 14],
  [logTime, 24],
  [advanceStatus, 16],
  [close, 15],
  [assign, 9],
  [postponeDueDate, 12],
  [changePriority, 4],
  [changeEstimate, 4],
  [follow, 3],
  [retitle, 2],
  [reopen, 2],
  [bulkEdit, 0.7],
  [deleteTask, 0.8],
];

export function createTask(account: Account, random: Random): boolean {
  const { data } = account;
  const project = pickRecent(
    random,
    data.project.slots,
    (slot) => data.project.has(slot) && data.project.at(slot).active,
  );
  if (project === undefined) return false;
  const projectid = project + 1;
  const team = data.teamOfProject.of(projectid).map((member) => member.otherid);
  const modules = data.modulesOfProject.of(projectid).filter((module) => module.active && module.moduleid !== 0);
  const owner = data.project.get(projectid)?.managers[0] ?? 1;
  const today = data.today();
  account.create(
    'task',
    {
      projectid,
      moduleid: modules.length === 0 ? 1 : random.pick(modules).moduleid,
      title: titlePhrase(random.next() >>> 2),
      summary: random.chance(0.5) ? summaryPhrase(random.next() % 10_000) : '',
      statusid: OPEN,
      priorityid: random.between(1, data.taskpriority.count),
      ownerid: owner,
      assigneeid: team.length === 0 || random.chance(0.15) ? '' : random.pick(team),
      dateopen: formatDay(today),
      datedue: random.chance(0.85) ? formatDay(today + random.between(1, 21)) : '',
      estimate: random.between(1, 32) / 2,
    },
    { by: owner },
  );
  return true;
}

function logTime(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, (candidate) => candidate.assignees.length > 0);
  if (task === undefined) return false;
  const by = random.pick(task.assignees);
  account.create(
    'time',
    {
      taskid: task.id,
      personid: by,
      worktypeid: random.between(1, account.data.worktype.count),
      date: account.today(),
      time: random.between(1, 20) / 4,
      description: workPhrase(random.next()),
    },
    { by },
  );
  return true;
}

function advanceStatus(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, (candidate) => candidate.statusid < LAST_BEFORE_CLOSED);
  return task !== undefined && change(account, random, task, { statusid: task.statusid + 1 });
}

function close(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, (candidate) => candidate.statusid > OPEN || random.chance(0.2));
  return task !== undefined && change(account, random, task, { statusid: CLOSED });
}

function reopen(account: Account, random: Random): boolean {
  const task = pickTask(account, random, (candidate) => candidate.statusid === CLOSED);
  if (task === undefined) return false;
  const datedue = formatDay(account.data.today() + random.between(1, 10));
  return change(account, random, task, random.chance(0.6) ? { statusid: 2, datedue } : { statusid: 2 });
}

function assign(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, () => true);
  if (task === undefined) return false;
  const team = account.data.teamOfProject.of(task.projectid).map((member) => member.otherid);
  if (team.length === 0) return false;
  const people = random.chance(0.1)
    ? []
    : [...new Set([random.pick(team), ...(random.chance(0.2) ? [random.pick(team)] : [])])];
  if (people.join() === task.assignees.join()) return false;
  return change(account, random, task, { assigneeid: people.join() });
}

function postponeDueDate(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, (candidate) => candidate.datedue !== null || random.chance(0.1));
  if (task === undefined) return false;
  const from = Math.max(task.datedue ?? 0, account.data.today() - 3);
  return change(account, random, task, { datedue: formatDay(from + random.between(1, 14)) });
}

function changePriority(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, () => true);
  const priorityid = random.between(1, account.data.taskpriority.count);
  return task !== undefined && task.priorityid !== priorityid && change(account, random, task, { priorityid });
}

function changeEstimate(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, () => true);
  return task !== undefined && change(account, random, task, { estimate: random.between(1, 40) / 2 });
}

function follow(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, () => true);
  if (task === undefined) return false;
  const team = account.data.teamOfProject.of(task.projectid).map((member) => member.otherid);
  const person = team.length === 0 ? 1 : random.pick(team);
  if (task.followers.includes(person)) return false;
  return change(account, random, task, { followerid: [...task.followers, person].join() });
}

function retitle(account: Account, random: Random): boolean {
  const task = pickOpen(account, random, () => true);
  if (task === undefined) return false;
  const remark = random.pick([
    'round 2',
    'as discussed',
    'new photographs',
    'after the workshop',
    'shorter',
    'French & German',
  ]);
  const title = `${task.title.replace(/ \(.*\)$/, '')} (${remark})`;
  return title !== task.title && change(account, random, task, { title: title.slice(0, 255) });
}

/** One person, many tasks of one project, one instant. */
function bulkEdit(account: Account, random: Random): boolean {
  const { data } = account;
  const first = pickOpen(account, random, () => true);
  if (first === undefined) return false;
  const ids: number[] = [];
  for (let slot = data.task.slots - 1; slot >= 0 && slot > data.task.slots - 20_000 && ids.length < 120; slot--) {
    if (!data.task.has(slot)) continue;
    const task = data.task.at(slot);
    if (task.projectid === first.projectid && !data.closed(task.statusid)) ids.push(task.id);
  }
  if (ids.length < 3) return false;
  const body = random.pick<Body>([
    { datedue: formatDay(data.today() + random.between(5, 30)) },
    { priorityid: random.between(1, 5) },
    { statusid: random.between(1, CLOSED) },
  ]);
  account.bulkEdit('task', ids, body, { by: data.project.get(first.projectid)?.managers[0] ?? 1 });
  return true;
}

function deleteTask(account: Account, random: Random): boolean {
  const task = pickTask(account, random, () => true);
  if (task === undefined || account.data.task.count < 5) return false;
  account.remove('task', task.id, { by: task.owners[0] ?? 1 });
  return true;
}

/** By a person involved in the task. */
function change(account: Account, random: Random, task: TaskRow, body: Body): boolean {
  account.update('task', task.id, body, { by: random.pick([...task.owners, ...task.assignees]) });
  return true;
}

function pickOpen(account: Account, random: Random, test: (task: TaskRow) => boolean): TaskRow | undefined {
  return pickTask(account, random, (task) => !account.data.closed(task.statusid) && test(task));
}

function pickTask(account: Account, random: Random, test: (task: TaskRow) => boolean): TaskRow | undefined {
  const { task } = account.data;
  const slot = pickRecent(random, task.slots, (candidate) => task.has(candidate) && test(task.at(candidate)));
  return slot === undefined ? undefined : task.get(slot + 1);
}
