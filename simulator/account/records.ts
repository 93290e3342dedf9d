/**
 * The stored form of each record: numbers, days and cents. The API's text is derived from it.
 * Names of other records are not stored; they are joined when a record is read.
 */
import type { Day, Seconds } from './days.ts';

export interface Row {
  id: number;
}

export interface ClientRow extends Row {
  localid: number;
  name: string;
  description: string;
  website: string;
  email: string;
  phone: string;
  active: boolean;
  datecreated: Day;
}

export interface PersonRow extends Row {
  localid: number;
  clientid: number | null;
  title: string;
  firstname: string;
  lastname: string;
  primaryaccount: boolean;
  notes: string;
  allprojects: boolean;
  active: boolean;
  private: boolean;
  tips: boolean;
  username: string;
  password: string;
  email: string;
  groupid: number | null;
  numlogins: number;
  lastlogin: Seconds | null;
  timezone: string;
  restricttasks: boolean;
  calendarorientation: number;
  editordisabled: number;
  /** Cents an hour. */
  hourlyrate: number | null;
  cancomment: boolean;
}

export interface ProjectRow extends Row {
  localid: number;
  name: string;
  description: string;
  datestart: Day;
  dateend: Day | null;
  /** Thousandths of a percent; 0 is no alert. */
  alert_percent: number;
  alert_date: Day | null;
  active: boolean;
  billable: boolean;
  /** Hundredths of an hour or of the currency. */
  budget: number | null;
  clientid: number | null;
  labelid: number | null;
  managers: readonly number[];
}

export interface ProjectModuleRow extends Row {
  projectid: number;
  moduleid: number;
  module: string;
  description: string;
  active: boolean;
}

/** A task is a view on columns (see task-table.ts); to its users it is a record like the others. */
export interface TaskRow extends Row {
  localid: number;
  queueid: number | null;
  assignees: readonly number[];
  followers: readonly number[];
  owners: readonly number[];
  statusid: number;
  projectid: number;
  moduleid: number;
  milestoneid: number | null;
  priorityid: number;
  title: string;
  summary: string;
  dateopen: Day;
  datedue: Day | null;
  dateclosed: Day | null;
  datecreated: Day;
  /** Hundredths of an hour, as are billable and unbillable. */
  estimate: number;
  billable: number;
  unbillable: number;
  modified: Seconds;
}

export interface InvoiceRow extends Row {
  localid: number;
  projectid: number;
  date: Day;
  termid: number;
  termother: string;
  termotherdatedue: Day | null;
  title: string;
  description: string;
  addressfrom: string;
  addressto: string;
  purchaseorder: string;
  /** Thousandths of a percent. */
  tax: number | null;
  secondtax: number | null;
  secondtaxcompound: boolean;
  disclaimer: string;
  /** Decided when it was made: a freeform invoice never becomes a prefilled one. */
  prefilled: boolean;
  datebegin: Day | null;
  dateend: Day | null;
  /** What follows from items and payments, in cents; kept so that a list need not add them up again. */
  sums: InvoiceSums;
}

export interface InvoiceSums {
  items: number;
  subtotal: number;
  tax: number;
  secondtax: number;
  total: number;
  payments: number;
  /** Day of the payment that brought the balance to zero. */
  paid: Day | null;
}

export interface InvoiceItemRow extends Row {
  invoiceid: number;
  description: string;
  /** Hundredths. */
  quantity: number;
  /** Cents. */
  rate: number;
  /** Time entry it was imported from; null for a custom item, which a re-import keeps. */
  timeid: number | null;
}

export interface PaymentRow extends Row {
  invoiceid: number;
  date: Day;
  /** Cents; negative when money went back. */
  amount: number;
  paymenttypeid: number;
  note: string;
}

export interface TimeRow extends Row {
  projectid: number;
  taskid: number | null;
  moduleid: number;
  personid: number;
  worktypeid: number;
  date: Day;
  /** Hundredths of an hour. */
  time: number;
  billable: boolean;
  description: string;
  modified: Seconds;
}

export interface ExpenseRow extends Row {
  projectid: number;
  personid: number;
  date: Day;
  expense: string;
  /** Cents. */
  fee: number;
  note: string;
  billable: boolean;
}

export interface DocumentRow extends Row {
  personid: number;
  title: string;
  notes: string;
  filename: string;
  tags: readonly string[];
  public: boolean;
  active: boolean;
  version: number;
  uploaded: Day;
  modified: Seconds;
  taskid: number | null;
  milestoneid: number | null;
  queueid: number | null;
  projectid: number | null;
}

export interface MilestoneRow extends Row {
  localid: number;
  projectid: number;
  title: string;
  description: string;
  datedue: Day;
  complete: boolean;
  ownerid: number;
}

/** A remark of a person on a task, milestone, project or invoice. */
export interface NoteRow extends Row {
  /** The record it is about. */
  on: number;
  personid: number;
  note: string;
  public: boolean;
  modified: Seconds;
}

/** A row of one of the account's own lists: statuses, priorities, terms, modules, labels, types. */
export interface ChoiceRow extends Row {
  name: string;
  order: number;
  active: boolean;
  /** Display colour where the list has one. */
  color: string;
  /** Days of a term, rate in cents of a work type, 1 for the closed status, contact type of a descriptor. */
  value: number;
}

/** Who or what belongs to a project: a person of its team, a work type with its rate. */
export interface ProjectLinkRow extends Row {
  projectid: number;
  otherid: number;
  /** Cents an hour for work types. */
  rate: number | null;
}

export interface PersonContactRow extends Row {
  personid: number;
  contacttypeid: number;
  contactdescriptorid: number;
  contact: string;
}

export interface RequestRow extends Row {
  title: string;
  description: string;
  projectid: number;
  personid: number;
  datecreated: Day;
  status: string;
}

export interface TaskListFilterRow extends Row {
  personid: number;
  name: string;
  /** Task filters as a query string. */
  query: string;
}

export interface TimerRow extends Row {
  personid: number;
  taskid: number;
  start: Seconds;
}
