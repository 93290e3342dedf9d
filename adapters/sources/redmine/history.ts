/**
 * The history of an issue from its journals: each change with its person, its instant and the record after it. What Redmine
 * changes without a journal, such as values that a parent takes from its subtasks, is left to the comparison of rows.
 */

import { isJsonObject, isSameValue } from '../../../core/model/json.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Author } from '../../../core/model/snapshot.ts';
import { between, type Instant, parseInstant, SECOND } from '../../../core/model/time.ts';
import type { WireRow } from '../../../core/ports/source-api.ts';
import type { HistoryStep, ReadApi, RecordChange } from '../../../core/ports/source-traits.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { customFieldName, encodeText, htmlOf, type RedmineRow, referenceIn, taskRow, utcDayOf } from './rows.ts';

interface Journal {
  readonly at: Instant;
  readonly by: Author | undefined;
  /** Empty for a comment. */
  readonly details: readonly Detail[];
}

interface Detail {
  /** `status_id`, or `cf:3` for a custom field. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The journal of a change is written after the issue, perhaps in the next second. */
const TOLERANCE = 2 * SECOND;

/** One request. Empty when the journals explain nothing. */
export async function readHistory(
  api: ReadApi,
  { resource, id, before }: RecordChange,
  signal?: AbortSignal,
): Promise<readonly HistoryStep[]> {
  if (resource !== 'task') return [];
  const issue = await api.get('history', id, signal);
  const statuses = await readStatuses(api, signal);
  return issue === undefined ? [] : historyOf(issue, before?.record, statuses);
}

/** The ids of closed statuses. */
interface Statuses {
  readonly names: ReadonlyMap<string, string>;
  readonly closed: ReadonlySet<string>;
}

async function readStatuses(api: ReadApi, signal?: AbortSignal): Promise<Statuses> {
  const rows = (await api.list('status', { offset: 0, limit: 100, filters: {} }, signal)).content().rows;
  const statuses = rows.map((row) => row.parse());
  return {
    names: new Map(statuses.map(({ id, name }) => [String(id), String(name)])),
    closed: new Set(statuses.filter((row) => row.is_closed === true).map(({ id }) => String(id))),
  };
}

function historyOf(issue: RedmineRow, before: Fields | undefined, statuses: Statuses): readonly HistoryStep[] {
  const journals = readJournals(issue);
  const patch = (detail: Detail, at: Instant, record: Fields) => translate(detail, { at, record, issue, statuses });
  const steps: HistoryStep[] = [];
  let record: Fields;
  let unseen: readonly Journal[];
  if (before === undefined) {
    const createdAt = instantOf(issue.created_on);
    if (createdAt === undefined) return [];
    record = asCreated(issue, journals, patch, createdAt);
    const author = authorOf(issue.author);
    steps.push({ record, at: createdAt, ...(author === undefined ? {} : { by: author }) });
    unseen = journals;
  } else {
    record = before;
    unseen = journals.slice(countSeen(journals, before, issue, patch));
  }
  for (const { at, by, details } of unseen) {
    if (details.length === 0) continue;
    for (const detail of details) record = { ...record, ...patch(detail, at, record) };
    record = { ...record, datemodified: secondsOf(at) };
    steps.push({ record, at, ...(by === undefined ? {} : { by }) });
  }
  return steps;
}

type Patch = (detail: Detail, at: Instant, record: Fields) => Fields;

/** The issue with the values before the first change of each field. Hours are logged afterwards. */
function asCreated(issue: RedmineRow, journals: readonly Journal[], patch: Patch, at: Instant): Fields {
  const row = cleanTask(taskRow(issue));
  let record: Fields = { ...row, ...('actual' in row ? { actual: 0 } : {}), datemodified: secondsOf(at) };
  const details = journals.flatMap((journal) => journal.details);
  const first = new Map(details.toReversed().map((detail) => [detail.name, detail]));
  for (const { name, from, to } of first.values())
    record = { ...record, ...patch({ name, from: to, to: from }, at, record) };
  return record;
}

/**
 * How many journals the snapshot shows already. By their instants, except around the second of its last modification: there
 * the values decide. If the issue was modified since, at least the last journal is new.
 */
function countSeen(journals: readonly Journal[], before: Fields, issue: RedmineRow, patch: Patch): number {
  const modified = instantOf(before.datemodified);
  if (modified === undefined) return journals.length;
  const least = journals.filter(({ at }) => at < modified).length;
  const same = journals.filter(({ at }) => at === modified).length;
  const next = journals[least + same];
  const mayBeLate = next !== undefined && between(modified, next.at) <= TOLERANCE;
  const isModified = (instantOf(issue.updated_on) ?? modified) > modified;
  const most = Math.min(least + same + (mayBeLate ? 1 : 0), journals.length - (isModified ? 1 : 0));
  for (let seen = most; seen > least; seen--) {
    if (shows(before, journals.slice(least, seen), journals.slice(seen), patch)) return seen;
  }
  return least;
}

/** Whether the record has the last values of what was seen, and the first old ones of what was not. */
function shows(before: Fields, seen: readonly Journal[], unseen: readonly Journal[], patch: Patch): boolean {
  const expected = new Map<string, Detail>();
  const undone = unseen.flatMap(({ details }) => details).toReversed();
  for (const detail of undone) expected.set(detail.name, { ...detail, from: detail.to, to: detail.from });
  for (const { details } of seen) {
    for (const detail of details) {
      const later = unseen.some((journal) => journal.details.some(({ name }) => name === detail.name));
      if (!later) expected.set(detail.name, detail);
    }
  }
  return [...expected.values()].every((detail) => {
    const { dateclosed: _, ...values } = patch(detail, '1970-01-01T00:00:00.000Z', before);
    return WATCHED.filter((field) => field in values).every((field) => isSameValue(before[field], values[field]));
  });
}

const WATCHED = [
  'title',
  'summary',
  'projectid',
  'statusid',
  'priorityid',
  'assigneeid',
  'milestoneid',
  'dateopen',
].concat('datedue', 'estimate', 'x_trackerid', 'x_categoryid', 'x_parentid', 'x_done_ratio', 'x_private');

interface PatchContext {
  readonly at: Instant;
  readonly record: Fields;
  readonly issue: RedmineRow;
  readonly statuses: Statuses;
}

/** Journals name other records by their ids: the issue and the record before know some of their names. */
const REFERENCES: Readonly<Record<string, { readonly key: string; readonly id: string; readonly label: string }>> = {
  project_id: { key: 'project', id: 'projectid', label: 'project' },
  priority_id: { key: 'priority', id: 'priorityid', label: 'severity' },
  fixed_version_id: { key: 'fixed_version', id: 'milestoneid', label: 'milestone' },
  tracker_id: { key: 'tracker', id: 'x_trackerid', label: 'x_tracker' },
  category_id: { key: 'category', id: 'x_categoryid', label: 'x_category' },
};

/** The fields that a detail changes, cleaned. Empty for what is not part of the model, such as attachments. */
function translate({ name, from, to }: Detail, context: PatchContext): Fields {
  const { record, issue, statuses, at } = context;
  const reference = REFERENCES[name];
  if (reference !== undefined) {
    const { key, id, label } = reference;
    const now = referenceIn(issue[key]);
    const known = to === now.id ? now.name : to === record[id] ? undefined : to === null ? null : `#${to}`;
    if (known === undefined) return { [id]: to };
    return cleanPart({ [id]: to, [label]: label.startsWith('x_') ? known : encodeText(known) });
  }
  if (name.startsWith('cf:')) return customField(name.slice(3), from, to, context);
  switch (name) {
    case 'status_id': {
      const isClosed = to !== null && statuses.closed.has(to);
      const wasClosed = record.dateclosed !== null && record.dateclosed !== undefined;
      const dateclosed = isClosed ? (wasClosed ? (record.dateclosed ?? null) : utcDayOf(at)) : null;
      return cleanPart({ statusid: to, status: encodeText(statuses.names.get(to ?? '') ?? `#${to}`), dateclosed });
    }
    case 'assigned_to_id': {
      if (to === null) return { assigneeid: [], assignees: [] };
      return cleanPart({ assigneeid: [to], assignees: [encodeText(personName(issue, to))] });
    }
    case 'subject':
      return cleanPart({ title: encodeText(to) });
    case 'description':
      return cleanPart({ summary: htmlOf(to) });
    case 'start_date':
      return cleanPart({ dateopen: to });
    case 'due_date':
      return cleanPart({ datedue: to });
    case 'estimated_hours':
      return cleanPart({ estimate: to === null || to === '' ? 0 : to });
    case 'done_ratio':
      return { x_done_ratio: Number(to ?? 0) };
    case 'is_private':
      return { x_private: to === '1' || to === 't' || to === 'true' };
    case 'parent_id':
      return { x_parentid: to };
    default:
      return {};
  }
}

/** A field with several values has one detail for each value that was added or removed. */
function customField(id: string, from: string | null, to: string | null, { issue, record }: PatchContext): Fields {
  const fields = Array.isArray(issue.custom_fields) ? issue.custom_fields.filter(isJsonObject) : [];
  const field = fields.find((one) => String(one.id) === id);
  if (field === undefined) return {};
  const key = customFieldName(field.id, field.name);
  if (field.multiple !== true) return { [key]: to === '' ? null : to };
  const current = record[key];
  const values = Array.isArray(current) ? current.map(String) : [];
  const rest = from === null ? values : values.filter((value) => value !== from);
  return { [key]: to === null || rest.includes(to) ? rest : [...rest, to] };
}

/** Of the people that the issue names. */
function personName(issue: RedmineRow, id: string): string {
  const users = Array.isArray(issue.journals) ? issue.journals.filter(isJsonObject).map(({ user }) => user) : [];
  const people = [issue.assigned_to, issue.author, ...users].map(referenceIn);
  return people.find((person) => person.id === id)?.name ?? `#${id}`;
}

function readJournals({ journals }: RedmineRow): readonly Journal[] {
  if (!Array.isArray(journals)) return [];
  return journals
    .filter(isJsonObject)
    .flatMap((journal) => {
      const at = instantOf(journal.created_on);
      const details = Array.isArray(journal.details) ? journal.details.filter(isJsonObject).flatMap(readDetail) : [];
      return at === undefined ? [] : [{ at, by: authorOf(journal.user), details }];
    })
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function readDetail({ property, name, old_value, new_value }: RedmineRow): readonly Detail[] {
  const text = (value: unknown) => (value === undefined || value === null || value === '' ? null : String(value));
  if (property !== 'attr' && property !== 'cf') return [];
  return [{ name: property === 'cf' ? `cf:${name}` : String(name), from: text(old_value), to: text(new_value) }];
}

function authorOf(value: unknown): Author | undefined {
  const { id, name } = referenceIn(value);
  return id === null ? undefined : { id, name };
}

const instantOf = (value: unknown) => (typeof value === 'string' ? parseInstant(value) : undefined);
const secondsOf = (at: Instant) => `${at.slice(0, 19)}Z`;

function cleanTask(row: WireRow): Fields {
  return cleanRow(resourceOf('task'), row).fields;
}

/** Some fields of a task, cleaned as a whole row is. */
function cleanPart(row: WireRow): Fields {
  const { id: _, ...fields } = cleanTask({ ...row, id: '1' });
  return fields;
}
