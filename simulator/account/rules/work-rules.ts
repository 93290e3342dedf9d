/**
 * What happens when time is logged, and when milestones, expenses and documents change.
 * Updates the task or project concerned, too; invoices import time by their own rules.
 */
import { forbidden, invalid } from '../../request-error.ts';
import type { WriteContext } from '../changes.ts';
import { percentOf } from '../decimals.ts';
import type { Input } from '../input.ts';
import type { ChoiceRow, DocumentRow, ExpenseRow, MilestoneRow, ProjectLinkRow, TimeRow } from '../records.ts';
import { nextLocalid, plainRules, sentValues, type WriteRules } from './rules.ts';
import { touch } from './task-rules.ts';

const HOURS_OF_A_DAY = 2400;

export const timeRules: WriteRules<TimeRow> = {
  create(input, act) {
    const { data, changes } = act;
    const taskid = input.number('taskid');
    const task = taskid === null ? undefined : data.task.get(taskid);
    const projectid = task?.projectid ?? input.number('projectid');
    if (projectid === null) throw invalid('projectid', 'is required when no taskid is given');
    const entry = changes.created(
      'time',
      data.time.add({
        projectid,
        taskid,
        moduleid: input.number('moduleid') ?? task?.moduleid ?? 1,
        personid: checkPerson(input.number('personid') ?? act.by, act),
        worktypeid: input.number('worktypeid') ?? 1,
        date: input.number('date') ?? data.today(),
        time: checkHours(input),
        billable: input.has('billable') ? input.flag('billable') : (data.project.get(projectid)?.billable ?? true),
        description: input.text('description'),
        modified: data.seconds(),
      }),
      act,
    );
    addHours(entry, 1, act);
    alertManagers(projectid, act);
    return entry;
  },
  update(entry, input, act) {
    if (input.has('time')) checkHours(input);
    checkPerson(entry.personid, act);
    const before = { ...entry };
    const sent = sentValues<TimeRow>(input, entry, ['projectid', 'moduleid', 'personid']);
    const task = sent.taskid == null ? undefined : act.data.task.get(sent.taskid);
    if (task !== undefined) Object.assign(sent, { projectid: task.projectid });
    act.changes.updated('time', entry, act, () => {
      act.data.time.move(entry, () => Object.assign(entry, sent, { modified: act.data.seconds() }));
    });
    const same = before.taskid === entry.taskid && before.time === entry.time && before.billable === entry.billable;
    if (same) return;
    addHours(before, -1, act);
    addHours(entry, 1, act);
  },
  remove(entry, act) {
    checkPerson(entry.personid, act);
    act.changes.deleted('time', entry, act);
    addHours(entry, -1, act);
  },
};

function checkHours(input: Input): number {
  const hours = input.number('time') ?? 0;
  if (hours <= 0 || hours > HOURS_OF_A_DAY) throw invalid('time', 'expected more than 0 and at most 24 hours');
  return hours;
}

/** A Resource user may edit only their own hours. */
function checkPerson(personid: number, act: WriteContext): number {
  if (act.role === 'Resource' && personid !== act.by)
    throw forbidden('personid: a Resource user logs their own time only');
  return personid;
}

/** Hours show on the task. Whether that modifies the task is a quirk. */
function addHours(entry: TimeRow, sign: 1 | -1, act: WriteContext): void {
  const task = entry.taskid === null ? undefined : act.data.task.get(entry.taskid);
  if (task === undefined) return;
  act.changes.updated('task', task, act, () => {
    if (entry.billable) task.billable += sign * entry.time;
    else task.unbillable += sign * entry.time;
    if (act.data.hoursModify) touch(task, act.data);
  });
}

/** "A budget alert is sent to the project manager when this percentage of the budget is reached": once. */
function alertManagers(projectid: number, act: WriteContext): void {
  const project = act.data.project.get(projectid);
  if (project === undefined || project.alert_percent === 0 || !project.budget || project.alert_date !== null) return;
  const spent = act.data.timeOfProject.of(projectid).reduce((sum, entry) => sum + entry.time, 0);
  if (spent < percentOf(project.budget, project.alert_percent)) return;
  act.changes.updated('project', project, act, () => Object.assign(project, { alert_date: act.data.today() }));
  act.changes.notify({ ...act, notify: true }, project.managers, `Budget alert: ${project.name}`);
}

const plainMilestone = plainRules<MilestoneRow>('milestone', ({ data, by }) => ({
  localid: nextLocalid(data.milestone),
  projectid: 0,
  title: '',
  description: '',
  datedue: data.today(),
  complete: false,
  ownerid: by,
}));

export const milestoneRules: WriteRules<MilestoneRow> = {
  create: plainMilestone.create,
  update(milestone, input, act) {
    const before = { ...milestone };
    plainMilestone.update(milestone, input, act);
    const changed = input.names().filter((name) => Reflect.get(before, name) !== Reflect.get(milestone, name));
    if (!act.notes || changed.length === 0) return;
    const note = `Changed: ${changed.join(', ')}`;
    const row = { on: milestone.id, personid: act.by, note, public: false, modified: act.data.seconds() };
    act.changes.created('milestonenote', act.data.milestonenote.add(row), act);
  },
  remove(milestone, act) {
    for (let slot = 0; slot < act.data.task.slots; slot++) {
      if (act.data.task.has(slot) && act.data.task.at(slot).milestoneid === milestone.id) {
        throw invalid('id', `milestone ${milestone.id} still has tasks`);
      }
    }
    plainMilestone.remove(milestone, act);
  },
};

export const expenseRules = plainRules<ExpenseRow>(
  'expense',
  ({ data, by }) => ({
    projectid: 0,
    personid: by,
    date: data.today(),
    expense: '',
    fee: 0,
    note: '',
    billable: true,
  }),
  ['personid'],
);

const plainDocument = plainRules<DocumentRow>('document', ({ data, by }) => ({
  personid: by,
  title: '',
  notes: '',
  filename: '',
  tags: [],
  public: false,
  active: true,
  version: 1,
  uploaded: data.today(),
  modified: data.seconds(),
  taskid: null,
  milestoneid: null,
  queueid: null,
  projectid: null,
}));

export const documentRules: WriteRules<DocumentRow> = {
  ...plainDocument,
  update(document, input, act) {
    // A change is a new version of the document.
    act.changes.updated('document', document, act, () => {
      act.data.document.move(document, () => {
        Object.assign(document, sentValues(input, document), { modified: act.data.seconds() });
        document.version++;
      });
    });
  },
};

export const teamRules = plainRules<ProjectLinkRow>('projectteam', () => ({ projectid: 0, otherid: 0, rate: null }));

/** Rows of the account's own lists, which the control API may extend and rename. */
export function choiceRules(
  name:
    | 'contactdescriptor'
    | 'contacttype'
    | 'group'
    | 'invoiceterm'
    | 'module'
    | 'paymenttype'
    | 'projectlabel'
    | 'taskpriority'
    | 'taskstatus'
    | 'worktype',
): WriteRules<ChoiceRow> {
  return plainRules<ChoiceRow>(name, ({ data }) => ({
    name: '',
    order: data[name].count + 1,
    active: true,
    color: '',
    value: 0,
  }));
}
