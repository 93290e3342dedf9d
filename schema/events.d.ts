/**
 * The types of all events, generated from schema/events by `npm run generate`.
 *
 * `TidingsEvents` is the union of all of them: compare `type` to narrow it to one event.
 */

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
  | ProjectUpdated
  | ProjectDeleted
  | ProjectRestored
  | PersonCreated
  | PersonActivated
  | PersonDeactivated
  | PersonGroupChanged
  | PersonUpdated
  | PersonDeleted
  | PersonRestored
  | ClientCreated
  | ClientActivated
  | ClientDeactivated
  | ClientUpdated
  | ClientDeleted
  | ClientRestored
  | ExpenseCreated
  | ExpenseUpdated
  | ExpenseDeleted
  | ExpenseRestored
  | DocumentCreated
  | DocumentActivated
  | DocumentDeactivated
  | DocumentUpdated
  | DocumentDeleted
  | DocumentRestored
  | GroupCreated
  | GroupUpdated
  | GroupDeleted
  | GroupRestored
  | ProjectmoduleCreated
  | ProjectmoduleActivated
  | ProjectmoduleDeactivated
  | ProjectmoduleUpdated
  | ProjectmoduleDeleted
  | ProjectmoduleRestored
  | RecordCreated
  | RecordUpdated
  | RecordDeleted
  | RecordRestored
  | SourceBaselined
  | SourceUnreachable
  | SourceUnauthorized
  | SourceRecovered
  | SourceForbidden
  | SourceStale
  | SourceQuotaLow
  | SourceQuotaExhausted
  | SourceMassDisappearance
  | SubscriptionFailing
  | SubscriptionDisabled
  | SubscriptionRecovered;
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
 * A task was created. Fires when a poll finds a task that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface TaskCreated {
  specversion: '1.0';
  id: string;
  type: 'task.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
export interface Change {
  field: string;
  from: Value;
  to: Value;
}
/**
 * The change happened after the previous poll (null if there was none) and before this one.
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
 * A task was closed. Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), including a task created and closed between two polls. Fires again if the task is reopened and closed again. Does not fire when a status is renamed: the status is known by its id.
 */
export interface TaskClosed {
  specversion: '1.0';
  id: string;
  type: 'task.closed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.closed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A closed task was reopened. Fires when a closed task no longer has a closing date or a closed status.
 */
export interface TaskReopened {
  specversion: '1.0';
  id: string;
  type: 'task.reopened';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.reopened.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * The status of a task changed. Fires when the task gets a different status. Does not fire when a status is renamed.
 */
export interface TaskStatusChanged {
  specversion: '1.0';
  id: string;
  type: 'task.status_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.status_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      from: string | null;
      to: string | null;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * People were assigned to a task. Fires when people are added to the assignees, including those of a new task. `details` lists them. Does not fire when only the order changes.
 */
export interface TaskAssigned {
  specversion: '1.0';
  id: string;
  type: 'task.assigned';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.assigned.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * People were unassigned from a task. Fires when people are removed from the assignees. `details` lists them. Does not fire when the token’s role hides the assignees.
 */
export interface TaskUnassigned {
  specversion: '1.0';
  id: string;
  type: 'task.unassigned';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.unassigned.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * The owners of a task changed. Fires when owners are added or removed. `details` lists them.
 */
export interface TaskOwnerChanged {
  specversion: '1.0';
  id: string;
  type: 'task.owner_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.owner_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * The followers of a task changed. Fires when followers are added or removed. `details` lists them.
 */
export interface TaskFollowersChanged {
  specversion: '1.0';
  id: string;
  type: 'task.followers_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.followers_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      added: string[];
      removed: string[];
      addedNames: string[];
      removedNames: string[];
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * The priority of a task changed. Fires when the task gets a different priority. Does not fire when a priority is renamed or recoloured.
 */
export interface TaskPriorityChanged {
  specversion: '1.0';
  id: string;
  type: 'task.priority_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.priority_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * The due date of a task changed. Fires when the due date is set, moved or removed. `task.due_soon` and `task.overdue` can then fire again.
 */
export interface TaskDueDateChanged {
  specversion: '1.0';
  id: string;
  type: 'task.due_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.due_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * The milestone of a task changed. Fires when the milestone is set, changed or removed. Does not fire when a milestone is renamed.
 */
export interface TaskMilestoneChanged {
  specversion: '1.0';
  id: string;
  type: 'task.milestone_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.milestone_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task was moved to another project or module. Fires when the project or the module changes. Does not fire when they are renamed.
 */
export interface TaskMoved {
  specversion: '1.0';
  id: string;
  type: 'task.moved';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.moved.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * The estimate of a task changed. Fires when the estimated hours change.
 */
export interface TaskEstimateChanged {
  specversion: '1.0';
  id: string;
  type: 'task.estimate_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.estimate_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * Time was logged on a task. Fires when the actual hours increase; `details.hours` is the increase. Several time entries between two polls are one event. Does not fire when hours are removed.
 */
export interface TaskTimeLogged {
  specversion: '1.0';
  id: string;
  type: 'task.time_logged';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.time_logged.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      hours: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * The hours logged on a task exceed its estimate. Fires once when the actual hours exceed the estimate, or when the estimate is lowered below them. Fires again only after they were within the estimate in between. Does not fire for a task without an estimate.
 */
export interface TaskOverEstimate {
  specversion: '1.0';
  id: string;
  type: 'task.over_estimate';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.over_estimate.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      hoursOver: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * A task is due soon. Fires once per due date while the task is open: `rules.taskDueSoon` before it, at midnight in the account’s time zone, or immediately if the date is set closer than that.
 */
export interface TaskDueSoon {
  specversion: '1.0';
  id: string;
  type: 'task.due_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.due_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the task is still open. Fires again if the due date is moved and passes again, or if the task is reopened. Does not repeat daily.
 */
export interface TaskOverdue {
  specversion: '1.0';
  id: string;
  type: 'task.overdue';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.overdue.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * An overdue task is no longer overdue, although it is still open. Fires when the due date of an overdue task is moved to today or later, or removed.
 */
export interface TaskBackOnTrack {
  specversion: '1.0';
  id: string;
  type: 'task.back_on_track';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.back_on_track.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * An open task has not been changed for a long time. Fires `rules.taskStale` days after the last change, at midnight in the account’s time zone. Fires again after the next change and another such period without changes.
 */
export interface TaskStale {
  specversion: '1.0';
  id: string;
  type: 'task.stale';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.stale.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      days: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * A task changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface TaskUpdated {
  specversion: '1.0';
  id: string;
  type: 'task.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface TaskDeleted {
  specversion: '1.0';
  id: string;
  type: 'task.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A deleted task was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface TaskRestored {
  specversion: '1.0';
  id: string;
  type: 'task.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/task.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: TaskData;
}
/**
 * An invoice was created. Fires when a poll finds an invoice that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface InvoiceCreated {
  specversion: '1.0';
  id: string;
  type: 'invoice.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A payment for an invoice was received. Fires when the sum of payments increases; `details.amount` is the increase. Several payments between two polls are one event.
 */
export interface InvoicePaymentReceived {
  specversion: '1.0';
  id: string;
  type: 'invoice.payment_received';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.payment_received.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      amount: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * An invoice was partially paid. Fires together with `invoice.payment_received` when a balance remains.
 */
export interface InvoicePartiallyPaid {
  specversion: '1.0';
  id: string;
  type: 'invoice.partially_paid';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.partially_paid.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      amount: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * An invoice is fully paid. Fires when payments bring the balance to zero, a date of payment appears, or the status becomes paid. Fires again if a payment is reversed and the invoice is paid again. Never fires for an empty or voided invoice or a credit note: their total is zero or negative. Amounts are compared in cents.
 */
export interface InvoicePaid {
  specversion: '1.0';
  id: string;
  type: 'invoice.paid';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.paid.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice was paid after its due date. Fires together with `invoice.paid` when the date of payment is after the due date; `details.days` is the delay in days.
 */
export interface InvoiceSettledLate {
  specversion: '1.0';
  id: string;
  type: 'invoice.settled_late';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.settled_late.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      days: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * A payment for an invoice was reversed. Fires when the sum of payments decreases; `details.amount` is the negative difference. Does not fire for the refund of a credit note.
 */
export interface InvoicePaymentReversed {
  specversion: '1.0';
  id: string;
  type: 'invoice.payment_reversed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.payment_reversed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      amount: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * The total of an invoice changed. Fires when the total changes. Payments do not change the total.
 */
export interface InvoiceAmountChanged {
  specversion: '1.0';
  id: string;
  type: 'invoice.amount_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.amount_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * The due date of an invoice changed. Fires when the due date is set, moved or removed. `invoice.due_soon`, `invoice.overdue` and reminders can then fire again.
 */
export interface InvoiceDueDateChanged {
  specversion: '1.0';
  id: string;
  type: 'invoice.due_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.due_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An unpaid invoice is due soon. Fires once per due date, `rules.invoiceDueSoon` before it, at midnight in the account’s time zone, if the invoice has an open balance.
 */
export interface InvoiceDueSoon {
  specversion: '1.0';
  id: string;
  type: 'invoice.due_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.due_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is overdue. Fires once per due date, when the day after it begins in the account’s time zone and the invoice has an open balance. Fires again if the due date is moved and passes again, or if a payment is reversed.
 */
export interface InvoiceOverdue {
  specversion: '1.0';
  id: string;
  type: 'invoice.overdue';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.overdue.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is still overdue. Fires at each number of days overdue in `rules.invoiceOverdueReminders` (7, 14 and 30 by default) while the invoice has an open balance; `details.days` is that number.
 */
export interface InvoiceOverdueReminder {
  specversion: '1.0';
  id: string;
  type: 'invoice.overdue_reminder';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.overdue_reminder.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: {
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
    details: {
      days: number;
    };
    occurred: Occurred;
    by?: Author;
  };
}
/**
 * An invoice changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface InvoiceUpdated {
  specversion: '1.0';
  id: string;
  type: 'invoice.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface InvoiceDeleted {
  specversion: '1.0';
  id: string;
  type: 'invoice.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * A deleted invoice was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface InvoiceRestored {
  specversion: '1.0';
  id: string;
  type: 'invoice.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/invoice.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * A project was created. Fires when a poll finds a project that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface ProjectCreated {
  specversion: '1.0';
  id: string;
  type: 'project.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A project was activated. Fires when `active` becomes true. Does not fire for a new project.
 */
export interface ProjectActivated {
  specversion: '1.0';
  id: string;
  type: 'project.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project was deactivated. Fires when `active` becomes false. Does not fire for a new project.
 */
export interface ProjectDeactivated {
  specversion: '1.0';
  id: string;
  type: 'project.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * The managers of a project changed. Fires when managers are added or removed. Does not fire when a manager’s name changes.
 */
export interface ProjectManagerChanged {
  specversion: '1.0';
  id: string;
  type: 'project.manager_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.manager_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * The budget of a project changed. Fires when the budget is set, changed or removed.
 */
export interface ProjectBudgetChanged {
  specversion: '1.0';
  id: string;
  type: 'project.budget_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.budget_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * The end date of a project changed. Fires when the end date is set, moved or removed. `project.ending_soon` and `project.past_end` can then fire again.
 */
export interface ProjectEndDateChanged {
  specversion: '1.0';
  id: string;
  type: 'project.end_date_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.end_date_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project ends soon. Fires once per end date, `rules.projectEndingSoon` before it, at midnight in the account’s time zone, if the project is active.
 */
export interface ProjectEndingSoon {
  specversion: '1.0';
  id: string;
  type: 'project.ending_soon';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.ending_soon.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project is past its end date and still active. Fires once per end date, when the day after it begins in the account’s time zone and the project is still active.
 */
export interface ProjectPastEnd {
  specversion: '1.0';
  id: string;
  type: 'project.past_end';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.past_end.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ProjectUpdated {
  specversion: '1.0';
  id: string;
  type: 'project.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ProjectDeleted {
  specversion: '1.0';
  id: string;
  type: 'project.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A deleted project was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ProjectRestored {
  specversion: '1.0';
  id: string;
  type: 'project.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/project.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A person was created. Fires when a poll finds a person that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface PersonCreated {
  specversion: '1.0';
  id: string;
  type: 'person.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A person was activated. Fires when `active` becomes true. Does not fire for a new person.
 */
export interface PersonActivated {
  specversion: '1.0';
  id: string;
  type: 'person.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person was deactivated. Fires when `active` becomes false. Does not fire for a new person.
 */
export interface PersonDeactivated {
  specversion: '1.0';
  id: string;
  type: 'person.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * The group of a person changed. Fires when the group, which is the person’s role in the account, changes. Does not fire when a group is renamed.
 */
export interface PersonGroupChanged {
  specversion: '1.0';
  id: string;
  type: 'person.group_changed';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.group_changed.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface PersonUpdated {
  specversion: '1.0';
  id: string;
  type: 'person.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface PersonDeleted {
  specversion: '1.0';
  id: string;
  type: 'person.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A deleted person was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface PersonRestored {
  specversion: '1.0';
  id: string;
  type: 'person.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/person.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A client was created. Fires when a poll finds a client that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface ClientCreated {
  specversion: '1.0';
  id: string;
  type: 'client.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A client was activated. Fires when `active` becomes true. Does not fire for a new client.
 */
export interface ClientActivated {
  specversion: '1.0';
  id: string;
  type: 'client.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client was deactivated. Fires when `active` becomes false. Does not fire for a new client.
 */
export interface ClientDeactivated {
  specversion: '1.0';
  id: string;
  type: 'client.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ClientUpdated {
  specversion: '1.0';
  id: string;
  type: 'client.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ClientDeleted {
  specversion: '1.0';
  id: string;
  type: 'client.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A deleted client was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ClientRestored {
  specversion: '1.0';
  id: string;
  type: 'client.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/client.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ClientData;
}
/**
 * An expense was created. Fires when a poll finds an expense that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface ExpenseCreated {
  specversion: '1.0';
  id: string;
  type: 'expense.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/expense.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ExpenseData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * An expense changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ExpenseUpdated {
  specversion: '1.0';
  id: string;
  type: 'expense.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/expense.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * An expense was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ExpenseDeleted {
  specversion: '1.0';
  id: string;
  type: 'expense.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/expense.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * A deleted expense was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ExpenseRestored {
  specversion: '1.0';
  id: string;
  type: 'expense.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/expense.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * A document was created. Fires when a poll finds a document that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface DocumentCreated {
  specversion: '1.0';
  id: string;
  type: 'document.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A document was activated. Fires when `active` becomes true. Does not fire for a new document.
 */
export interface DocumentActivated {
  specversion: '1.0';
  id: string;
  type: 'document.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document was deactivated. Fires when `active` becomes false. Does not fire for a new document.
 */
export interface DocumentDeactivated {
  specversion: '1.0';
  id: string;
  type: 'document.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface DocumentUpdated {
  specversion: '1.0';
  id: string;
  type: 'document.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface DocumentDeleted {
  specversion: '1.0';
  id: string;
  type: 'document.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A deleted document was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface DocumentRestored {
  specversion: '1.0';
  id: string;
  type: 'document.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/document.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A group was created. Fires when a poll finds a group that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface GroupCreated {
  specversion: '1.0';
  id: string;
  type: 'group.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/group.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: GroupData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A group changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface GroupUpdated {
  specversion: '1.0';
  id: string;
  type: 'group.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/group.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A group was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface GroupDeleted {
  specversion: '1.0';
  id: string;
  type: 'group.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/group.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A deleted group was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface GroupRestored {
  specversion: '1.0';
  id: string;
  type: 'group.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/group.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A projectmodule was created. Fires when a poll finds a projectmodule that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface ProjectmoduleCreated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
/**
 * A projectmodule was activated. Fires when `active` becomes true. Does not fire for a new projectmodule.
 */
export interface ProjectmoduleActivated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.activated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.activated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule was deactivated. Fires when `active` becomes false. Does not fire for a new projectmodule.
 */
export interface ProjectmoduleDeactivated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.deactivated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.deactivated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface ProjectmoduleUpdated {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface ProjectmoduleDeleted {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A deleted projectmodule was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface ProjectmoduleRestored {
  specversion: '1.0';
  id: string;
  type: 'projectmodule.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/projectmodule.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A record was created. Fires when a poll finds a record that did not exist at the previous poll. Does not fire for records of the baseline.
 */
export interface RecordCreated {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.created'
    | 'invoiceitem.created'
    | 'invoicenote.created'
    | 'invoiceterm.created'
    | 'milestone.created'
    | 'milestonenote.created'
    | 'module.created'
    | 'payment.created'
    | 'paymenttype.created'
    | 'personcontact.created'
    | 'projectlabel.created'
    | 'projectnote.created'
    | 'projectteam.created'
    | 'projectworktype.created'
    | 'request.created'
    | 'tasklistfilter.created'
    | 'tasknote.created'
    | 'taskpriority.created'
    | 'taskstatus.created'
    | 'time.created'
    | 'worktype.created';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/record.created.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: OtherData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
 */
export interface OtherRecord {
  /**
   * The id of the record in the API.
   */
  id: string;
  datemodified?: string | null;
  [k: string]: Value | string | null | undefined;
}
/**
 * A record changed. Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.
 */
export interface RecordUpdated {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.updated'
    | 'invoiceitem.updated'
    | 'invoicenote.updated'
    | 'invoiceterm.updated'
    | 'milestone.updated'
    | 'milestonenote.updated'
    | 'module.updated'
    | 'payment.updated'
    | 'paymenttype.updated'
    | 'personcontact.updated'
    | 'projectlabel.updated'
    | 'projectnote.updated'
    | 'projectteam.updated'
    | 'projectworktype.updated'
    | 'request.updated'
    | 'tasklistfilter.updated'
    | 'tasknote.updated'
    | 'taskpriority.updated'
    | 'taskstatus.updated'
    | 'time.updated'
    | 'worktype.updated';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/record.updated.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: OtherData;
}
/**
 * A record was deleted. Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (`source.mass_disappearance`).
 */
export interface RecordDeleted {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.deleted'
    | 'invoiceitem.deleted'
    | 'invoicenote.deleted'
    | 'invoiceterm.deleted'
    | 'milestone.deleted'
    | 'milestonenote.deleted'
    | 'module.deleted'
    | 'payment.deleted'
    | 'paymenttype.deleted'
    | 'personcontact.deleted'
    | 'projectlabel.deleted'
    | 'projectnote.deleted'
    | 'projectteam.deleted'
    | 'projectworktype.deleted'
    | 'request.deleted'
    | 'tasklistfilter.deleted'
    | 'tasknote.deleted'
    | 'taskpriority.deleted'
    | 'taskstatus.deleted'
    | 'time.deleted'
    | 'worktype.deleted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/record.deleted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: OtherData;
}
/**
 * A deleted record was restored. Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.
 */
export interface RecordRestored {
  specversion: '1.0';
  id: string;
  type:
    | 'contacttype.restored'
    | 'invoiceitem.restored'
    | 'invoicenote.restored'
    | 'invoiceterm.restored'
    | 'milestone.restored'
    | 'milestonenote.restored'
    | 'module.restored'
    | 'payment.restored'
    | 'paymenttype.restored'
    | 'personcontact.restored'
    | 'projectlabel.restored'
    | 'projectnote.restored'
    | 'projectteam.restored'
    | 'projectworktype.restored'
    | 'request.restored'
    | 'tasklistfilter.restored'
    | 'tasknote.restored'
    | 'taskpriority.restored'
    | 'taskstatus.restored'
    | 'time.restored'
    | 'worktype.restored';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/record.restored.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: OtherData;
}
/**
 * The first sync of the source is complete; from now on, changes are sent as events. Fires once, when the first sweep of every resource that the token may read is complete. The sync itself sends no events.
 */
export interface SourceBaselined {
  specversion: '1.0';
  id: string;
  type: 'source.baselined';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.baselined.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
   * The time zone that defines "today" for this source.
   */
  timeZone?: string;
  /**
   * Hash of the time zone and rules that stages are computed with.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized';
  /**
   * Why the state is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
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
   * Resources without a completed scan for three intervals.
   */
  stale?: string[];
  /**
   * Number of missing records per resource whose deletion is held back.
   */
  held?: {
    [k: string]: number | null | undefined;
  };
}
/**
 * The API could not be reached in three poll cycles in a row. Fires once per outage, when three poll cycles in a row failed with timeouts, connection resets, 5xx or invalid responses. `source.recovered` ends the outage.
 */
export interface SourceUnreachable {
  specversion: '1.0';
  id: string;
  type: 'source.unreachable';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.unreachable.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * The API rejects the token; polling is blocked until the token is replaced. Fires when the API responds with 401, 402 or 418. No record is considered deleted in the meantime.
 */
export interface SourceUnauthorized {
  specversion: '1.0';
  id: string;
  type: 'source.unauthorized';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.unauthorized.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * A source that was unreachable or unauthorized is polled again; events for the changes in between follow. Fires when the first scan after the outage completes.
 */
export interface SourceRecovered {
  specversion: '1.0';
  id: string;
  type: 'source.recovered';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.recovered.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * The token may not read a resource. Other resources are still polled. Fires once per resource when the API itself responds with 403; the error page of a proxy or firewall does not count. The resource is retried every hour and is polled again when access is restored.
 */
export interface SourceForbidden {
  specversion: '1.0';
  id: string;
  type: 'source.forbidden';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.forbidden.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * No scan of a resource has completed for three intervals, although the API responds. Fires when no scan of a resource completed within three times its interval. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause.
 */
export interface SourceStale {
  specversion: '1.0';
  id: string;
  type: 'source.stale';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.stale.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * 90 % of the day's request budget is used; polling slows down. Fires when 90 % of the request budget of Tidings is used. Fires at most once a day.
 */
export interface SourceQuotaLow {
  specversion: '1.0';
  id: string;
  type: 'source.quota_low';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.quota_low.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * The day's request budget is used up; polling resumes after the quota reset. Fires when the request budget of Tidings is used up, or when the API reports that the quota is exceeded. Events for the changes in between follow after the reset.
 */
export interface SourceQuotaExhausted {
  specversion: '1.0';
  id: string;
  type: 'source.quota_exhausted';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.quota_exhausted.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * More than 5 % of the records, and more than 10, are missing from a sweep. Tidings holds their deletions back. Fires when deletions are held back. If the records are still missing after an hour and the API confirms it for a sample, the deletions follow. If the records reappear, no deletion is sent.
 */
export interface SourceMassDisappearance {
  specversion: '1.0';
  id: string;
  type: 'source.mass_disappearance';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/source.mass_disappearance.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SourceData;
}
/**
 * Deliveries to a receiver are failing; they are kept and retried. Fires after the fourth failed attempt of one delivery, or the first failure that a retry cannot fix. Fires a second time after four days of failures only, one day before the subscription is disabled; `data.record.warnedAt` is set then. Never sent to the subscription it is about.
 */
export interface SubscriptionFailing {
  specversion: '1.0';
  id: string;
  type: 'subscription.failing';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/subscription.failing.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SubscriptionData;
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
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record after the change. An absent field is unknown; a null field is empty.
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
   * Addresses that unsubscribed.
   */
  muted?: string[];
}
/**
 * A subscription was disabled because its receiver keeps failing; its deliveries are held. Fires after five days of failures only, or when the receiver responds with 410 Gone. One delivery is attempted from time to time to detect recovery. Never sent to the subscription it is about.
 */
export interface SubscriptionDisabled {
  specversion: '1.0';
  id: string;
  type: 'subscription.disabled';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/subscription.disabled.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SubscriptionData;
}
/**
 * A receiver that was failing or disabled accepts deliveries again. Fires at the first successful delivery. Deliveries that wait for a retry are attempted at once; deliveries held while the subscription was disabled wait for `tidings subscriptions resume`.
 */
export interface SubscriptionRecovered {
  specversion: '1.0';
  id: string;
  type: 'subscription.recovered';
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema?: 'tidings:/schemas/subscription.recovered.json';
  /**
   * Set on test events, which do not describe a real change.
   */
  test?: true;
  /**
   * Set when the event is sent again on request.
   */
  replay?: true;
  data: SubscriptionData;
}

/**
 * Resources whose fields the API does not document.
 */
export type OtherResource =
  | 'contacttype'
  | 'invoiceitem'
  | 'invoicenote'
  | 'invoiceterm'
  | 'milestone'
  | 'milestonenote'
  | 'module'
  | 'payment'
  | 'paymenttype'
  | 'personcontact'
  | 'projectlabel'
  | 'projectnote'
  | 'projectteam'
  | 'projectworktype'
  | 'request'
  | 'tasklistfilter'
  | 'tasknote'
  | 'taskpriority'
  | 'taskstatus'
  | 'time'
  | 'worktype';
