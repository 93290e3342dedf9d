/**
 * Everything one account holds, with the few lookups that records of different resources need of each other.
 * Applies no rule and writes no journal: see changes.ts for the way in.
 */
import type { Clock } from './clock.ts';
import { type Day, dayIn, type Seconds } from './days.ts';
import type * as rows from './records.ts';
import type { RowHistory } from './row-history.ts';
import { Table } from './table.ts';
import { TaskTable } from './task-table.ts';
import { TaskTexts } from './task-texts.ts';

export interface DataOptions {
  clock: Clock;
  timeZone: string;
  /** Composes the text of a generated title or summary from its phrase number. */
  titles: (code: number) => string;
  summaries: (code: number) => string;
  /** How many tasks to make room for. */
  tasks: number;
}

export class Data {
  /** Whether logging time on a task updates its `datemodified`: a quirk. */
  hoursModify = true;
  readonly clock: Clock;
  readonly timeZone: string;
  readonly client = new Table<rows.ClientRow>();
  readonly contactdescriptor = new Table<rows.ChoiceRow>();
  readonly contacttype = new Table<rows.ChoiceRow>();
  readonly document = new Table<rows.DocumentRow>();
  readonly expense = new Table<rows.ExpenseRow>();
  readonly group = new Table<rows.ChoiceRow>();
  readonly invoice = new Table<rows.InvoiceRow>();
  readonly invoiceitem = new Table<rows.InvoiceItemRow>();
  readonly invoicenote = new Table<rows.NoteRow>();
  readonly invoiceterm = new Table<rows.ChoiceRow>();
  readonly milestone = new Table<rows.MilestoneRow>();
  readonly milestonenote = new Table<rows.NoteRow>();
  readonly module = new Table<rows.ChoiceRow>();
  readonly payment = new Table<rows.PaymentRow>();
  readonly paymenttype = new Table<rows.ChoiceRow>();
  readonly person = new Table<rows.PersonRow>();
  readonly personcontact = new Table<rows.PersonContactRow>();
  readonly project = new Table<rows.ProjectRow>();
  readonly projectlabel = new Table<rows.ChoiceRow>();
  readonly projectmodule = new Table<rows.ProjectModuleRow>();
  readonly projectnote = new Table<rows.NoteRow>();
  readonly projectteam = new Table<rows.ProjectLinkRow>();
  readonly projectworktype = new Table<rows.ProjectLinkRow>();
  readonly request = new Table<rows.RequestRow>();
  readonly task: TaskTable;
  readonly tasklistfilter = new Table<rows.TaskListFilterRow>();
  readonly tasknote = new Table<rows.NoteRow>();
  readonly taskpriority = new Table<rows.ChoiceRow>();
  readonly taskstatus = new Table<rows.ChoiceRow>();
  readonly time = new Table<rows.TimeRow>();
  readonly timer = new Table<rows.TimerRow>();
  readonly worktype = new Table<rows.ChoiceRow>();

  readonly itemsOfInvoice = this.invoiceitem.groupBy((item) => item.invoiceid);
  readonly paymentsOfInvoice = this.payment.groupBy((payment) => payment.invoiceid);
  readonly timeOfTask = this.time.groupBy((entry) => entry.taskid);
  readonly timeOfProject = this.time.groupBy((entry) => entry.projectid);
  readonly notesOfTask = this.tasknote.groupBy((note) => note.on);
  readonly documentsOfTask = this.document.groupBy((document) => document.taskid);
  readonly teamOfProject = this.projectteam.groupBy((member) => member.projectid);
  readonly modulesOfProject = this.projectmodule.groupBy((module) => module.projectid);
  readonly contactsOfPerson = this.personcontact.groupBy((contact) => contact.personid);
  readonly timersOfPerson = this.timer.groupBy((timer) => timer.personid);

  /** Increases with every change: values derived from an older version may be stale. */
  version = 0;
  readonly taskTexts = new TaskTexts();
  /** Highest localid given per project. */
  readonly taskNumbers = new Map<number, number>();
  /** Tasks whose last change the index does not contain yet: the old value, and until when. */
  readonly lateIndex = new Map<number, { modified: Seconds; until: number }>();

  /** How many projects the plan lets be active. @default - any number */
  activeProjects: number | undefined;
  /** Earlier states of rows. @default - not kept */
  history: RowHistory | undefined;
  /** The active fault `lateModified`. */
  lag: { mode: 'stamp' | 'index'; ms: number } | undefined;

  readonly #moduleNames = new Map<number, string>();
  #namedAt = 0;
  readonly #day: (ms: number) => Day;

  constructor(options: DataOptions) {
    this.clock = options.clock;
    this.timeZone = options.timeZone;
    this.#day = dayIn(options.timeZone);
    this.task = new TaskTable(options.titles, options.summaries, options.tasks);
  }

  /** Must be called after a record was created, updated or deleted. */
  changed(resource: string, id: number): void {
    this.version++;
    this.taskTexts.changed(resource, id);
  }

  /** Today in the account's zone. */
  today(): Day {
    return this.#day(this.clock.now());
  }

  /** Now in whole seconds, as the API sends it. */
  seconds(): Seconds {
    return Math.floor(this.clock.now() / 1000);
  }

  nextTaskNumber(projectid: number): number {
    const number = (this.taskNumbers.get(projectid) ?? 0) + 1;
    this.taskNumbers.set(projectid, number);
    return number;
  }

  name(person: number): string {
    const row = this.person.get(person);
    if (row === undefined) return '';
    return row.lastname === '' ? row.firstname : `${row.firstname} ${row.lastname}`;
  }

  names(people: readonly number[]): string {
    return people.length === 1 ? this.name(people[0] ?? 0) : people.map((id) => this.name(id)).join(', ');
  }

  clientOf(projectid: number | null): rows.ClientRow | undefined {
    const clientid = projectid === null ? null : this.project.get(projectid)?.clientid;
    return clientid == null ? undefined : this.client.get(clientid);
  }

  labelOf(projectid: number): rows.ChoiceRow | undefined {
    const labelid = this.project.get(projectid)?.labelid;
    return labelid == null ? undefined : this.projectlabel.get(labelid);
  }

  /** The name a module goes by in a project, which may have renamed it. */
  moduleName(projectid: number, moduleid: number): string {
    if (this.#namedAt !== this.version) {
      this.#moduleNames.clear();
      this.#namedAt = this.version;
    }
    const key = projectid * 65_536 + moduleid;
    let name = this.#moduleNames.get(key);
    if (name === undefined) {
      name = this.module.get(moduleid)?.name ?? '';
      for (const assigned of this.modulesOfProject.each(projectid)) {
        if (assigned.moduleid === moduleid && assigned.module !== '') name = assigned.module;
      }
      this.#moduleNames.set(key, name);
    }
    return name;
  }

  closed(statusid: number): boolean {
    return this.taskstatus.get(statusid)?.value === 1;
  }

  overdue(task: rows.TaskRow): boolean {
    return task.datedue !== null && task.datedue < this.today() && !this.closed(task.statusid);
  }

  /** A person works with a project as a member of its team, as its manager, or as an Administrator. */
  canAccess(personid: number, projectid: number | null): boolean {
    if (projectid === null) return false;
    if (this.person.get(personid)?.groupid === 1) return true;
    if (this.project.get(projectid)?.managers.includes(personid)) return true;
    for (const member of this.teamOfProject.each(projectid)) if (member.otherid === personid) return true;
    return false;
  }

  /** The modification time that modified-since filters use for a task. */
  indexedModified(task: rows.TaskRow): Seconds {
    if (this.lateIndex.size === 0) return task.modified;
    const late = this.lateIndex.get(task.id);
    if (late === undefined) return task.modified;
    if (late.until > this.clock.now()) return late.modified;
    this.lateIndex.delete(task.id);
    return task.modified;
  }
}
