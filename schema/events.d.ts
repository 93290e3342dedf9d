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
 * A task appeared. Fires when a look finds a task that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
export interface TaskData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<TaskRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: TaskRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface TaskRecord {
  /**
   * As the API numbers its records.
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
 * It happened after our last look (null: there was none) and before this one.
 */
export interface Occurred {
  after: string | null;
  before: string;
}
/**
 * Who did it, where a source asks for it and it can be told without doubt.
 */
export interface Author {
  id: string;
  name: string | null;
}
/**
 * A task was closed. Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), also when it was created and closed between two looks. Again after it was reopened.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A closed task is open again. Fires when neither closing date nor status say closed any longer.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task has another status. Fires when the status is another one. Not when a status is renamed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * Somebody was assigned to a task. Fires when people are added to the assignees, also of a new task. `details` says who. Not when they only come in another order.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * Somebody was taken off a task. Fires when people are removed from the assignees. Not when the token’s role hides them.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A task has other owners. Fires when owners are added or removed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A task has other followers. Fires when followers are added or removed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A task has another priority. Fires when the priority is another one. Not when a priority is renamed or recoloured.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is due on another day, or on none. Fires when the due date is set, moved or removed. Overdue and due soon are armed anew.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task belongs to another milestone, or to none. Fires when the milestone is another one. Not when a milestone is renamed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task was moved to another project or module. Fires when project or module are others. Not when they are renamed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is estimated otherwise. Fires when the estimated hours are others.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * Time was logged on a task. Fires when the actual hours grew; `details.hours` says by how much. Several entries between two looks are one event. Not when hours were taken back.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * More hours were logged on a task than estimated. Fires when the actual hours pass the estimate, or the estimate is lowered below them. Once, until they are within it again. Not for a task without an estimate.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A task is due soon. Fires once per due date, `rules.taskDueSoon` before it, at midnight in the account’s zone, while the task is open; at once for a date that is set nearer than that.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is overdue. Fires once per due date: when the day after it begins in the account’s zone and the task is still open. Again when the date moves and passes again, or the task reopens. Not every day.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is no longer overdue, and not because it was closed. Fires when the due date of an overdue task is moved to today or later, or removed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * Nobody has touched an open task for a long time. Fires `rules.taskStale` days after the last change, at midnight in the account’s zone. Again after it was changed and left alone once more.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<TaskRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A task changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * A task that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: TaskData;
}
/**
 * An invoice appeared. Fires when a look finds an invoice that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
export interface InvoiceData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<InvoiceRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: InvoiceRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface InvoiceRecord {
  /**
   * As the API numbers its records.
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
 * A payment for an invoice came in. Fires when the sum of payments grew; `details.amount` says by how much. Several payments between two looks are one event.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<InvoiceRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A part of an invoice was paid, and something is left. Fires with a payment that leaves a balance.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<InvoiceRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * An invoice is fully paid. Fires when the balance reaches zero with payments, a date of payment appears, or the status says paid. Again after a payment was reversed and made up for.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice was paid after its due date. Fires beside invoice.paid when the date of payment is after the due date; `details.days` says by how many days.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<InvoiceRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * A payment was taken back. Fires when the sum of payments shrank; `details.amount` is negative.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<InvoiceRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * An invoice is over another amount. Fires when the total is another one. Not because of payments.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is due on another day. Fires when the due date is set, moved or removed. Overdue, due soon and reminders are armed anew.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is due soon, and not paid. Fires once per due date, `rules.invoiceDueSoon` before it, at midnight in the account’s zone, while something is owed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is overdue. Fires once per due date: when the day after it begins in the account’s zone and something is owed. Again when the date moves and passes again, or a payment is reversed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is still overdue. Fires at each number of days in `rules.invoiceOverdueReminders` (7, 14 and 30), while something is owed; `details.days` says which.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: {
    /**
     * Grows with each state of the record.
     */
    version: number;
    /**
     * The old values of what changed; empty for a new record.
     */
    previous: Partial<InvoiceRecord>;
    /**
     * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
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
 * An invoice changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * An invoice that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: InvoiceData;
}
/**
 * A project appeared. Fires when a look finds a project that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
export interface ProjectData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<ProjectRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ProjectRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface ProjectRecord {
  /**
   * As the API numbers its records.
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
 * A project was made active. Fires when `active` turns true. Not for a project that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project was made inactive. Fires when `active` turns false. Not for a project that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project has another manager. Fires when managers are added or removed. Not when a manager’s name changes.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project has another budget. Fires when the budget is set, changed or removed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project ends on another day, or on none. Fires when the end date is set, moved or removed. Ending soon and past end are armed anew.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project ends soon. Fires once per end date, `rules.projectEndingSoon` before it, at midnight in the account’s zone, while the project is active.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project is past its end date and still active. Fires once per end date, when the day after it begins in the account’s zone and the project is active.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A project that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectData;
}
/**
 * A person appeared. Fires when a look finds a person that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
export interface PersonData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<PersonRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: PersonRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface PersonRecord {
  /**
   * As the API numbers its records.
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
 * A person was made active. Fires when `active` turns true. Not for a person that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person was made inactive. Fires when `active` turns false. Not for a person that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person has another role. Fires when the group is another one. Not when a group is renamed.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A person that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: PersonData;
}
/**
 * A client appeared. Fires when a look finds a client that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
export interface ClientData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<ClientRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ClientRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface ClientRecord {
  /**
   * As the API numbers its records.
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
 * A client was made active. Fires when `active` turns true. Not for a client that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client was made inactive. Fires when `active` turns false. Not for a client that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
/**
 * A client that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ClientData;
}
/**
 * An expense appeared. Fires when a look finds an expense that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ExpenseData;
}
export interface ExpenseData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<ExpenseRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ExpenseRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface ExpenseRecord {
  /**
   * As the API numbers its records.
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
 * An expense changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * An expense is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * An expense that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ExpenseData;
}
/**
 * A document appeared. Fires when a look finds a document that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
export interface DocumentData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<DocumentRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: DocumentRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface DocumentRecord {
  /**
   * As the API numbers its records.
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
 * A document was made active. Fires when `active` turns true. Not for a document that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document was made inactive. Fires when `active` turns false. Not for a document that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A document that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: DocumentData;
}
/**
 * A group appeared. Fires when a look finds a group that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: GroupData;
}
export interface GroupData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<GroupRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: GroupRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface GroupRecord {
  /**
   * As the API numbers its records.
   */
  id: string;
  group?: string | null;
  name?: string | null;
  [k: string]: Value | string | null | undefined;
}
/**
 * A group changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A group is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A group that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: GroupData;
}
/**
 * A projectmodule appeared. Fires when a look finds a projectmodule that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
export interface ProjectmoduleData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<ProjectmoduleRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: ProjectmoduleRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface ProjectmoduleRecord {
  /**
   * As the API numbers its records.
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
 * A projectmodule was made active. Fires when `active` turns true. Not for a projectmodule that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule was made inactive. Fires when `active` turns false. Not for a projectmodule that is new.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A projectmodule that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: ProjectmoduleData;
}
/**
 * A record appeared. Fires when a look finds a record that was not there at the one before. Not for what is there at the baseline.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: OtherData;
}
export interface OtherData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<OtherRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: OtherRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface OtherRecord {
  /**
   * As the API numbers its records.
   */
  id: string;
  datemodified?: string | null;
  [k: string]: Value | string | null | undefined;
}
/**
 * A record changed. Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: OtherData;
}
/**
 * A record is gone. Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: OtherData;
}
/**
 * A record that was deleted is back. Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: OtherData;
}
/**
 * Everything the token may read has been read once, silently; from now on changes are told. Fires once, when the first complete sweep of every resource the token may read is done.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
export interface SourceData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<SourceRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: SourceRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface SourceRecord {
  /**
   * As the API numbers its records.
   */
  id: string;
  /**
   * Its name in the config.
   */
  name?: string;
  /**
   * The zone in which its days begin.
   */
  timeZone?: string;
  /**
   * Names the zone and rules its days are reckoned by.
   */
  reckoning?: string;
  state?: 'ok' | 'unreachable' | 'unauthorized';
  /**
   * Why it is not ok.
   */
  reason?: string | null;
  failedCycles?: number;
  quota?: 'ok' | 'low' | 'exhausted';
  baselined?: boolean;
  /**
   * How many records there are of each resource.
   */
  counts?: {
    [k: string]: number | null | undefined;
  };
  /**
   * Resources the token may not read.
   */
  forbidden?: string[];
  /**
   * Resources no scan of which has completed for a while.
   */
  stale?: string[];
  /**
   * How many records of a resource are missing and not called deleted yet.
   */
  held?: {
    [k: string]: number | null | undefined;
  };
}
/**
 * Three cycles in a row could read nothing. Fires when three cycles in a row failed: timeouts, resets, 5xx, answers that are none. Once per outage; source.recovered ends it.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * The API refuses the token: nothing is read until a person mends it. Fires when the API answers 401, 402 or 418. Nothing is ever taken for deleted meanwhile.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * A source that was unreachable or refused the token is read again; what changed meanwhile follows. Fires with the first scan that reads to its end again.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * The token's role may not read a resource; the others go on. It is tried again once a day. Fires when the API answers 403 for a resource, once for each; when the role is given back, it is read again by itself.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * No scan of a resource has completed for three intervals, though the source answers. Fires when a resource could not be read to its end for three times its interval. Not while the source is unreachable, unauthorized or out of quota: that explains it.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * Nine tenths of our share of the day's requests are used; cadences are stretched. Fires when nine tenths of our share are used. Once a day at most.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * Our share of the day's requests is used; polling goes on when the count starts anew. Fires when our share is used up, or the API says that the quota is exceeded. What changed meanwhile is told after the reset.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * A sweep lacks more than 5 % of the records, and more than 10: taken for a fault, not for deletions, until it has lasted an hour and a sample is truly gone. Fires when the brake goes on. If the records are truly gone, their deletions follow after an hour; if they come back, nothing does.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SourceData;
}
/**
 * A receiver does not take what it is sent; what is for it is kept and tried again. Fires after the 4th failed attempt at one delivery, or the first that cannot be mended by trying again; and once more after four days of nothing but failures, a day before the subscription is disabled: then `data.record.warnedAt` is set. Never sent to the subscription it is about.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SubscriptionData;
}
export interface SubscriptionData {
  /**
   * Grows with each state of the record.
   */
  version: number;
  /**
   * The old values of what changed; empty for a new record.
   */
  previous: Partial<SubscriptionRecord>;
  /**
   * A look at the API, a day that came, an attempt at a delivery, or a person’s command.
   */
  cause: 'poll' | 'tick' | 'delivery' | 'person';
  record: SubscriptionRecord;
  changes: Change[];
  details?: undefined;
  occurred: Occurred;
  by?: Author;
}
/**
 * The record now. A field that is absent is unknown, one that is null is empty.
 */
export interface SubscriptionRecord {
  /**
   * As the API numbers its records.
   */
  id: string;
  /**
   * Its name in the config.
   */
  name?: string;
  state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /**
   * What went wrong, in words.
   */
  reason?: string | null;
  /**
   * The first of the failures since the last success.
   */
  failingSince?: string | null;
  /**
   * When it was told that it will be disabled.
   */
  warnedAt?: string | null;
  disabledAt?: string | null;
  /**
   * The delivery that is tried while it is disabled.
   */
  probe?: string | null;
  /**
   * Whether the receiver said that it wants nothing more.
   */
  gone?: boolean;
  /**
   * Addresses that asked for nothing more.
   */
  muted?: string[];
}
/**
 * Nothing is sent to a receiver any longer but a try now and then; what is for it is kept. Fires after five days of nothing but failures, or when the receiver says that it is gone (410). Never sent to the subscription it is about.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
   */
  replay?: true;
  data: SubscriptionData;
}
/**
 * A receiver that was failing or disabled takes what it is sent again. Fires with the first success. What was waiting for its next attempt is tried at once; what was held while it was disabled waits for `tidings subscriptions resume`.
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
   * Made up to see whether it arrives.
   */
  test?: true;
  /**
   * Sent again because a person asked for it.
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
