/** Translates rows of Redmine into rows of our model. What Redmine has beyond the model gets fields that start with `x_`. Pure. */

import { isJsonObject } from '../../../core/model/json.ts';
import type { WireRow } from '../../../core/ports/source-api.ts';
import { idsOf, namesOf, referenceIn } from '../named-reference.ts';
import { encodeText, htmlOf } from '../plain-text.ts';

/** A row as Redmine returns it. */
export type RedmineRow = Readonly<Record<string, unknown>>;

/** Instants are UTC; the day is that of UTC as well. */
export const utcDayOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 10) : null);

export function taskRow(issue: RedmineRow): WireRow {
  const { project, status, priority, author, assigned_to, fixed_version, tracker, category, parent } = issue;
  const [inProject, inStatus, by, to] = [
    referenceIn(project),
    referenceIn(status),
    referenceIn(author),
    referenceIn(assigned_to),
  ];
  const version = referenceIn(fixed_version);
  const isClosed = isJsonObject(status) && status.is_closed === true;
  return {
    id: issue.id,
    localid: String(issue.id),
    title: encodeText(issue.subject),
    summary: htmlOf(issue.description),
    projectid: inProject.id,
    project: encodeText(inProject.name),
    statusid: inStatus.id,
    status: encodeText(inStatus.name),
    priorityid: referenceIn(priority).id,
    severity: encodeText(referenceIn(priority).name),
    assigneeid: idsOf(to),
    assignees: namesOf(to).map(encodeText),
    ownerid: idsOf(by),
    owners: namesOf(by).map(encodeText),
    milestoneid: version.id,
    milestone: encodeText(version.name),
    dateopen: issue.start_date ?? null,
    datedue: issue.due_date ?? null,
    // Redmine keeps the closing time of an issue that was reopened.
    dateclosed: isClosed ? utcDayOf(issue.closed_on ?? issue.updated_on) : null,
    estimate: issue.estimated_hours ?? 0,
    // Only roles that may see time entries get it.
    ...(issue.spent_hours === undefined ? {} : { actual: issue.spent_hours }),
    datecreated: utcDayOf(issue.created_on),
    datemodified: issue.updated_on,
    x_trackerid: referenceIn(tracker).id,
    x_tracker: referenceIn(tracker).name,
    x_categoryid: referenceIn(category).id,
    x_category: referenceIn(category).name,
    x_parentid: referenceIn(parent).id,
    x_done_ratio: issue.done_ratio ?? 0,
    x_private: issue.is_private === true,
    ...customFields(issue),
  };
}

/** Fields by the names that people gave them, so that filters and messages show these: `x_severity`. */
function customFields({ custom_fields: fields }: RedmineRow): WireRow {
  if (!Array.isArray(fields)) return {};
  const entries = fields.filter(isJsonObject).map(({ id, name, value }) => [customFieldName(id, name), value ?? null]);
  return Object.fromEntries(entries);
}

/** `x_target_group`. Another field of the model or of Redmine keeps its name. */
export function customFieldName(id: unknown, name: unknown): string {
  const words = typeof name === 'string' ? name.toLowerCase().match(/[\p{L}\p{N}]+/gu) : null;
  const field = `x_${words?.join('_') ?? `field_${id}`}`;
  return OWN_FIELDS.includes(field) || field.endsWith('id') ? `x_field_${id}` : field;
}

const OWN_FIELDS = ['tracker', 'category', 'parent', 'done_ratio', 'private', 'public', 'admin', 'sharing'].map(
  (name) => `x_${name}`,
);

/** 1: active, 5: closed. Archived projects are not listed. */
const ACTIVE = 1;

function projectRow(project: RedmineRow): WireRow {
  return {
    id: project.id,
    name: encodeText(project.name),
    localid: encodeText(project.identifier),
    description: htmlOf(project.description),
    active: project.status === undefined || project.status === ACTIVE,
    x_parentid: referenceIn(project.parent).id,
    x_public: project.is_public === true,
    ...customFields(project),
  };
}

function milestoneRow(version: RedmineRow): WireRow {
  const project = referenceIn(version.project);
  return {
    id: version.id,
    name: encodeText(version.name),
    projectid: project.id,
    project: encodeText(project.name),
    description: version.description ?? null,
    datedue: version.due_date ?? null,
    status: version.status ?? null,
    x_sharing: version.sharing ?? null,
    datemodified: version.updated_on,
    ...customFields(version),
  };
}

function timeRow(entry: RedmineRow): WireRow {
  const [project, person, activity] = [entry.project, entry.user, entry.activity].map(referenceIn);
  return {
    id: entry.id,
    projectid: project?.id ?? null,
    project: encodeText(project?.name),
    taskid: referenceIn(entry.issue).id,
    personid: person?.id ?? null,
    person: encodeText(person?.name),
    worktypeid: activity?.id ?? null,
    worktype: encodeText(activity?.name),
    time: entry.hours ?? 0,
    date: entry.spent_on ?? null,
    description: entry.comments ?? null,
    datemodified: entry.updated_on,
    ...customFields(entry),
  };
}

/** Lists have active people only, without a status. The key of a person is never taken over. */
function personRow(user: RedmineRow): WireRow {
  return {
    id: user.id,
    localid: String(user.id),
    firstname: encodeText(user.firstname),
    lastname: encodeText(user.lastname),
    username: encodeText(user.login),
    ...(user.mail === undefined ? {} : { email: user.mail }),
    active: user.status === undefined || user.status === ACTIVE,
    ...(user.admin === undefined ? {} : { x_admin: user.admin === true }),
    ...customFields(user),
  };
}

export const TRANSLATIONS: Readonly<Record<string, (row: RedmineRow) => WireRow>> = {
  task: taskRow,
  project: projectRow,
  milestone: milestoneRow,
  time: timeRow,
  person: personRow,
  me: personRow,
};
