/**
 * What happens when a task is made, changed or removed: numbers, closing dates, notes, and the stamp of its last change.
 * Hours on a task come from time entries: see work-rules.ts.
 */
import { forbidden, invalid } from '../../request-error.ts';
import { encodeEntities } from '../../resources/entities.ts';
import type { WriteContext } from '../changes.ts';
import type { Data } from '../data.ts';
import { formatDay } from '../days.ts';
import { formatHundredths } from '../decimals.ts';
import type { Input } from '../input.ts';
import type { TaskRow } from '../records.ts';
import type { WriteRules } from './rules.ts';

/** Stamps a task as changed now, or as the switches for late stamps and late indexes have it. */
export function touch(task: TaskRow, data: Data): void {
  const now = data.seconds();
  const { lag } = data;
  if (lag?.mode === 'index') {
    const indexed = data.indexedModified(task);
    data.lateIndex.set(task.id, { modified: indexed, until: data.clock.now() + lag.ms });
  }
  task.modified = lag?.mode === 'stamp' ? now - Math.floor(lag.ms / 1000) : now;
}

export const taskRules: WriteRules<TaskRow> = {
  create(input, act) {
    const { data } = act;
    checkOwner(undefined, input, act);
    checkEstimate(input);
    const projectid = input.number('projectid') ?? 0;
    checkMilestone(input.number('milestoneid'), projectid, data);
    const statusid = input.number('statusid') ?? 0;
    const task = data.task.add({
      localid: data.nextTaskNumber(projectid),
      queueid: null,
      assignees: input.list('assigneeid'),
      followers: input.list('followerid'),
      owners: input.list('ownerid'),
      statusid,
      projectid,
      moduleid: input.number('moduleid') ?? 0,
      milestoneid: input.number('milestoneid'),
      priorityid: input.number('priorityid') ?? 0,
      title: input.text('title'),
      summary: input.text('summary'),
      dateopen: input.number('dateopen') ?? data.today(),
      datedue: input.number('datedue'),
      dateclosed: input.number('dateclosed') ?? (data.closed(statusid) ? data.today() : null),
      datecreated: data.today(),
      estimate: input.number('estimate') ?? 0,
      billable: 0,
      unbillable: 0,
      modified: 0,
    });
    touch(task, data);
    // A late index does not contain a new task yet.
    const late = data.lateIndex.get(task.id);
    if (late !== undefined) data.lateIndex.set(task.id, { ...late, modified: 0 });
    act.changes.created('task', task, act);
    addNote(task, 'Task created', act);
    act.changes.notify(act, concerned(task), `New task: ${task.title}`);
    return task;
  },

  update(task, input, act) {
    const { data } = act;
    checkOwner(task, input, act);
    checkEstimate(input);
    const projectid = input.number('projectid') ?? task.projectid;
    const milestoneid = input.has('milestoneid') ? input.number('milestoneid') : task.milestoneid;
    if (projectid === task.projectid || input.has('milestoneid')) checkMilestone(milestoneid, projectid, data);
    const before = describe(task, data);
    act.changes.updated('task', task, act, () => {
      // A milestone belongs to its project: a task that moves leaves it behind unless another is named.
      if (projectid !== task.projectid) {
        task.localid = data.nextTaskNumber(projectid);
        if (!input.has('milestoneid')) task.milestoneid = null;
      }
      const wasClosed = data.closed(task.statusid);
      assign(task, input);
      const isClosed = data.closed(task.statusid);
      if (!input.has('dateclosed') && wasClosed !== isClosed) task.dateclosed = isClosed ? data.today() : null;
      touch(task, data);
    });
    const after = describe(task, data);
    const lines = Object.keys(after).filter((what) => before[what] !== after[what]);
    if (lines.length === 0) return;
    // A note is HTML: what people typed must not become markup.
    const orNone = (value: string | undefined) => encodeEntities(value || 'none');
    addNote(task, lines.map((what) => `${what}: ${orNone(before[what])} → ${orNone(after[what])}`).join('<br />'), act);
    act.changes.notify(act, concerned(task), `Task changed: ${task.title}`);
  },

  remove(task, act) {
    const { data, changes } = act;
    for (const note of data.notesOfTask.of(task.id)) changes.deleted('tasknote', note, act);
    // The hours were worked, so they stay with the project.
    for (const entry of data.timeOfTask.of(task.id)) {
      changes.updated('time', entry, act, () => data.time.move(entry, () => Object.assign(entry, { taskid: null })));
    }
    for (const document of data.documentsOfTask.of(task.id)) {
      changes.updated('document', document, act, () =>
        data.document.move(document, () => Object.assign(document, { taskid: null, projectid: task.projectid })),
      );
    }
    for (const timer of [...data.timer]) if (timer.taskid === task.id) changes.deleted('timer', timer, act);
    changes.deleted('task', task, act);
    data.lateIndex.delete(task.id);
  },
};

function assign(task: TaskRow, input: Input): void {
  if (input.has('assigneeid')) task.assignees = input.list('assigneeid');
  if (input.has('followerid')) task.followers = input.list('followerid');
  if (input.has('ownerid')) task.owners = input.list('ownerid');
  if (input.has('title')) task.title = input.text('title');
  if (input.has('summary')) task.summary = input.text('summary');
  if (input.has('estimate')) task.estimate = input.number('estimate') ?? 0;
  for (const name of ['milestoneid', 'datedue', 'dateclosed'] as const) {
    if (input.has(name)) task[name] = input.number(name);
  }
  for (const name of ['statusid', 'projectid', 'moduleid', 'priorityid', 'dateopen'] as const) {
    const value = input.number(name);
    if (value !== null) task[name] = value;
  }
}

/** "A Resource user may not set the owner of a new task to anyone but themselves and may not change the owner of an existing task" */
function checkOwner(task: TaskRow | undefined, input: Input, act: WriteContext): void {
  if (act.role !== 'Resource' || !input.has('ownerid')) return;
  const owners = input.list('ownerid').join();
  const allowed = task === undefined ? String(act.by) : task.owners.join();
  if (owners !== allowed) {
    throw forbidden(`ownerid: a Resource user may only ${task ? 'keep the owner of a task' : 'own a new task alone'}`);
  }
}

function checkMilestone(milestoneid: number | null, projectid: number, data: Data): void {
  if (milestoneid === null) return;
  const milestone = data.milestone.get(milestoneid);
  if (milestone !== undefined && milestone.projectid !== projectid) {
    throw invalid(
      'milestoneid',
      `milestone ${milestoneid} belongs to project ${milestone.projectid}, not ${projectid}`,
    );
  }
}

/** Maximum of the column, in hundredths of an hour. */
function checkEstimate(input: Input): void {
  const estimate = input.number('estimate');
  if (estimate !== null && (estimate < 0 || estimate > 100_000_000)) {
    throw invalid('estimate', `expected 0 to 1000000 hours, got ${formatHundredths(estimate)}`);
  }
}

/** The changes that a note lists. */
function describe(task: TaskRow, data: Data): Record<string, string> {
  const day = (value: number | null) => (value === null ? '' : formatDay(value));
  return {
    Title: task.title,
    Status: data.taskstatus.get(task.statusid)?.name ?? '',
    Priority: data.taskpriority.get(task.priorityid)?.name ?? '',
    Project: data.project.get(task.projectid)?.name ?? '',
    Module: data.module.get(task.moduleid)?.name ?? '',
    Milestone: (task.milestoneid === null ? undefined : data.milestone.get(task.milestoneid)?.title) ?? '',
    Assignees: data.names(task.assignees),
    Followers: data.names(task.followers),
    Owners: data.names(task.owners),
    'Start date': day(task.dateopen),
    'Due date': day(task.datedue),
    'Date closed': day(task.dateclosed),
    Estimate: formatHundredths(task.estimate),
  };
}

function addNote(task: TaskRow, text: string, act: WriteContext): void {
  if (!act.notes) return;
  const note = { on: task.id, personid: act.by, note: text, public: false, modified: act.data.seconds() };
  act.changes.created('tasknote', act.data.tasknote.add(note), act);
}

function concerned(task: TaskRow): number[] {
  return [...new Set([...task.owners, ...task.assignees, ...task.followers])];
}
