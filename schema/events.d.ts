/**
 * The types of all events. Made from the catalogue by `npm run generate`.
 *
 * `TidingsEvents` is the union of all of them: a test of `type` tells which one it is.
 */

/** What JSON can hold. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** CloudEvents 1.0. */
export interface Envelope<Type extends string, Payload> {
  readonly specversion: '1.0';
  /** The same however often it is sent: drop what you have seen. */
  readonly id: string;
  readonly type: Type;
  /** `/sources/main` */
  readonly source: string;
  /** `task/412` */
  readonly subject: string;
  /** When it was known. UTC, with milliseconds. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** The name of the schema of `data`. */
  readonly dataschema?: string;
  readonly data: Payload;
}

export interface Data<Fields> {
  /** Grows with each state of the record: drop what is older than what you hold. */
  readonly version: number;
  readonly record: Fields;
  /** The old values of what changed; empty for a new record. */
  readonly previous: Partial<Fields>;
  readonly changes: readonly { readonly field: string; readonly from: Value; readonly to: Value }[];
  readonly details?: never;
  /** It happened after our last look (null: there was none) and before this one. */
  readonly occurred: { readonly after: string | null; readonly before: string };
  /** A look at the API, or a day that came. */
  readonly cause: 'poll' | 'tick';
}

export interface DetailedData<Fields, Details> extends Omit<Data<Fields>, 'details'> {
  readonly details: Details;
}

/** All but the id may be absent: a role may hide them. */
export interface TaskRecord {
  readonly id: string;
  readonly localid?: string | null;
  readonly queueid?: string | null;
  /** Absent when the token's role is Executive. */
  readonly assigneeid?: readonly string[];
  readonly statusid?: string | null;
  readonly projectid?: string | null;
  readonly moduleid?: string | null;
  readonly title?: string | null;
  readonly summary?: string | null;
  readonly dateopen?: string | null;
  readonly datedue?: string | null;
  readonly dateclosed?: string | null;
  readonly estimate?: number | null;
  /** Absent when the token's role is Executive. */
  readonly ownerid?: readonly string[];
  readonly priorityid?: string | null;
  readonly datemodified?: string | null;
  readonly color?: string | null;
  readonly priority?: number | null;
  readonly severity?: string | null;
  readonly status?: string | null;
  readonly status_order?: number | null;
  readonly project?: string | null;
  readonly clientid?: string | null;
  readonly clientlocalid?: string | null;
  readonly client?: string | null;
  readonly milestoneid?: string | null;
  readonly milestone?: string | null;
  readonly module?: string | null;
  readonly projectlocalid?: string | null;
  /** Absent when the token's role is Executive. */
  readonly assignees?: readonly string[];
  /** Absent when the token's role is Executive. */
  readonly followers?: readonly string[];
  /** Absent when the token's role is Executive. */
  readonly followerid?: readonly string[];
  /** Absent when the token's role is Executive. */
  readonly owners?: readonly string[];
  readonly billable?: number | null;
  readonly unbillable?: number | null;
  readonly actual?: number | null;
  readonly datecreated?: string | null;
  readonly projectlabel?: string | null;
  readonly projectlabel_order?: number | null;
  readonly projectlabelid?: string | null;
}

/** A task appeared. */
export interface TaskCreated extends Envelope<'task.created', Data<TaskRecord>> {}

/** A task was closed. */
export interface TaskClosed extends Envelope<'task.closed', Data<TaskRecord>> {}

/** A closed task is open again. */
export interface TaskReopened extends Envelope<'task.reopened', Data<TaskRecord>> {}

/** A task has another status. */
export interface TaskStatusChanged extends Envelope<'task.status_changed', DetailedData<TaskRecord, { readonly from: string | null; readonly to: string | null }>> {}

/** Somebody was assigned to a task. */
export interface TaskAssigned extends Envelope<'task.assigned', DetailedData<TaskRecord, { readonly added: readonly string[]; readonly removed: readonly string[]; readonly addedNames: readonly string[]; readonly removedNames: readonly string[] }>> {}

/** Somebody was taken off a task. */
export interface TaskUnassigned extends Envelope<'task.unassigned', DetailedData<TaskRecord, { readonly added: readonly string[]; readonly removed: readonly string[]; readonly addedNames: readonly string[]; readonly removedNames: readonly string[] }>> {}

/** A task has other owners. */
export interface TaskOwnerChanged extends Envelope<'task.owner_changed', DetailedData<TaskRecord, { readonly added: readonly string[]; readonly removed: readonly string[]; readonly addedNames: readonly string[]; readonly removedNames: readonly string[] }>> {}

/** A task has other followers. */
export interface TaskFollowersChanged extends Envelope<'task.followers_changed', DetailedData<TaskRecord, { readonly added: readonly string[]; readonly removed: readonly string[]; readonly addedNames: readonly string[]; readonly removedNames: readonly string[] }>> {}

/** A task has another priority. */
export interface TaskPriorityChanged extends Envelope<'task.priority_changed', Data<TaskRecord>> {}

/** A task is due on another day, or on none. */
export interface TaskDueDateChanged extends Envelope<'task.due_date_changed', Data<TaskRecord>> {}

/** A task belongs to another milestone, or to none. */
export interface TaskMilestoneChanged extends Envelope<'task.milestone_changed', Data<TaskRecord>> {}

/** A task was moved to another project or module. */
export interface TaskMoved extends Envelope<'task.moved', Data<TaskRecord>> {}

/** A task is estimated otherwise. */
export interface TaskEstimateChanged extends Envelope<'task.estimate_changed', Data<TaskRecord>> {}

/** Time was logged on a task. */
export interface TaskTimeLogged extends Envelope<'task.time_logged', DetailedData<TaskRecord, { readonly hours: number }>> {}

/** More hours were logged on a task than estimated. */
export interface TaskOverEstimate extends Envelope<'task.over_estimate', DetailedData<TaskRecord, { readonly hoursOver: number }>> {}

/** A task is due soon. */
export interface TaskDueSoon extends Envelope<'task.due_soon', Data<TaskRecord>> {}

/** A task is overdue. */
export interface TaskOverdue extends Envelope<'task.overdue', Data<TaskRecord>> {}

/** A task is no longer overdue, and not because it was closed. */
export interface TaskBackOnTrack extends Envelope<'task.back_on_track', Data<TaskRecord>> {}

/** Nobody has touched an open task for a long time. */
export interface TaskStale extends Envelope<'task.stale', DetailedData<TaskRecord, { readonly days: number }>> {}

/** A task changed. */
export interface TaskUpdated extends Envelope<'task.updated', Data<TaskRecord>> {}

/** A task is gone. */
export interface TaskDeleted extends Envelope<'task.deleted', Data<TaskRecord>> {}

/** A task that was deleted is back. */
export interface TaskRestored extends Envelope<'task.restored', Data<TaskRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface InvoiceRecord {
  readonly id: string;
  readonly projectid?: string | null;
  readonly date?: string | null;
  readonly termid?: string | null;
  readonly termother?: string | null;
  readonly termotherdatedue?: string | null;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly localid?: string | null;
  readonly addressfrom?: string | null;
  readonly addressto?: string | null;
  readonly purchaseorder?: string | null;
  readonly tax?: number | null;
  readonly disclaimer?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly datebegin?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly dateend?: string | null;
  readonly second_tax?: number | null;
  readonly second_tax_compound?: boolean | null;
  readonly project?: string | null;
  readonly client?: string | null;
  readonly clientid?: string | null;
  readonly term?: string | null;
  readonly datepaid?: string | null;
  readonly subtotal?: number | null;
  readonly taxamount?: number | null;
  readonly secondtaxamount?: number | null;
  readonly numitems?: number | null;
  readonly total?: number | null;
  readonly payments?: number | null;
  readonly balance?: number | null;
  readonly datedue?: string | null;
  readonly daysoverdue?: number | null;
  readonly daysoverduepaid?: number | null;
  readonly status?: string | null;
  readonly projectlabel?: string | null;
  readonly projectlabel_order?: number | null;
  readonly projectlabelid?: string | null;
}

/** An invoice appeared. */
export interface InvoiceCreated extends Envelope<'invoice.created', Data<InvoiceRecord>> {}

/** A payment for an invoice came in. */
export interface InvoicePaymentReceived extends Envelope<'invoice.payment_received', DetailedData<InvoiceRecord, { readonly amount: number }>> {}

/** A part of an invoice was paid, and something is left. */
export interface InvoicePartiallyPaid extends Envelope<'invoice.partially_paid', DetailedData<InvoiceRecord, { readonly amount: number }>> {}

/** An invoice is fully paid. */
export interface InvoicePaid extends Envelope<'invoice.paid', Data<InvoiceRecord>> {}

/** An invoice was paid after its due date. */
export interface InvoiceSettledLate extends Envelope<'invoice.settled_late', DetailedData<InvoiceRecord, { readonly days: number }>> {}

/** A payment was taken back. */
export interface InvoicePaymentReversed extends Envelope<'invoice.payment_reversed', DetailedData<InvoiceRecord, { readonly amount: number }>> {}

/** An invoice is over another amount. */
export interface InvoiceAmountChanged extends Envelope<'invoice.amount_changed', Data<InvoiceRecord>> {}

/** An invoice is due on another day. */
export interface InvoiceDueDateChanged extends Envelope<'invoice.due_date_changed', Data<InvoiceRecord>> {}

/** An invoice is due soon, and not paid. */
export interface InvoiceDueSoon extends Envelope<'invoice.due_soon', Data<InvoiceRecord>> {}

/** An invoice is overdue. */
export interface InvoiceOverdue extends Envelope<'invoice.overdue', Data<InvoiceRecord>> {}

/** An invoice is still overdue. */
export interface InvoiceOverdueReminder extends Envelope<'invoice.overdue_reminder', DetailedData<InvoiceRecord, { readonly days: number }>> {}

/** An invoice changed. */
export interface InvoiceUpdated extends Envelope<'invoice.updated', Data<InvoiceRecord>> {}

/** An invoice is gone. */
export interface InvoiceDeleted extends Envelope<'invoice.deleted', Data<InvoiceRecord>> {}

/** An invoice that was deleted is back. */
export interface InvoiceRestored extends Envelope<'invoice.restored', Data<InvoiceRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface ProjectRecord {
  readonly id: string;
  readonly name?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly description?: string | null;
  readonly datestart?: string | null;
  readonly dateend?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly alert_percent?: number | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly alert_date?: string | null;
  readonly active?: boolean | null;
  readonly billable?: boolean | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly budget?: number | null;
  readonly clientid?: string | null;
  readonly client?: string | null;
  readonly clientlocalid?: string | null;
  readonly labelid?: string | null;
  readonly label?: string | null;
  readonly labelcolor?: string | null;
  readonly label_order?: number | null;
  readonly localidunpadded?: string | null;
  readonly localid?: string | null;
  readonly manager?: string | null;
  readonly managerid?: readonly string[];
}

/** A project appeared. */
export interface ProjectCreated extends Envelope<'project.created', Data<ProjectRecord>> {}

/** A project was made active. */
export interface ProjectActivated extends Envelope<'project.activated', Data<ProjectRecord>> {}

/** A project was made inactive. */
export interface ProjectDeactivated extends Envelope<'project.deactivated', Data<ProjectRecord>> {}

/** A project has another manager. */
export interface ProjectManagerChanged extends Envelope<'project.manager_changed', Data<ProjectRecord>> {}

/** A project has another budget. */
export interface ProjectBudgetChanged extends Envelope<'project.budget_changed', Data<ProjectRecord>> {}

/** A project ends on another day, or on none. */
export interface ProjectEndDateChanged extends Envelope<'project.end_date_changed', Data<ProjectRecord>> {}

/** A project ends soon. */
export interface ProjectEndingSoon extends Envelope<'project.ending_soon', Data<ProjectRecord>> {}

/** A project is past its end date and still active. */
export interface ProjectPastEnd extends Envelope<'project.past_end', Data<ProjectRecord>> {}

/** A project changed. */
export interface ProjectUpdated extends Envelope<'project.updated', Data<ProjectRecord>> {}

/** A project is gone. */
export interface ProjectDeleted extends Envelope<'project.deleted', Data<ProjectRecord>> {}

/** A project that was deleted is back. */
export interface ProjectRestored extends Envelope<'project.restored', Data<ProjectRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface PersonRecord {
  readonly id: string;
  readonly localid?: string | null;
  readonly clientid?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly title?: string | null;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly primaryaccount?: boolean | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly notes?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly allprojects?: boolean | null;
  readonly active?: boolean | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly private?: boolean | null;
  readonly tips?: boolean | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly username?: string | null;
  readonly groupid?: string | null;
  readonly group?: string | null;
  readonly client?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly numlogins?: number | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly lastlogin?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly timezone?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly timezone_offset?: string | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly restricttasks?: boolean | null;
  readonly clientlocalid?: string | null;
  readonly calendarorientation?: string | null;
  readonly editordisabled?: number | null;
  readonly email?: string | null;
  /** Absent when the token's role is Manager or Resource or Executive. */
  readonly hourlyrate?: number | null;
  /** Absent when the token's role is Resource or Executive. */
  readonly cancomment?: boolean | null;
}

/** A person appeared. */
export interface PersonCreated extends Envelope<'person.created', Data<PersonRecord>> {}

/** A person was made active. */
export interface PersonActivated extends Envelope<'person.activated', Data<PersonRecord>> {}

/** A person was made inactive. */
export interface PersonDeactivated extends Envelope<'person.deactivated', Data<PersonRecord>> {}

/** A person has another role. */
export interface PersonGroupChanged extends Envelope<'person.group_changed', Data<PersonRecord>> {}

/** A person changed. */
export interface PersonUpdated extends Envelope<'person.updated', Data<PersonRecord>> {}

/** A person is gone. */
export interface PersonDeleted extends Envelope<'person.deleted', Data<PersonRecord>> {}

/** A person that was deleted is back. */
export interface PersonRestored extends Envelope<'person.restored', Data<PersonRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface ClientRecord {
  readonly id: string;
  readonly localid?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly datecreated?: string | null;
  readonly active?: boolean | string | null;
  readonly email?: string | null;
  readonly localidunpadded?: string | null;
  readonly datemodified?: string | null;
  /** The API does not describe its fields; there may be more. */
  readonly [field: string]: Value | undefined;
}

/** A client appeared. */
export interface ClientCreated extends Envelope<'client.created', Data<ClientRecord>> {}

/** A client was made active. */
export interface ClientActivated extends Envelope<'client.activated', Data<ClientRecord>> {}

/** A client was made inactive. */
export interface ClientDeactivated extends Envelope<'client.deactivated', Data<ClientRecord>> {}

/** A client changed. */
export interface ClientUpdated extends Envelope<'client.updated', Data<ClientRecord>> {}

/** A client is gone. */
export interface ClientDeleted extends Envelope<'client.deleted', Data<ClientRecord>> {}

/** A client that was deleted is back. */
export interface ClientRestored extends Envelope<'client.restored', Data<ClientRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface ExpenseRecord {
  readonly id: string;
  readonly projectid?: string | null;
  readonly date?: string | null;
  readonly expense?: number | string | null;
  readonly fee?: number | string | null;
  readonly note?: string | null;
  readonly personid?: string | null;
  readonly project?: string | null;
  readonly client?: string | null;
  readonly person?: string | null;
  readonly clientid?: string | null;
  readonly clientlocalid?: string | null;
  readonly managerid?: readonly string[];
  readonly manager?: string | null;
  readonly projectlocalid?: string | null;
  readonly projectlabel?: string | null;
  readonly projectlabel_order?: number | string | null;
  readonly projectlabelid?: string | null;
  readonly datemodified?: string | null;
  /** The API does not describe its fields; there may be more. */
  readonly [field: string]: Value | undefined;
}

/** An expense appeared. */
export interface ExpenseCreated extends Envelope<'expense.created', Data<ExpenseRecord>> {}

/** An expense changed. */
export interface ExpenseUpdated extends Envelope<'expense.updated', Data<ExpenseRecord>> {}

/** An expense is gone. */
export interface ExpenseDeleted extends Envelope<'expense.deleted', Data<ExpenseRecord>> {}

/** An expense that was deleted is back. */
export interface ExpenseRestored extends Envelope<'expense.restored', Data<ExpenseRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface DocumentRecord {
  readonly id: string;
  readonly personid?: string | null;
  readonly title?: string | null;
  readonly public?: boolean | string | null;
  readonly datemodified?: string | null;
  readonly active?: boolean | string | null;
  readonly notes?: string | null;
  readonly filename?: string | null;
  readonly tags?: readonly string[];
  readonly taskid?: string | null;
  readonly milestoneid?: string | null;
  readonly queueid?: string | null;
  readonly projectid?: string | null;
  readonly clientid?: string | null;
  readonly moduleid?: string | null;
  readonly person?: string | null;
  readonly task?: string | null;
  readonly milestone?: string | null;
  readonly project?: string | null;
  readonly client?: string | null;
  readonly module?: string | null;
  readonly projectactive?: boolean | string | null;
  /** The API does not describe its fields; there may be more. */
  readonly [field: string]: Value | undefined;
}

/** A document appeared. */
export interface DocumentCreated extends Envelope<'document.created', Data<DocumentRecord>> {}

/** A document was made active. */
export interface DocumentActivated extends Envelope<'document.activated', Data<DocumentRecord>> {}

/** A document was made inactive. */
export interface DocumentDeactivated extends Envelope<'document.deactivated', Data<DocumentRecord>> {}

/** A document changed. */
export interface DocumentUpdated extends Envelope<'document.updated', Data<DocumentRecord>> {}

/** A document is gone. */
export interface DocumentDeleted extends Envelope<'document.deleted', Data<DocumentRecord>> {}

/** A document that was deleted is back. */
export interface DocumentRestored extends Envelope<'document.restored', Data<DocumentRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface GroupRecord {
  readonly id: string;
  readonly group?: string | null;
  readonly name?: string | null;
  /** The API does not describe its fields; there may be more. */
  readonly [field: string]: Value | undefined;
}

/** A group appeared. */
export interface GroupCreated extends Envelope<'group.created', Data<GroupRecord>> {}

/** A group changed. */
export interface GroupUpdated extends Envelope<'group.updated', Data<GroupRecord>> {}

/** A group is gone. */
export interface GroupDeleted extends Envelope<'group.deleted', Data<GroupRecord>> {}

/** A group that was deleted is back. */
export interface GroupRestored extends Envelope<'group.restored', Data<GroupRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface ProjectmoduleRecord {
  readonly id: string;
  readonly projectid?: string | null;
  readonly moduleid?: string | null;
  readonly description?: string | null;
  readonly active?: boolean | string | null;
  readonly module?: string | null;
  readonly project?: string | null;
  readonly projectlocalid?: string | null;
  readonly clientid?: string | null;
  readonly client?: string | null;
  /** The API does not describe its fields; there may be more. */
  readonly [field: string]: Value | undefined;
}

/** A projectmodule appeared. */
export interface ProjectmoduleCreated extends Envelope<'projectmodule.created', Data<ProjectmoduleRecord>> {}

/** A projectmodule was made active. */
export interface ProjectmoduleActivated extends Envelope<'projectmodule.activated', Data<ProjectmoduleRecord>> {}

/** A projectmodule was made inactive. */
export interface ProjectmoduleDeactivated extends Envelope<'projectmodule.deactivated', Data<ProjectmoduleRecord>> {}

/** A projectmodule changed. */
export interface ProjectmoduleUpdated extends Envelope<'projectmodule.updated', Data<ProjectmoduleRecord>> {}

/** A projectmodule is gone. */
export interface ProjectmoduleDeleted extends Envelope<'projectmodule.deleted', Data<ProjectmoduleRecord>> {}

/** A projectmodule that was deleted is back. */
export interface ProjectmoduleRestored extends Envelope<'projectmodule.restored', Data<ProjectmoduleRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface SourceRecord {
  readonly id: string;
  /** Its name in the config. */
  readonly name?: string;
  /** The zone in which its days begin. */
  readonly timeZone?: string;
  /** Names the zone and rules its days are reckoned by. */
  readonly reckoning?: string;
  readonly state?: 'ok' | 'unreachable' | 'unauthorized';
  /** Why it is not ok. */
  readonly reason?: string | null;
  readonly failedCycles?: number;
  readonly quota?: 'ok' | 'low' | 'exhausted';
  readonly baselined?: boolean;
  /** How many records there are of each resource. */
  readonly counts?: { readonly [key: string]: number | null };
  /** Resources the token may not read. */
  readonly forbidden?: readonly string[];
  /** Resources no scan of which has completed for a while. */
  readonly stale?: readonly string[];
  /** How many records of a resource are missing and not called deleted yet. */
  readonly held?: { readonly [key: string]: number | null };
}

/** Everything the token may read has been read once, silently; from now on changes are told. */
export interface SourceBaselined extends Envelope<'source.baselined', Data<SourceRecord>> {}

/** Three cycles in a row could read nothing. */
export interface SourceUnreachable extends Envelope<'source.unreachable', Data<SourceRecord>> {}

/** The API refuses the token: nothing is read until a person mends it. */
export interface SourceUnauthorized extends Envelope<'source.unauthorized', Data<SourceRecord>> {}

/** A source that was unreachable or refused the token is read again; what changed meanwhile follows. */
export interface SourceRecovered extends Envelope<'source.recovered', Data<SourceRecord>> {}

/** The token's role may not read a resource; the others go on. It is tried again once a day. */
export interface SourceForbidden extends Envelope<'source.forbidden', Data<SourceRecord>> {}

/** No scan of a resource has completed for three intervals, though the source answers. */
export interface SourceStale extends Envelope<'source.stale', Data<SourceRecord>> {}

/** Nine tenths of our share of the day's requests are used; cadences are stretched. */
export interface SourceQuotaLow extends Envelope<'source.quota_low', Data<SourceRecord>> {}

/** Our share of the day's requests is used; polling goes on when the count starts anew. */
export interface SourceQuotaExhausted extends Envelope<'source.quota_exhausted', Data<SourceRecord>> {}

/** A sweep lacks more than 5 % of the records, and more than 10: taken for a fault, not for deletions, until it has lasted an hour and a sample is truly gone. */
export interface SourceMassDisappearance extends Envelope<'source.mass_disappearance', Data<SourceRecord>> {}

/** All but the id may be absent: a role may hide them. */
export interface SubscriptionRecord {
  readonly id: string;
  /** Its name in the config. */
  readonly name?: string;
  readonly state?: 'ok' | 'failing' | 'disabled' | 'paused';
  /** What went wrong, in words. */
  readonly reason?: string | null;
  /** The first of the failures since the last success. */
  readonly failingSince?: Value;
  /** When it was told that it will be disabled. */
  readonly warnedAt?: Value;
  readonly disabledAt?: Value;
  /** The delivery that is tried while it is disabled. */
  readonly probe?: string | null;
  /** Whether the receiver said that it wants nothing more. */
  readonly gone?: boolean;
  /** Addresses that asked for nothing more. */
  readonly muted?: readonly string[];
}

/** A receiver does not take what it is sent; what is for it is kept and tried again. */
export interface SubscriptionFailing extends Envelope<'subscription.failing', Data<SubscriptionRecord>> {}

/** Nothing is sent to a receiver any longer but a try now and then; what is for it is kept. */
export interface SubscriptionDisabled extends Envelope<'subscription.disabled', Data<SubscriptionRecord>> {}

/** A receiver that was failing or disabled takes what it is sent again. */
export interface SubscriptionRecovered extends Envelope<'subscription.recovered', Data<SubscriptionRecord>> {}

/** Resources of which the API shows no field. */
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

export interface OtherRecord {
  readonly id: string;
  readonly [field: string]: Value;
}

/** A record appeared. */
export interface RecordCreated extends Envelope<`${OtherResource}.created`, Data<OtherRecord>> {}

/** A record changed. */
export interface RecordUpdated extends Envelope<`${OtherResource}.updated`, Data<OtherRecord>> {}

/** A record is gone. */
export interface RecordDeleted extends Envelope<`${OtherResource}.deleted`, Data<OtherRecord>> {}

/** A record that was deleted is back. */
export interface RecordRestored extends Envelope<`${OtherResource}.restored`, Data<OtherRecord>> {}

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
  | SubscriptionRecovered
  | RecordCreated
  | RecordUpdated
  | RecordDeleted
  | RecordRestored;
