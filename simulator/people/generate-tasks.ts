/**
 * The agency's tasks and the hours logged on them, oldest first: most old ones are closed, most new ones are not.
 * Fills tables directly: a generated account has no journal yet.
 */
import type { Data } from '../account/data.ts';
import type { Day } from '../account/days.ts';
import type { ProjectRow, TaskRow } from '../account/records.ts';
import { workPhrase } from './phrases.ts';
import type { Random } from './random.ts';
import type { Size } from './size.ts';

const CLOSED = 7;
/** A generated summary: see PhrasedTexts. */
const NO_TEXT = 0x7fff_ffff;
const DAY_SECONDS = 86_400;

interface ProjectContext {
  readonly project: ProjectRow;
  readonly team: readonly number[];
  readonly modules: readonly number[];
  readonly milestones: readonly number[];
  readonly request: number | null;
}

export function generateTasks(data: Data, size: Size, history: number, random: Random): void {
  const scenes = projectContexts(data);
  const today = data.today();
  const reach = Math.max(3, Math.floor(scenes.length * 0.15));
  for (let i = 0; i < size.tasks; i++) {
    const part = i / size.tasks;
    const created = today - history + Math.floor(part * (history + 1));
    const index = Math.max(0, Math.floor(part * scenes.length) - Math.floor(random.unit() * reach));
    const scene = scenes[index];
    if (scene !== undefined) addTask(data, scene, created, today, random);
  }
  generateTime(data, size, random);
  generateTimers(data, random);
}

/** What tasks of a project draw on, gathered once: a million of them ask. */
function projectContexts(data: Data): ProjectContext[] {
  const milestones = new Map<number, number[]>();
  for (const row of data.milestone) milestones.set(row.projectid, [...(milestones.get(row.projectid) ?? []), row.id]);
  const requests = new Map([...data.request].map((request) => [request.projectid, request.id]));
  return [...data.project].map((project) => ({
    project,
    team: data.teamOfProject.of(project.id).map((member) => member.otherid),
    modules: data.modulesOfProject.of(project.id).flatMap((module) => (module.moduleid === 0 ? [] : [module.moduleid])),
    milestones: milestones.get(project.id) ?? [],
    request: requests.get(project.id) ?? null,
  }));
}

function addTask(data: Data, scene: ProjectContext, created: Day, today: Day, random: Random): void {
  const { project, team } = scene;
  const age = today - created;
  const closed = !random.chance(0.03 + 0.9 * Math.exp(-age / 45));
  const dateopen = created + (random.chance(0.5) ? 0 : random.between(1, 6));
  let datedue = random.chance(0.86) ? dateopen + random.between(2, 30) : null;
  // Work that drags on is mostly rescheduled; what is not stays overdue.
  if (!closed && datedue !== null && datedue < today && random.chance(0.65)) datedue = today + random.between(-4, 30);
  const dateclosed = closed ? Math.min(today, Math.max(created, (datedue ?? dateopen) + random.between(-6, 8))) : null;
  const first = random.pick(team);
  const assignees = random.chance(0.07) ? [] : [first];
  const second = random.pick(team);
  if (assignees.length === 1 && second !== first && random.chance(0.2)) assignees.push(second);
  const follower = random.pick(team);
  const owner = project.managers[0] ?? 1;
  const touched = dateclosed ?? Math.min(today, created + Math.floor(random.unit() * (age + 1)));
  data.task.addPhrased({
    localid: data.nextTaskNumber(project.id),
    queueid: scene.request !== null && random.chance(0.2) ? scene.request : null,
    assignees,
    followers: follower !== first && random.chance(0.25) ? [follower] : [],
    owners: second !== owner && random.chance(0.05) ? [owner, second] : [owner],
    statusid: closed ? CLOSED : random.chance(0.4) ? 1 : random.between(2, 6),
    projectid: project.id,
    moduleid: random.pick(scene.modules),
    milestoneid: scene.milestones.length > 0 && random.chance(0.45) ? random.pick(scene.milestones) : null,
    priorityid: 1 + Math.floor((random.unit() + random.unit()) * 2.5),
    title: random.next() >>> 2,
    summary: random.chance(0.35) ? NO_TEXT : random.next() % 10_000,
    dateopen,
    datedue,
    dateclosed,
    datecreated: created,
    estimate: random.chance(0.8) ? random.between(1, 48) * 50 : 0,
    billable: 0,
    unbillable: 0,
    modified: Math.min(data.seconds() - 60, touched * DAY_SECONDS + random.between(7 * 3600, 18 * 3600)),
  });
}

/** Hours on the younger tasks; a large account's older hours are taken as settled long ago. */
function generateTime(data: Data, size: Size, random: Random): void {
  const today = data.today();
  const reach = Math.min(data.task.count, size.timeEntries);
  for (let i = 0; i < size.timeEntries && reach > 0; i++) {
    const task = data.task.get(data.task.slots - random.between(0, reach - 1));
    if (task === undefined) continue;
    const last = Math.max(task.datecreated, Math.min(today, task.dateclosed ?? today));
    const date = random.between(task.datecreated, Math.min(last, task.datecreated + 40));
    const time = random.between(1, 24) * 25;
    const billable = random.chance(0.82) && data.project.get(task.projectid)?.billable === true;
    if (billable) task.billable += time;
    else task.unbillable += time;
    const modified = Math.min(data.seconds() - 60, date * DAY_SECONDS + random.between(8 * 3600, 19 * 3600));
    task.modified = Math.max(task.modified, modified);
    data.time.add({
      projectid: task.projectid,
      taskid: task.id,
      moduleid: task.moduleid,
      personid: worker(task, random),
      worktypeid: random.between(1, data.worktype.count),
      date,
      time,
      billable,
      description: workPhrase(random.next()),
      modified,
    });
  }
}

function worker(task: TaskRow, random: Random): number {
  return task.assignees.length > 0 ? random.pick(task.assignees) : random.pick(task.owners);
}

function generateTimers(data: Data, random: Random): void {
  for (const person of data.person) {
    if (person.groupid !== 3 || !random.chance(0.3)) continue;
    const taskid = random.between(Math.max(1, data.task.slots - 200), data.task.slots);
    data.timer.add({ personid: person.id, taskid, start: data.seconds() - random.between(60, 20_000) });
  }
  const savedFilters = [
    ['My open work', 'excludeclosed=t'],
    ['Overdue', 'overdue=t'],
    ['Top priority, not started', 'priorityid=1,2&statusid=1'],
  ] as const;
  for (const [name, query] of savedFilters) data.tasklistfilter.add({ personid: 1, name, query });
}
