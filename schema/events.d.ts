/**
 * The types of all events, generated from schema/events by `npm run generate`.
 *
 * `TidingsEvents` is the union of all of them: compare `type` to narrow it to one event.
 */

/**
 * Any JSON value.
 */
export type Value =
  | (string | number | boolean | null)
  | Value[]
  | {
      [k: string]: Value | undefined;
    };

/**
 * The fields that all events have.
 */
export interface Envelope {
  specversion: '1.0';
  id: string;
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
}
export interface Change {
  field: string;
  from: Value;
  to: Value;
}
/**
 * The change happened after the last scan that would have shown it (null if unknown) and before the response that showed it.
 */
export interface Occurred {
  after: string | null;
  before: string;
}
/**
 * The person who made the change. Present only if the source has attribution enabled and the author is certain.
 */
export interface Author {
  id: string;
  name: string | null;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface TaskRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  localid?: string | null;
  queueid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assigneeid?: string[];
  statusid?: string | null;
  projectid?: string | null;
  moduleid?: string | null;
  title?: string | null;
  summary?: string | null;
  dateopen?: string | null;
  datedue?: string | null;
  dateclosed?: string | null;
  estimate?: number | null;
  /**
   * Absent when the token's role is Executive.
   */
  ownerid?: string[];
  priorityid?: string | null;
  datemodified?: string | null;
  color?: string | null;
  priority?: number | null;
  severity?: string | null;
  status?: string | null;
  status_order?: number | null;
  project?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  client?: string | null;
  milestoneid?: string | null;
  milestone?: string | null;
  module?: string | null;
  projectlocalid?: string | null;
  /**
   * Absent when the token's role is Executive.
   */
  assignees?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followers?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  followerid?: string[];
  /**
   * Absent when the token's role is Executive.
   */
  owners?: string[];
  billable?: number | null;
  unbillable?: number | null;
  actual?: number | null;
  datecreated?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
}
export interface TaskData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<TaskRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: TaskRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
export interface TaskStatusChangedDetails {
  from: string | null;
  to: string | null;
}
export interface TaskAssignedDetails {
  added: string[];
  removed: string[];
  addedNames: string[];
  removedNames: string[];
}
export interface TaskUnassignedDetails {
  added: string[];
  removed: string[];
  addedNames: string[];
  removedNames: string[];
}
export interface TaskOwnerChangedDetails {
  added: string[];
  removed: string[];
  addedNames: string[];
  removedNames: string[];
}
export interface TaskFollowersChangedDetails {
  added: string[];
  removed: string[];
  addedNames: string[];
  removedNames: string[];
}
export interface TaskTimeLoggedDetails {
  hours: number;
}
export interface TaskOverEstimateDetails {
  hoursOver: number;
}
export interface TaskStaleDetails {
  days: number;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface InvoiceRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  projectid?: string | null;
  date?: string | null;
  termid?: string | null;
  termother?: string | null;
  termotherdatedue?: string | null;
  title?: string | null;
  description?: string | null;
  localid?: string | null;
  addressfrom?: string | null;
  addressto?: string | null;
  purchaseorder?: string | null;
  tax?: number | null;
  disclaimer?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  datebegin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  dateend?: string | null;
  second_tax?: number | null;
  second_tax_compound?: boolean | null;
  project?: string | null;
  client?: string | null;
  clientid?: string | null;
  term?: string | null;
  datepaid?: string | null;
  subtotal?: number | null;
  taxamount?: number | null;
  secondtaxamount?: number | null;
  numitems?: number | null;
  total?: number | null;
  payments?: number | null;
  balance?: number | null;
  datedue?: string | null;
  daysoverdue?: number | null;
  daysoverduepaid?: number | null;
  status?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | null;
  projectlabelid?: string | null;
}
export interface InvoiceData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<InvoiceRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: InvoiceRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
export interface InvoicePaymentReceivedDetails {
  amount: number;
}
export interface InvoicePartiallyPaidDetails {
  amount: number;
}
export interface InvoiceSettledLateDetails {
  days: number;
}
export interface InvoicePaymentReversedDetails {
  amount: number;
}
export interface InvoiceOverdueReminderDetails {
  days: number;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  name?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  description?: string | null;
  datestart?: string | null;
  dateend?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_percent?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  alert_date?: string | null;
  active?: boolean | null;
  billable?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  budget?: number | null;
  clientid?: string | null;
  client?: string | null;
  clientlocalid?: string | null;
  labelid?: string | null;
  label?: string | null;
  labelcolor?: string | null;
  label_order?: number | null;
  localidunpadded?: string | null;
  localid?: string | null;
  manager?: string | null;
  managerid?: string[];
}
export interface ProjectData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<ProjectRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ProjectRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface PersonRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  localid?: string | null;
  clientid?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  title?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  primaryaccount?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  notes?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  allprojects?: boolean | null;
  active?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  private?: boolean | null;
  tips?: boolean | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  username?: string | null;
  groupid?: string | null;
  group?: string | null;
  client?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  numlogins?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  lastlogin?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  timezone_offset?: string | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  restricttasks?: boolean | null;
  clientlocalid?: string | null;
  calendarorientation?: string | null;
  editordisabled?: number | null;
  email?: string | null;
  /**
   * Absent when the token's role is Manager or Resource or Executive.
   */
  hourlyrate?: number | null;
  /**
   * Absent when the token's role is Resource or Executive.
   */
  cancomment?: boolean | null;
}
export interface PersonData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<PersonRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: PersonRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ClientRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  localid?: string | null;
  name?: string | null;
  description?: string | null;
  datecreated?: string | null;
  active?: boolean | string | null;
  email?: string | null;
  localidunpadded?: string | null;
  datemodified?: string | null;
  [k: string]: Value | string | null | boolean | undefined;
}
export interface ClientData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<ClientRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ClientRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ExpenseRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  projectid?: string | null;
  date?: string | null;
  expense?: number | string | null;
  fee?: number | string | null;
  note?: string | null;
  personid?: string | null;
  project?: string | null;
  client?: string | null;
  person?: string | null;
  clientid?: string | null;
  clientlocalid?: string | null;
  managerid?: string[];
  manager?: string | null;
  projectlocalid?: string | null;
  projectlabel?: string | null;
  projectlabel_order?: number | string | null;
  projectlabelid?: string | null;
  datemodified?: string | null;
  [k: string]: Value | string | null | number | string[] | undefined;
}
export interface ExpenseData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<ExpenseRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ExpenseRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface DocumentRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  personid?: string | null;
  title?: string | null;
  public?: boolean | string | null;
  datemodified?: string | null;
  active?: boolean | string | null;
  notes?: string | null;
  filename?: string | null;
  tags?: string[];
  taskid?: string | null;
  milestoneid?: string | null;
  queueid?: string | null;
  projectid?: string | null;
  clientid?: string | null;
  moduleid?: string | null;
  person?: string | null;
  task?: string | null;
  milestone?: string | null;
  project?: string | null;
  client?: string | null;
  module?: string | null;
  projectactive?: boolean | string | null;
  [k: string]: Value | string | null | boolean | string[] | undefined;
}
export interface DocumentData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<DocumentRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: DocumentRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface GroupRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  group?: string | null;
  name?: string | null;
  [k: string]: Value | string | null | undefined;
}
export interface GroupData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<GroupRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: GroupRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface ProjectmoduleRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  projectid?: string | null;
  moduleid?: string | null;
  description?: string | null;
  active?: boolean | string | null;
  module?: string | null;
  project?: string | null;
  projectlocalid?: string | null;
  clientid?: string | null;
  client?: string | null;
  [k: string]: Value | string | null | boolean | undefined;
}
export interface ProjectmoduleData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<ProjectmoduleRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ProjectmoduleRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface OtherRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  datemodified?: string | null;
  [k: string]: Value | string | null | undefined;
}
export interface OtherData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<OtherRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: OtherRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SourceRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  /**
   * The name in the config.
   */
  name?: string;
  /**
   * The time zone that defines "today" for this source; null while it is unknown.
   */
  timeZone?: string | null;
  /**
   * Where it comes from: the config or the token's user.
   */
  timeZoneFrom?: 'config' | 'user' | null;
  /**
   * When the API was last asked for the zone.
   */
  timeZoneReadAt?: string | null;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized' | 'other_account';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  /**
   * When polling resumes. Absent unless the quota is exhausted and the API says when.
   */
  quotaResetsAt?: string;
  baselined?: boolean;
  /**
   * Number of records per resource.
   */
  counts?: {
    [k: string]: number | null | undefined;
  };
  /**
   * Resources that the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources without a completed scan or sweep for too long.
   */
  stale?: string[];
  /**
   * Resources of which the API lists fewer records than it counts.
   */
  incomplete?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null | undefined;
  };
  /**
   * The id of the person whom the token belongs to. Absent while not known.
   */
  person?: string;
  /**
   * The role of the token. Absent while not known.
   */
  role?: string;
  /**
   * Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.
   */
  undecided?: {
    [k: string]: number | null | undefined;
  };
  /**
   * How many records of each resource are due and could not be read. Absent when there are none.
   */
  unconfirmed?: {
    [k: string]: number | null | undefined;
  };
  /**
   * The API does not name the time zone, nor does the config. Absent when the zone is known.
   */
  zoneUnknown?: boolean;
  /**
   * How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.
   */
  clockAhead?: number;
}
export interface SourceData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<SourceRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: SourceRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}
/**
 * The fields of a record. An absent field is unknown; a null field is empty.
 */
export interface SubscriptionRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  /**
   * The name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * The last error.
   */
  reason?: string | null;
  /**
   * When the first failure since the last success happened.
   */
  failingSince?: string | null;
  /**
   * When the warning before disabling was sent.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is attempted while the subscription is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver responded with 410 Gone.
   */
  gone?: boolean;
  /**
   * Addresses that unsubscribed. Only in events of version 1.0.0.
   */
  muted?: string[];
  /**
   * The failures since the last success, and until when attempts are paused. Absent without failures.
   */
  circuit?: {
    failures?: number;
    /**
     * When the last failed attempt ended.
     */
    failedAt?: string;
    /**
     * No attempt is made before this time.
     */
    pausedUntil?: string | null;
    /**
     * The delivery that is attempted when the pause ends.
     */
    probe?: string | null;
  };
  /**
   * Since when deliveries that waited for the recovered receiver are rescheduled.
   */
  catchUp?: string;
  /**
   * How often its template took too long. Absent if it did not.
   */
  slowTemplates?: number;
  /**
   * What was announced of its state within an hour, which limits how often it is announced again.
   */
  announced?: {
    since?: string;
    state?: 'ok' | 'failing' | 'disabled' | 'paused';
    failures?: number;
    recoveries?: number;
  };
  /**
   * When it was removed with unsent deliveries. Absent if it was not.
   */
  removedAt?: string;
  /**
   * How many deliveries were unsent then; 10,000 means 10,000 or more.
   */
  dropped?: number;
}
export interface SubscriptionData {
  /**
   * Increases with each change of the record. Ignore events with a lower version than the one you have.
   */
  version: number;
  /**
   * The values of changed fields before the change; empty for a new record.
   */
  previous: Partial<SubscriptionRecord>;
  /**
   * What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: SubscriptionRecord;
  changes: Change[];
  occurred: Occurred;
  by?: Author;
}

/** A task was created. Fires when a poll finds a task that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface TaskCreated extends Envelope {
  type: 'task.created';
  dataschema?: 'https://tidings.example/schema/events/task.created.json#/$defs/data' | 'tidings:/schemas/task.created.json';
  data: TaskData & { details?: undefined };
}

/** A task was closed. Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), including a task created and closed between two polls. Fires again if the task is reopened and closed again. Does not fire when a status is renamed: the status is known by its id. A task whose status only got the name of a closed one, or that only the config closed, can still be closed by a person. */
export interface TaskClosed extends Envelope {
  type: 'task.closed';
  dataschema?: 'https://tidings.example/schema/events/task.closed.json#/$defs/data' | 'tidings:/schemas/task.closed.json';
  data: TaskData & { details?: undefined };
}

/** A closed task was reopened. Fires when a closed task no longer has a closing date or a closed status. If the closing date stays, the status decides: the task is open once it gets a less complete status (`status_order`) than the closed one. */
export interface TaskReopened extends Envelope {
  type: 'task.reopened';
  dataschema?: 'https://tidings.example/schema/events/task.reopened.json#/$defs/data' | 'tidings:/schemas/task.reopened.json';
  data: TaskData & { details?: undefined };
}

/** The status of a task changed. Fires when the task gets a different status. Does not fire when a status is renamed. */
export interface TaskStatusChanged extends Envelope {
  type: 'task.status_changed';
  dataschema?: 'https://tidings.example/schema/events/task.status_changed.json#/$defs/data' | 'tidings:/schemas/task.status_changed.json';
  data: TaskData & { details: TaskStatusChangedDetails };
}

/** People were assigned to a task. Fires when people are added to the assignees, including those of a new task. `details` lists them. Does not fire when only the order changes. */
export interface TaskAssigned extends Envelope {
  type: 'task.assigned';
  dataschema?: 'https://tidings.example/schema/events/task.assigned.json#/$defs/data' | 'tidings:/schemas/task.assigned.json';
  data: TaskData & { details: TaskAssignedDetails };
}

/** People were unassigned from a task. Fires when people are removed from the assignees. `details` lists them. Does not fire when the token’s role hides the assignees. */
export interface TaskUnassigned extends Envelope {
  type: 'task.unassigned';
  dataschema?: 'https://tidings.example/schema/events/task.unassigned.json#/$defs/data' | 'tidings:/schemas/task.unassigned.json';
  data: TaskData & { details: TaskUnassignedDetails };
}

/** The owners of a task changed. Fires when owners are added or removed. `details` lists them. */
export interface TaskOwnerChanged extends Envelope {
  type: 'task.owner_changed';
  dataschema?: 'https://tidings.example/schema/events/task.owner_changed.json#/$defs/data' | 'tidings:/schemas/task.owner_changed.json';
  data: TaskData & { details: TaskOwnerChangedDetails };
}

/** The followers of a task changed. Fires when followers are added or removed. `details` lists them. */
export interface TaskFollowersChanged extends Envelope {
  type: 'task.followers_changed';
  dataschema?: 'https://tidings.example/schema/events/task.followers_changed.json#/$defs/data' | 'tidings:/schemas/task.followers_changed.json';
  data: TaskData & { details: TaskFollowersChangedDetails };
}

/** The priority of a task changed. Fires when the task gets a different priority. Does not fire when a priority is renamed or recoloured. */
export interface TaskPriorityChanged extends Envelope {
  type: 'task.priority_changed';
  dataschema?: 'https://tidings.example/schema/events/task.priority_changed.json#/$defs/data' | 'tidings:/schemas/task.priority_changed.json';
  data: TaskData & { details?: undefined };
}

/** The due date of a task changed. Fires when the due date is set, moved or removed. `task.due_soon` and `task.overdue` can then fire again. */
export interface TaskDueDateChanged extends Envelope {
  type: 'task.due_date_changed';
  dataschema?: 'https://tidings.example/schema/events/task.due_date_changed.json#/$defs/data' | 'tidings:/schemas/task.due_date_changed.json';
  data: TaskData & { details?: undefined };
}

/** The milestone of a task changed. Fires when the milestone is set, changed or removed. Does not fire when a milestone is renamed. */
export interface TaskMilestoneChanged extends Envelope {
  type: 'task.milestone_changed';
  dataschema?: 'https://tidings.example/schema/events/task.milestone_changed.json#/$defs/data' | 'tidings:/schemas/task.milestone_changed.json';
  data: TaskData & { details?: undefined };
}

/** A task was moved to another project or module. Fires when the project or the module changes. Does not fire when they are renamed. */
export interface TaskMoved extends Envelope {
  type: 'task.moved';
  dataschema?: 'https://tidings.example/schema/events/task.moved.json#/$defs/data' | 'tidings:/schemas/task.moved.json';
  data: TaskData & { details?: undefined };
}

/** The estimate of a task changed. Fires when the estimated hours change. */
export interface TaskEstimateChanged extends Envelope {
  type: 'task.estimate_changed';
  dataschema?: 'https://tidings.example/schema/events/task.estimate_changed.json#/$defs/data' | 'tidings:/schemas/task.estimate_changed.json';
  data: TaskData & { details?: undefined };
}

/** Time was logged on a task. Fires when the actual hours increase; `details.hours` is the increase. Several time entries between two polls are one event. Does not fire when hours are removed. */
export interface TaskTimeLogged extends Envelope {
  type: 'task.time_logged';
  dataschema?: 'https://tidings.example/schema/events/task.time_logged.json#/$defs/data' | 'tidings:/schemas/task.time_logged.json';
  data: TaskData & { details: TaskTimeLoggedDetails };
}

/** The hours logged on a task exceed its estimate. Fires once when the actual hours exceed the estimate, or when the estimate is lowered below them. Fires again only after they were within the estimate in between. Does not fire for a task without an estimate. */
export interface TaskOverEstimate extends Envelope {
  type: 'task.over_estimate';
  dataschema?: 'https://tidings.example/schema/events/task.over_estimate.json#/$defs/data' | 'tidings:/schemas/task.over_estimate.json';
  data: TaskData & { details: TaskOverEstimateDetails };
}

/** A task is due soon. Fires once per due date while the task is open: `rules.taskDueSoon` before it, at midnight in the account’s time zone, or immediately if the date is set closer than that. */
export interface TaskDueSoon extends Envelope {
  type: 'task.due_soon';
  dataschema?: 'https://tidings.example/schema/events/task.due_soon.json#/$defs/data' | 'tidings:/schemas/task.due_soon.json';
  data: TaskData & { details?: undefined };
}

/** A task is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the task is still open. Fires again if the due date is moved and passes again, or if the task is reopened. Does not repeat daily. */
export interface TaskOverdue extends Envelope {
  type: 'task.overdue';
  dataschema?: 'https://tidings.example/schema/events/task.overdue.json#/$defs/data' | 'tidings:/schemas/task.overdue.json';
  data: TaskData & { details?: undefined };
}

/** An overdue task is no longer overdue, although it is still open. Fires when the due date of an overdue task is moved to today or later, or removed. */
export interface TaskBackOnTrack extends Envelope {
  type: 'task.back_on_track';
  dataschema?: 'https://tidings.example/schema/events/task.back_on_track.json#/$defs/data' | 'tidings:/schemas/task.back_on_track.json';
  data: TaskData & { details?: undefined };
}

/** An open task has not been changed for a long time. Fires `rules.taskStale` days after the last change, at midnight in the account’s time zone. Logged hours count as a change, although they do not modify the task, and so does an edit with a modification date that is older than the last scan. Fires again after the next change and another such period without changes. */
export interface TaskStale extends Envelope {
  type: 'task.stale';
  dataschema?: 'https://tidings.example/schema/events/task.stale.json#/$defs/data' | 'tidings:/schemas/task.stale.json';
  data: TaskData & { details: TaskStaleDetails };
}

/** A task became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a task for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface TaskBecameVisible extends Envelope {
  type: 'task.became_visible';
  dataschema?: 'https://tidings.example/schema/events/task.became_visible.json#/$defs/data' | 'tidings:/schemas/task.became_visible.json';
  data: TaskData & { details?: undefined };
}

/** A task changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface TaskUpdated extends Envelope {
  type: 'task.updated';
  dataschema?: 'https://tidings.example/schema/events/task.updated.json#/$defs/data' | 'tidings:/schemas/task.updated.json';
  data: TaskData & { details?: undefined };
}

/** A task was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface TaskDeleted extends Envelope {
  type: 'task.deleted';
  dataschema?: 'https://tidings.example/schema/events/task.deleted.json#/$defs/data' | 'tidings:/schemas/task.deleted.json';
  data: TaskData & { details?: undefined };
}

/** A deleted task was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface TaskRestored extends Envelope {
  type: 'task.restored';
  dataschema?: 'https://tidings.example/schema/events/task.restored.json#/$defs/data' | 'tidings:/schemas/task.restored.json';
  data: TaskData & { details?: undefined };
}

/** An invoice was created. Fires when a poll finds an invoice that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface InvoiceCreated extends Envelope {
  type: 'invoice.created';
  dataschema?: 'https://tidings.example/schema/events/invoice.created.json#/$defs/data' | 'tidings:/schemas/invoice.created.json';
  data: InvoiceData & { details?: undefined };
}

/** A payment for an invoice was received. Fires when the sum of payments increases, or a new invoice has payments; `details.amount` is the increase. Several payments between two polls are one event. */
export interface InvoicePaymentReceived extends Envelope {
  type: 'invoice.payment_received';
  dataschema?: 'https://tidings.example/schema/events/invoice.payment_received.json#/$defs/data' | 'tidings:/schemas/invoice.payment_received.json';
  data: InvoiceData & { details: InvoicePaymentReceivedDetails };
}

/** An invoice was partially paid. Fires together with `invoice.payment_received` when a balance remains. */
export interface InvoicePartiallyPaid extends Envelope {
  type: 'invoice.partially_paid';
  dataschema?: 'https://tidings.example/schema/events/invoice.partially_paid.json#/$defs/data' | 'tidings:/schemas/invoice.partially_paid.json';
  data: InvoiceData & { details: InvoicePartiallyPaidDetails };
}

/** An invoice is fully paid. Fires when payments bring the balance to zero, a date of payment appears, or the status becomes paid. Fires again if a payment is reversed and the invoice is paid again. Never fires for an empty or voided invoice or a credit note: their total is zero or negative. Amounts are compared in cents. */
export interface InvoicePaid extends Envelope {
  type: 'invoice.paid';
  dataschema?: 'https://tidings.example/schema/events/invoice.paid.json#/$defs/data' | 'tidings:/schemas/invoice.paid.json';
  data: InvoiceData & { details?: undefined };
}

/** An invoice was paid after its due date. Fires together with `invoice.paid` when the date of payment is after the due date; `details.days` is the delay in days. */
export interface InvoiceSettledLate extends Envelope {
  type: 'invoice.settled_late';
  dataschema?: 'https://tidings.example/schema/events/invoice.settled_late.json#/$defs/data' | 'tidings:/schemas/invoice.settled_late.json';
  data: InvoiceData & { details: InvoiceSettledLateDetails };
}

/** A payment for an invoice was reversed. Fires when the sum of payments decreases, and the invoice itself, read once more, shows it; `details.amount` is the negative difference. Does not fire for the refund of a credit note. */
export interface InvoicePaymentReversed extends Envelope {
  type: 'invoice.payment_reversed';
  dataschema?: 'https://tidings.example/schema/events/invoice.payment_reversed.json#/$defs/data' | 'tidings:/schemas/invoice.payment_reversed.json';
  data: InvoiceData & { details: InvoicePaymentReversedDetails };
}

/** The total of an invoice changed. Fires when the total changes. Payments do not change the total. */
export interface InvoiceAmountChanged extends Envelope {
  type: 'invoice.amount_changed';
  dataschema?: 'https://tidings.example/schema/events/invoice.amount_changed.json#/$defs/data' | 'tidings:/schemas/invoice.amount_changed.json';
  data: InvoiceData & { details?: undefined };
}

/** The due date of an invoice changed. Fires when the due date is set, moved or removed. `invoice.due_soon`, `invoice.overdue` and reminders can then fire again. */
export interface InvoiceDueDateChanged extends Envelope {
  type: 'invoice.due_date_changed';
  dataschema?: 'https://tidings.example/schema/events/invoice.due_date_changed.json#/$defs/data' | 'tidings:/schemas/invoice.due_date_changed.json';
  data: InvoiceData & { details?: undefined };
}

/** An unpaid invoice is due soon. Fires once per due date, `rules.invoiceDueSoon` before it, at midnight in the account’s time zone, if the invoice has an open balance. */
export interface InvoiceDueSoon extends Envelope {
  type: 'invoice.due_soon';
  dataschema?: 'https://tidings.example/schema/events/invoice.due_soon.json#/$defs/data' | 'tidings:/schemas/invoice.due_soon.json';
  data: InvoiceData & { details?: undefined };
}

/** An invoice is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the invoice has an open balance. Fires again if the due date is moved and passes again, or if a payment is reversed. */
export interface InvoiceOverdue extends Envelope {
  type: 'invoice.overdue';
  dataschema?: 'https://tidings.example/schema/events/invoice.overdue.json#/$defs/data' | 'tidings:/schemas/invoice.overdue.json';
  data: InvoiceData & { details?: undefined };
}

/** An invoice is still overdue. Fires at each number of days overdue in `rules.invoiceOverdueReminders` (7, 14 and 30 by default) while the invoice has an open balance; `details.days` is that number. */
export interface InvoiceOverdueReminder extends Envelope {
  type: 'invoice.overdue_reminder';
  dataschema?: 'https://tidings.example/schema/events/invoice.overdue_reminder.json#/$defs/data' | 'tidings:/schemas/invoice.overdue_reminder.json';
  data: InvoiceData & { details: InvoiceOverdueReminderDetails };
}

/** An invoice became visible to the token’s person, or was created. Fires instead of `created` when a poll finds an invoice for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface InvoiceBecameVisible extends Envelope {
  type: 'invoice.became_visible';
  dataschema?: 'https://tidings.example/schema/events/invoice.became_visible.json#/$defs/data' | 'tidings:/schemas/invoice.became_visible.json';
  data: InvoiceData & { details?: undefined };
}

/** An invoice changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface InvoiceUpdated extends Envelope {
  type: 'invoice.updated';
  dataschema?: 'https://tidings.example/schema/events/invoice.updated.json#/$defs/data' | 'tidings:/schemas/invoice.updated.json';
  data: InvoiceData & { details?: undefined };
}

/** An invoice was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface InvoiceDeleted extends Envelope {
  type: 'invoice.deleted';
  dataschema?: 'https://tidings.example/schema/events/invoice.deleted.json#/$defs/data' | 'tidings:/schemas/invoice.deleted.json';
  data: InvoiceData & { details?: undefined };
}

/** A deleted invoice was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface InvoiceRestored extends Envelope {
  type: 'invoice.restored';
  dataschema?: 'https://tidings.example/schema/events/invoice.restored.json#/$defs/data' | 'tidings:/schemas/invoice.restored.json';
  data: InvoiceData & { details?: undefined };
}

/** A project was created. Fires when a poll finds a project that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface ProjectCreated extends Envelope {
  type: 'project.created';
  dataschema?: 'https://tidings.example/schema/events/project.created.json#/$defs/data' | 'tidings:/schemas/project.created.json';
  data: ProjectData & { details?: undefined };
}

/** A project was activated. Fires when `active` becomes true. Does not fire for a new project. */
export interface ProjectActivated extends Envelope {
  type: 'project.activated';
  dataschema?: 'https://tidings.example/schema/events/project.activated.json#/$defs/data' | 'tidings:/schemas/project.activated.json';
  data: ProjectData & { details?: undefined };
}

/** A project was deactivated. Fires when `active` becomes false. Does not fire for a new project. */
export interface ProjectDeactivated extends Envelope {
  type: 'project.deactivated';
  dataschema?: 'https://tidings.example/schema/events/project.deactivated.json#/$defs/data' | 'tidings:/schemas/project.deactivated.json';
  data: ProjectData & { details?: undefined };
}

/** The managers of a project changed. Fires when managers are added or removed. Does not fire when a manager’s name changes. */
export interface ProjectManagerChanged extends Envelope {
  type: 'project.manager_changed';
  dataschema?: 'https://tidings.example/schema/events/project.manager_changed.json#/$defs/data' | 'tidings:/schemas/project.manager_changed.json';
  data: ProjectData & { details?: undefined };
}

/** The budget of a project changed. Fires when the budget is set, changed or removed. */
export interface ProjectBudgetChanged extends Envelope {
  type: 'project.budget_changed';
  dataschema?: 'https://tidings.example/schema/events/project.budget_changed.json#/$defs/data' | 'tidings:/schemas/project.budget_changed.json';
  data: ProjectData & { details?: undefined };
}

/** The end date of a project changed. Fires when the end date is set, moved or removed. `project.ending_soon` and `project.past_end` can then fire again. */
export interface ProjectEndDateChanged extends Envelope {
  type: 'project.end_date_changed';
  dataschema?: 'https://tidings.example/schema/events/project.end_date_changed.json#/$defs/data' | 'tidings:/schemas/project.end_date_changed.json';
  data: ProjectData & { details?: undefined };
}

/** A project ends soon. Fires once per end date, `rules.projectEndingSoon` before it, at midnight in the account’s time zone, if the project is active. */
export interface ProjectEndingSoon extends Envelope {
  type: 'project.ending_soon';
  dataschema?: 'https://tidings.example/schema/events/project.ending_soon.json#/$defs/data' | 'tidings:/schemas/project.ending_soon.json';
  data: ProjectData & { details?: undefined };
}

/** A project is past its end date and still active. Fires once per end date, when the day after it begins in the account’s time zone and the project is still active. */
export interface ProjectPastEnd extends Envelope {
  type: 'project.past_end';
  dataschema?: 'https://tidings.example/schema/events/project.past_end.json#/$defs/data' | 'tidings:/schemas/project.past_end.json';
  data: ProjectData & { details?: undefined };
}

/** A project became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a project for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface ProjectBecameVisible extends Envelope {
  type: 'project.became_visible';
  dataschema?: 'https://tidings.example/schema/events/project.became_visible.json#/$defs/data' | 'tidings:/schemas/project.became_visible.json';
  data: ProjectData & { details?: undefined };
}

/** A project changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface ProjectUpdated extends Envelope {
  type: 'project.updated';
  dataschema?: 'https://tidings.example/schema/events/project.updated.json#/$defs/data' | 'tidings:/schemas/project.updated.json';
  data: ProjectData & { details?: undefined };
}

/** A project was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface ProjectDeleted extends Envelope {
  type: 'project.deleted';
  dataschema?: 'https://tidings.example/schema/events/project.deleted.json#/$defs/data' | 'tidings:/schemas/project.deleted.json';
  data: ProjectData & { details?: undefined };
}

/** A deleted project was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface ProjectRestored extends Envelope {
  type: 'project.restored';
  dataschema?: 'https://tidings.example/schema/events/project.restored.json#/$defs/data' | 'tidings:/schemas/project.restored.json';
  data: ProjectData & { details?: undefined };
}

/** A person was created. Fires when a poll finds a person that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface PersonCreated extends Envelope {
  type: 'person.created';
  dataschema?: 'https://tidings.example/schema/events/person.created.json#/$defs/data' | 'tidings:/schemas/person.created.json';
  data: PersonData & { details?: undefined };
}

/** A person was activated. Fires when `active` becomes true. Does not fire for a new person. */
export interface PersonActivated extends Envelope {
  type: 'person.activated';
  dataschema?: 'https://tidings.example/schema/events/person.activated.json#/$defs/data' | 'tidings:/schemas/person.activated.json';
  data: PersonData & { details?: undefined };
}

/** A person was deactivated. Fires when `active` becomes false. Does not fire for a new person. */
export interface PersonDeactivated extends Envelope {
  type: 'person.deactivated';
  dataschema?: 'https://tidings.example/schema/events/person.deactivated.json#/$defs/data' | 'tidings:/schemas/person.deactivated.json';
  data: PersonData & { details?: undefined };
}

/** The group of a person changed. Fires when the group, which is the person’s role in the account, changes. Does not fire when a group is renamed. */
export interface PersonGroupChanged extends Envelope {
  type: 'person.group_changed';
  dataschema?: 'https://tidings.example/schema/events/person.group_changed.json#/$defs/data' | 'tidings:/schemas/person.group_changed.json';
  data: PersonData & { details?: undefined };
}

/** A person became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a person for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface PersonBecameVisible extends Envelope {
  type: 'person.became_visible';
  dataschema?: 'https://tidings.example/schema/events/person.became_visible.json#/$defs/data' | 'tidings:/schemas/person.became_visible.json';
  data: PersonData & { details?: undefined };
}

/** A person changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface PersonUpdated extends Envelope {
  type: 'person.updated';
  dataschema?: 'https://tidings.example/schema/events/person.updated.json#/$defs/data' | 'tidings:/schemas/person.updated.json';
  data: PersonData & { details?: undefined };
}

/** A person was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface PersonDeleted extends Envelope {
  type: 'person.deleted';
  dataschema?: 'https://tidings.example/schema/events/person.deleted.json#/$defs/data' | 'tidings:/schemas/person.deleted.json';
  data: PersonData & { details?: undefined };
}

/** A deleted person was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface PersonRestored extends Envelope {
  type: 'person.restored';
  dataschema?: 'https://tidings.example/schema/events/person.restored.json#/$defs/data' | 'tidings:/schemas/person.restored.json';
  data: PersonData & { details?: undefined };
}

/** A client was created. Fires when a poll finds a client that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface ClientCreated extends Envelope {
  type: 'client.created';
  dataschema?: 'https://tidings.example/schema/events/client.created.json#/$defs/data' | 'tidings:/schemas/client.created.json';
  data: ClientData & { details?: undefined };
}

/** A client was activated. Fires when `active` becomes true. Does not fire for a new client. */
export interface ClientActivated extends Envelope {
  type: 'client.activated';
  dataschema?: 'https://tidings.example/schema/events/client.activated.json#/$defs/data' | 'tidings:/schemas/client.activated.json';
  data: ClientData & { details?: undefined };
}

/** A client was deactivated. Fires when `active` becomes false. Does not fire for a new client. */
export interface ClientDeactivated extends Envelope {
  type: 'client.deactivated';
  dataschema?: 'https://tidings.example/schema/events/client.deactivated.json#/$defs/data' | 'tidings:/schemas/client.deactivated.json';
  data: ClientData & { details?: undefined };
}

/** A client became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a client for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface ClientBecameVisible extends Envelope {
  type: 'client.became_visible';
  dataschema?: 'https://tidings.example/schema/events/client.became_visible.json#/$defs/data' | 'tidings:/schemas/client.became_visible.json';
  data: ClientData & { details?: undefined };
}

/** A client changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface ClientUpdated extends Envelope {
  type: 'client.updated';
  dataschema?: 'https://tidings.example/schema/events/client.updated.json#/$defs/data' | 'tidings:/schemas/client.updated.json';
  data: ClientData & { details?: undefined };
}

/** A client was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface ClientDeleted extends Envelope {
  type: 'client.deleted';
  dataschema?: 'https://tidings.example/schema/events/client.deleted.json#/$defs/data' | 'tidings:/schemas/client.deleted.json';
  data: ClientData & { details?: undefined };
}

/** A deleted client was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface ClientRestored extends Envelope {
  type: 'client.restored';
  dataschema?: 'https://tidings.example/schema/events/client.restored.json#/$defs/data' | 'tidings:/schemas/client.restored.json';
  data: ClientData & { details?: undefined };
}

/** An expense was created. Fires when a poll finds an expense that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface ExpenseCreated extends Envelope {
  type: 'expense.created';
  dataschema?: 'https://tidings.example/schema/events/expense.created.json#/$defs/data' | 'tidings:/schemas/expense.created.json';
  data: ExpenseData & { details?: undefined };
}

/** An expense became visible to the token’s person, or was created. Fires instead of `created` when a poll finds an expense for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface ExpenseBecameVisible extends Envelope {
  type: 'expense.became_visible';
  dataschema?: 'https://tidings.example/schema/events/expense.became_visible.json#/$defs/data' | 'tidings:/schemas/expense.became_visible.json';
  data: ExpenseData & { details?: undefined };
}

/** An expense changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface ExpenseUpdated extends Envelope {
  type: 'expense.updated';
  dataschema?: 'https://tidings.example/schema/events/expense.updated.json#/$defs/data' | 'tidings:/schemas/expense.updated.json';
  data: ExpenseData & { details?: undefined };
}

/** An expense was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface ExpenseDeleted extends Envelope {
  type: 'expense.deleted';
  dataschema?: 'https://tidings.example/schema/events/expense.deleted.json#/$defs/data' | 'tidings:/schemas/expense.deleted.json';
  data: ExpenseData & { details?: undefined };
}

/** A deleted expense was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface ExpenseRestored extends Envelope {
  type: 'expense.restored';
  dataschema?: 'https://tidings.example/schema/events/expense.restored.json#/$defs/data' | 'tidings:/schemas/expense.restored.json';
  data: ExpenseData & { details?: undefined };
}

/** A document was created. Fires when a poll finds a document that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface DocumentCreated extends Envelope {
  type: 'document.created';
  dataschema?: 'https://tidings.example/schema/events/document.created.json#/$defs/data' | 'tidings:/schemas/document.created.json';
  data: DocumentData & { details?: undefined };
}

/** A document was activated. Fires when `active` becomes true. Does not fire for a new document. */
export interface DocumentActivated extends Envelope {
  type: 'document.activated';
  dataschema?: 'https://tidings.example/schema/events/document.activated.json#/$defs/data' | 'tidings:/schemas/document.activated.json';
  data: DocumentData & { details?: undefined };
}

/** A document was deactivated. Fires when `active` becomes false. Does not fire for a new document. */
export interface DocumentDeactivated extends Envelope {
  type: 'document.deactivated';
  dataschema?: 'https://tidings.example/schema/events/document.deactivated.json#/$defs/data' | 'tidings:/schemas/document.deactivated.json';
  data: DocumentData & { details?: undefined };
}

/** A document became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a document for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface DocumentBecameVisible extends Envelope {
  type: 'document.became_visible';
  dataschema?: 'https://tidings.example/schema/events/document.became_visible.json#/$defs/data' | 'tidings:/schemas/document.became_visible.json';
  data: DocumentData & { details?: undefined };
}

/** A document changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface DocumentUpdated extends Envelope {
  type: 'document.updated';
  dataschema?: 'https://tidings.example/schema/events/document.updated.json#/$defs/data' | 'tidings:/schemas/document.updated.json';
  data: DocumentData & { details?: undefined };
}

/** A document was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface DocumentDeleted extends Envelope {
  type: 'document.deleted';
  dataschema?: 'https://tidings.example/schema/events/document.deleted.json#/$defs/data' | 'tidings:/schemas/document.deleted.json';
  data: DocumentData & { details?: undefined };
}

/** A deleted document was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface DocumentRestored extends Envelope {
  type: 'document.restored';
  dataschema?: 'https://tidings.example/schema/events/document.restored.json#/$defs/data' | 'tidings:/schemas/document.restored.json';
  data: DocumentData & { details?: undefined };
}

/** A group was created. Fires when a poll finds a group that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface GroupCreated extends Envelope {
  type: 'group.created';
  dataschema?: 'https://tidings.example/schema/events/group.created.json#/$defs/data' | 'tidings:/schemas/group.created.json';
  data: GroupData & { details?: undefined };
}

/** A group became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a group for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface GroupBecameVisible extends Envelope {
  type: 'group.became_visible';
  dataschema?: 'https://tidings.example/schema/events/group.became_visible.json#/$defs/data' | 'tidings:/schemas/group.became_visible.json';
  data: GroupData & { details?: undefined };
}

/** A group changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface GroupUpdated extends Envelope {
  type: 'group.updated';
  dataschema?: 'https://tidings.example/schema/events/group.updated.json#/$defs/data' | 'tidings:/schemas/group.updated.json';
  data: GroupData & { details?: undefined };
}

/** A group was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface GroupDeleted extends Envelope {
  type: 'group.deleted';
  dataschema?: 'https://tidings.example/schema/events/group.deleted.json#/$defs/data' | 'tidings:/schemas/group.deleted.json';
  data: GroupData & { details?: undefined };
}

/** A deleted group was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface GroupRestored extends Envelope {
  type: 'group.restored';
  dataschema?: 'https://tidings.example/schema/events/group.restored.json#/$defs/data' | 'tidings:/schemas/group.restored.json';
  data: GroupData & { details?: undefined };
}

/** A project module was created. Fires when a poll finds a project module that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface ProjectmoduleCreated extends Envelope {
  type: 'projectmodule.created';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.created.json#/$defs/data' | 'tidings:/schemas/projectmodule.created.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A project module was activated. Fires when `active` becomes true. Does not fire for a new project module. */
export interface ProjectmoduleActivated extends Envelope {
  type: 'projectmodule.activated';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.activated.json#/$defs/data' | 'tidings:/schemas/projectmodule.activated.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A project module was deactivated. Fires when `active` becomes false. Does not fire for a new project module. */
export interface ProjectmoduleDeactivated extends Envelope {
  type: 'projectmodule.deactivated';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.deactivated.json#/$defs/data' | 'tidings:/schemas/projectmodule.deactivated.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A project module became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a project module for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface ProjectmoduleBecameVisible extends Envelope {
  type: 'projectmodule.became_visible';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.became_visible.json#/$defs/data' | 'tidings:/schemas/projectmodule.became_visible.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A project module changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface ProjectmoduleUpdated extends Envelope {
  type: 'projectmodule.updated';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.updated.json#/$defs/data' | 'tidings:/schemas/projectmodule.updated.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A project module was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface ProjectmoduleDeleted extends Envelope {
  type: 'projectmodule.deleted';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.deleted.json#/$defs/data' | 'tidings:/schemas/projectmodule.deleted.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A deleted project module was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface ProjectmoduleRestored extends Envelope {
  type: 'projectmodule.restored';
  dataschema?: 'https://tidings.example/schema/events/projectmodule.restored.json#/$defs/data' | 'tidings:/schemas/projectmodule.restored.json';
  data: ProjectmoduleData & { details?: undefined };
}

/** A record was created. Fires when a poll finds a record that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on. */
export interface RecordCreated extends Envelope {
  type: `${OtherResource}.created`;
  dataschema?: 'https://tidings.example/schema/events/record.created.json#/$defs/data' | 'tidings:/schemas/record.created.json';
  data: OtherData & { details?: undefined };
}

/** A record became visible to the token’s person, or was created. Fires instead of `created` when a poll finds a record for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older. */
export interface RecordBecameVisible extends Envelope {
  type: `${OtherResource}.became_visible`;
  dataschema?: 'https://tidings.example/schema/events/record.became_visible.json#/$defs/data' | 'tidings:/schemas/record.became_visible.json';
  data: OtherData & { details?: undefined };
}

/** A record changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field. */
export interface RecordUpdated extends Envelope {
  type: `${OtherResource}.updated`;
  dataschema?: 'https://tidings.example/schema/events/record.updated.json#/$defs/data' | 'tidings:/schemas/record.updated.json';
  data: OtherData & { details?: undefined };
}

/** A record was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`). */
export interface RecordDeleted extends Envelope {
  type: `${OtherResource}.deleted`;
  dataschema?: 'https://tidings.example/schema/events/record.deleted.json#/$defs/data' | 'tidings:/schemas/record.deleted.json';
  data: OtherData & { details?: undefined };
}

/** A deleted record was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one. */
export interface RecordRestored extends Envelope {
  type: `${OtherResource}.restored`;
  dataschema?: 'https://tidings.example/schema/events/record.restored.json#/$defs/data' | 'tidings:/schemas/record.restored.json';
  data: OtherData & { details?: undefined };
}

/** The first sync of the source is complete; from now on, changes are sent as events. Fires once, when the first sweep of every resource that the token may read is complete. The sync itself sends no events. */
export interface SourceBaselined extends Envelope {
  type: 'source.baselined';
  dataschema?: 'https://tidings.example/schema/events/source.baselined.json#/$defs/data' | 'tidings:/schemas/source.baselined.json';
  data: SourceData & { details?: undefined };
}

/** The API could not be reached in three scans of a resource in a row. Fires once per outage, when three poll cycles in a row failed with timeouts, connection resets, 5xx or invalid responses. If only some lists fail while others are read, their resources become `source.stale` instead. `source.recovered` ends the outage. */
export interface SourceUnreachable extends Envelope {
  type: 'source.unreachable';
  dataschema?: 'https://tidings.example/schema/events/source.unreachable.json#/$defs/data' | 'tidings:/schemas/source.unreachable.json';
  data: SourceData & { details?: undefined };
}

/** The API rejects the token; polling is blocked until the token is replaced. Fires when the API responds with 401, 402 or 418. No record is considered deleted in the meantime. */
export interface SourceUnauthorized extends Envelope {
  type: 'source.unauthorized';
  dataschema?: 'https://tidings.example/schema/events/source.unauthorized.json#/$defs/data' | 'tidings:/schemas/source.unauthorized.json';
  data: SourceData & { details?: undefined };
}

/** A source that was unreachable or unauthorized is polled again; events for the changes in between follow. Fires when the first scan after the outage completes. */
export interface SourceRecovered extends Envelope {
  type: 'source.recovered';
  dataschema?: 'https://tidings.example/schema/events/source.recovered.json#/$defs/data' | 'tidings:/schemas/source.recovered.json';
  data: SourceData & { details?: undefined };
}

/** The token may not read a resource. Other resources are still polled. Fires once per resource when the API itself responds with 403; the error page of a proxy or firewall does not count. The resource is retried every hour and is polled again when access is restored. */
export interface SourceForbidden extends Envelope {
  type: 'source.forbidden';
  dataschema?: 'https://tidings.example/schema/events/source.forbidden.json#/$defs/data' | 'tidings:/schemas/source.forbidden.json';
  data: SourceData & { details?: undefined };
}

/** A resource has not been read to the end for too long, although the API responds. Fires when no scan of a resource completed within three times its interval, when its first sync is not complete after an hour, or when its sweeps have failed for a day, even if scans for changes succeed. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause. */
export interface SourceStale extends Envelope {
  type: 'source.stale';
  dataschema?: 'https://tidings.example/schema/events/source.stale.json#/$defs/data' | 'tidings:/schemas/source.stale.json';
  data: SourceData & { details?: undefined };
}

/** The API counts more records of a resource than it lists. Tidings works with the listed ones. Fires once per resource when two full reads in a row show the same records and both are short of the API’s own count. The first sync then counts as complete. A hidden record that is listed later is sent as created, unless its creation date is older. */
export interface SourceIncomplete extends Envelope {
  type: 'source.incomplete';
  dataschema?: 'https://tidings.example/schema/events/source.incomplete.json#/$defs/data' | 'tidings:/schemas/source.incomplete.json';
  data: SourceData & { details?: undefined };
}

/** 90 % of the day's request budget is used; polling slows down. Fires when 90 % of the request budget of Tidings is used. Fires at most once a day. */
export interface SourceQuotaLow extends Envelope {
  type: 'source.quota_low';
  dataschema?: 'https://tidings.example/schema/events/source.quota_low.json#/$defs/data' | 'tidings:/schemas/source.quota_low.json';
  data: SourceData & { details?: undefined };
}

/** The day's request budget is used up; polling resumes after the quota reset. Fires when the request budget of Tidings is used up, or when the API reports that the quota is exceeded. Events for the changes in between follow after the reset. */
export interface SourceQuotaExhausted extends Envelope {
  type: 'source.quota_exhausted';
  dataschema?: 'https://tidings.example/schema/events/source.quota_exhausted.json#/$defs/data' | 'tidings:/schemas/source.quota_exhausted.json';
  data: SourceData & { details?: undefined };
}

/** More than 5 % of the records, and more than 10, are missing from a sweep. Tidings holds their deletions back. Fires when deletions are held back. If the records are still missing after an hour and the API confirms it for a sample, the deletions follow. If the records reappear, no deletion is sent. */
export interface SourceMassDisappearance extends Envelope {
  type: 'source.mass_disappearance';
  dataschema?: 'https://tidings.example/schema/events/source.mass_disappearance.json#/$defs/data' | 'tidings:/schemas/source.mass_disappearance.json';
  data: SourceData & { details?: undefined };
}

/** Records are no longer listed, and the API does not say whether they were deleted. Fires once per resource when a missing record could neither be read nor confirmed as deleted for an hour, because the API responds with 403 or fails, and at once when the token’s person may only have lost sight of a record. No deletion is sent. Records that could not be read are requested again, at first hourly and later daily. */
export interface SourceDeletionsUndecided extends Envelope {
  type: 'source.deletions_undecided';
  dataschema?: 'https://tidings.example/schema/events/source.deletions_undecided.json#/$defs/data' | 'tidings:/schemas/source.deletions_undecided.json';
  data: SourceData & { details?: undefined };
}

/** Records are due, but the API does not show them, so their time-driven events wait. Fires once per resource when a record could not be read for three minutes or more after its moment came, such as the midnight after its due date, in two reads or more. The records are read again, at first after two minutes and later hourly, and their events follow. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause. */
export interface SourceUnconfirmed extends Envelope {
  type: 'source.unconfirmed';
  dataschema?: 'https://tidings.example/schema/events/source.unconfirmed.json#/$defs/data' | 'tidings:/schemas/source.unconfirmed.json';
  data: SourceData & { details?: undefined };
}

/** The time zone of the account is not known, so no time-driven events are sent. Fires once when the config has no `timeZone` and the API does not name the zone of the token’s person, or does not let the token read it. Overdue, due soon and the other events that time alone causes wait until either names one. */
export interface SourceZoneUnknown extends Envelope {
  type: 'source.zone_unknown';
  dataschema?: 'https://tidings.example/schema/events/source.zone_unknown.json#/$defs/data' | 'tidings:/schemas/source.zone_unknown.json';
  data: SourceData & { details?: undefined };
}

/** The clock of the machine that runs Tidings and the clock of the API differ by minutes or more. Fires once when the `Date` of the API’s responses differs from our clock by two minutes or more in three poll cycles in a row. Events that time alone causes wait until both clocks have passed their moment, so none is false, but they may be late. If the API’s clock is behind by more than a day, only ours counts. It ends when the clocks differ by less than a minute. */
export interface SourceClockSkewed extends Envelope {
  type: 'source.clock_skewed';
  dataschema?: 'https://tidings.example/schema/events/source.clock_skewed.json#/$defs/data' | 'tidings:/schemas/source.clock_skewed.json';
  data: SourceData & { details?: undefined };
}

/** The token belongs to another person or has another role, so the API shows other records. Fires once when the person or the role of the token changes. Records that appear or disappear because of it cause no events. If both are Administrators, they see the same records, and nothing is left out. */
export interface SourceRoleChanged extends Envelope {
  type: 'source.role_changed';
  dataschema?: 'https://tidings.example/schema/events/source.role_changed.json#/$defs/data' | 'tidings:/schemas/source.role_changed.json';
  data: SourceData & { details?: undefined };
}

/** Deliveries to a receiver are failing; they are kept and retried. Fires after at least four failed attempts and 25 minutes without a success, whichever deliveries they concern, or at the first failure that a retry cannot fix. Fires a second time after four days of failures only, one day before the subscription is disabled; `data.record.warnedAt` is set then. Fires up to three times within an hour, and then only after a recovery; for all subscriptions of one key of the API together, it and `subscription.disabled` fire about 100 times an hour. Never sent to the subscription it is about. */
export interface SubscriptionFailing extends Envelope {
  type: 'subscription.failing';
  dataschema?: 'https://tidings.example/schema/events/subscription.failing.json#/$defs/data' | 'tidings:/schemas/subscription.failing.json';
  data: SubscriptionData & { details?: undefined };
}

/** A subscription was disabled because its receiver keeps failing, or paused because its template is too slow; its deliveries are held. Fires after five days of failures only, or when the receiver responds with 410 Gone. One delivery is attempted from time to time to detect recovery. Also fires when its template has taken too long again and again: `data.record.state` is `paused` then, and it stays so until it is resumed. Fires up to three times within an hour, and then only after a recovery; for all subscriptions of one key of the API together, it and `subscription.failing` fire about 100 times an hour. Never sent to the subscription it is about. */
export interface SubscriptionDisabled extends Envelope {
  type: 'subscription.disabled';
  dataschema?: 'https://tidings.example/schema/events/subscription.disabled.json#/$defs/data' | 'tidings:/schemas/subscription.disabled.json';
  data: SubscriptionData & { details?: undefined };
}

/** A receiver that was failing or disabled accepts deliveries again. Fires at the first successful delivery. Deliveries that wait for the receiver are attempted within minutes; deliveries held while the subscription was disabled wait for `tidings subscriptions resume`. Fires up to three times within an hour; after that the subscription counts as failing until the hour is over. */
export interface SubscriptionRecovered extends Envelope {
  type: 'subscription.recovered';
  dataschema?: 'https://tidings.example/schema/events/subscription.recovered.json#/$defs/data' | 'tidings:/schemas/subscription.recovered.json';
  data: SubscriptionData & { details?: undefined };
}

/** A subscription was removed from the config while deliveries were not sent yet; they are dropped. Fires when a config without the subscription is applied and `renamedFrom` names it nowhere, or when it is removed otherwise, except by the key that made it. `data.record.dropped` is the number of deliveries; 10,000 means 10,000 or more. `tidings replay --subscription OLD --to NEW` sends their events to another subscription. */
export interface SubscriptionRemoved extends Envelope {
  type: 'subscription.removed';
  dataschema?: 'https://tidings.example/schema/events/subscription.removed.json#/$defs/data' | 'tidings:/schemas/subscription.removed.json';
  data: SubscriptionData & { details?: undefined };
}

/** Every event. Compare `type` to narrow it. */
export type TidingsEvents =
  | TaskCreated
  | TaskClosed
  | TaskReopened
  | TaskStatusChanged
  | TaskAssigned
  | TaskUnassigned
  | TaskOwnerChanged
  | TaskFollowersChanged
  | TaskPriorityChanged
  | TaskDueDateChanged
  | TaskMilestoneChanged
  | TaskMoved
  | TaskEstimateChanged
  | TaskTimeLogged
  | TaskOverEstimate
  | TaskDueSoon
  | TaskOverdue
  | TaskBackOnTrack
  | TaskStale
  | TaskBecameVisible
  | TaskUpdated
  | TaskDeleted
  | TaskRestored
  | InvoiceCreated
  | InvoicePaymentReceived
  | InvoicePartiallyPaid
  | InvoicePaid
  | InvoiceSettledLate
  | InvoicePaymentReversed
  | InvoiceAmountChanged
  | InvoiceDueDateChanged
  | InvoiceDueSoon
  | InvoiceOverdue
  | InvoiceOverdueReminder
  | InvoiceBecameVisible
  | InvoiceUpdated
  | InvoiceDeleted
  | InvoiceRestored
  | ProjectCreated
  | ProjectActivated
  | ProjectDeactivated
  | ProjectManagerChanged
  | ProjectBudgetChanged
  | ProjectEndDateChanged
  | ProjectEndingSoon
  | ProjectPastEnd
  | ProjectBecameVisible
  | ProjectUpdated
  | ProjectDeleted
  | ProjectRestored
  | PersonCreated
  | PersonActivated
  | PersonDeactivated
  | PersonGroupChanged
  | PersonBecameVisible
  | PersonUpdated
  | PersonDeleted
  | PersonRestored
  | ClientCreated
  | ClientActivated
  | ClientDeactivated
  | ClientBecameVisible
  | ClientUpdated
  | ClientDeleted
  | ClientRestored
  | ExpenseCreated
  | ExpenseBecameVisible
  | ExpenseUpdated
  | ExpenseDeleted
  | ExpenseRestored
  | DocumentCreated
  | DocumentActivated
  | DocumentDeactivated
  | DocumentBecameVisible
  | DocumentUpdated
  | DocumentDeleted
  | DocumentRestored
  | GroupCreated
  | GroupBecameVisible
  | GroupUpdated
  | GroupDeleted
  | GroupRestored
  | ProjectmoduleCreated
  | ProjectmoduleActivated
  | ProjectmoduleDeactivated
  | ProjectmoduleBecameVisible
  | ProjectmoduleUpdated
  | ProjectmoduleDeleted
  | ProjectmoduleRestored
  | RecordCreated
  | RecordBecameVisible
  | RecordUpdated
  | RecordDeleted
  | RecordRestored
  | SourceBaselined
  | SourceUnreachable
  | SourceUnauthorized
  | SourceRecovered
  | SourceForbidden
  | SourceStale
  | SourceIncomplete
  | SourceQuotaLow
  | SourceQuotaExhausted
  | SourceMassDisappearance
  | SourceDeletionsUndecided
  | SourceUnconfirmed
  | SourceZoneUnknown
  | SourceClockSkewed
  | SourceRoleChanged
  | SubscriptionFailing
  | SubscriptionDisabled
  | SubscriptionRecovered
  | SubscriptionRemoved;

/**
 * Resources whose fields the API does not document.
 */
export type OtherResource =
  | 'contacttype'
  | 'invoiceterm'
  | 'milestone'
  | 'module'
  | 'payment'
  | 'paymenttype'
  | 'projectlabel'
  | 'projectnote'
  | 'projectworktype'
  | 'request'
  | 'tasklistfilter'
  | 'tasknote'
  | 'taskpriority'
  | 'taskstatus'
  | 'time'
  | 'worktype';
