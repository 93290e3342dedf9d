/**
 * The history of an issue from its journals: each change with its person, its instant and the record after it. What Redmine
 * changes without a journal, such as values that a parent takes from its subtasks, is left to the comparison of rows.
 */

import { GiveUp } from '../../../core/model/errors.ts';
import { isJsonObject } from '../../../core/model/json.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Author } from '../../../core/model/snapshot.ts';
import { type Instant, parseInstant } from '../../../core/model/time.ts';
import type { HistoryStep, ReadApi, RecordChange, WireRow } from '../../../core/ports/source-api.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { OWN_RECORD } from '../../../core/snapshot/compare.ts';
import { type Detail, type Journal, type JournalledRecord, replayJournals } from '../journals/replay-journals.ts';
import { referenceIn } from '../named-reference.ts';
import { encodeText, htmlOf } from '../plain-text.ts';
import { HISTORY, LISTED, MAX_PAGE_SIZE } from './resources.ts';
import { customFieldName, type RedmineRow, taskRow, utcDayOf } from './rows.ts';

/** One request, and one for each name that only the journals know. Empty when the journals explain nothing. */
export async function readHistory(
  api: ReadApi,
  { resource, id, before }: RecordChange,
  signal?: AbortSignal,
): Promise<readonly HistoryStep[]> {
  if (resource !== 'task') return [];
  const issue = await api.get(HISTORY, id, signal);
  if (issue === undefined) return [];
  const rows = (await api.list('status', ALL, signal)).content().rows.map((row) => row.parse());
  const closed = new Set(rows.filter((row) => row.is_closed === true).map((row) => String(row.id)));
  const names = new Map(rows.map((row) => [`status/${row.id}`, String(row.name)]));
  const unknown = new Set<string>();
  const nameOf = (kind: string, one: string) => {
    const key = `${kind}/${one}`;
    if (!names.has(key)) unknown.add(key);
    return names.get(key) ?? `#${one}`;
  };
  const replay = () => replayJournals(journalled(issue, closed, nameOf), before?.record);
  const steps = replay();
  if (unknown.size === 0) return steps;
  for (const key of unknown) names.set(key, (await readName(api, key, signal)) ?? `#${key.replace(/.*\//, '')}`);
  return replay();
}

const ALL = { offset: 0, limit: MAX_PAGE_SIZE, filters: {} };

/** The name of a record that an issue referred to between two polls. Undefined where it is gone, or nobody may see it. */
async function readName(api: ReadApi, key: string, signal?: AbortSignal): Promise<string | undefined> {
  const [kind = '', id = ''] = key.split('/');
  try {
    const row = LISTED.includes(kind)
      ? (await api.list(kind, ALL, signal))
          .content()
          .rows.find((one) => one.id === id)
          ?.parse()
      : await api.get(kind, id, signal);
    const parts = [row?.name, row?.firstname, row?.lastname].filter((part) => typeof part === 'string');
    return parts.length === 0 ? undefined : parts.join(' ').replaceAll('&amp;', '&');
  } catch (error) {
    if (error instanceof GiveUp) return undefined;
    throw error;
  }
}

function journalled(issue: RedmineRow, closed: ReadonlySet<string>, nameOf: NameOf): JournalledRecord {
  const record = cleanTask(taskRow(issue));
  return {
    record,
    createdAt: instantOf(issue.created_on),
    createdBy: authorOf(issue.author),
    modifiedAt: instantOf(issue.updated_on),
    journals: readJournals(issue),
    initially: 'actual' in record ? { actual: 0 } : {},
    roles: resourceOf('task') ?? OWN_RECORD,
    patch: (detail, at, before) => translate(detail, { at, record: before, issue, closed, nameOf }),
  };
}

/** The name of a record by its kind and id; `#` and the id while it is unknown. */
type NameOf = (kind: string, id: string) => string;

interface PatchContext {
  readonly at: Instant;
  readonly record: Fields;
  readonly issue: RedmineRow;
  /** The ids of closed statuses. */
  readonly closed: ReadonlySet<string>;
  readonly nameOf: NameOf;
}

/** Journals name other records by their ids: the issue and the record before know some of their names. */
const REFERENCES: Readonly<Record<string, Readonly<Record<'key' | 'kind' | 'id' | 'label', string>>>> = {
  project_id: { key: 'project', kind: 'project', id: 'projectid', label: 'project' },
  priority_id: { key: 'priority', kind: 'priority', id: 'priorityid', label: 'severity' },
  fixed_version_id: { key: 'fixed_version', kind: 'milestone', id: 'milestoneid', label: 'milestone' },
  tracker_id: { key: 'tracker', kind: 'tracker', id: 'x_trackerid', label: 'x_tracker' },
  category_id: { key: 'category', kind: 'category', id: 'x_categoryid', label: 'x_category' },
};

const VALUES: Readonly<Record<string, (to: string | null) => WireRow>> = {
  subject: (to) => ({ title: encodeText(to) }),
  description: (to) => ({ summary: htmlOf(to) }),
  start_date: (to) => ({ dateopen: to }),
  due_date: (to) => ({ datedue: to }),
  estimated_hours: (to) => ({ estimate: to ?? 0 }),
  done_ratio: (to) => ({ x_done_ratio: Number(to ?? 0) }),
  is_private: (to) => ({ x_private: to === '1' || to === 't' || to === 'true' }),
  parent_id: (to) => ({ x_parentid: to }),
};

/** The fields that a detail changes, cleaned. Empty for what is not part of the model, such as attachments. */
function translate({ name, from, to }: Detail, context: PatchContext): Fields {
  const { record, issue, closed, nameOf, at } = context;
  const reference = REFERENCES[name];
  if (reference !== undefined) {
    const { key, kind, id, label } = reference;
    const now = referenceIn(issue[key]);
    const known = to === now.id ? now.name : to === record[id] ? undefined : to === null ? null : nameOf(kind, to);
    if (known === undefined) return { [id]: to };
    return cleanPart({ [id]: to, [label]: label.startsWith('x_') ? known : encodeText(known) });
  }
  if (name.startsWith('cf:')) return customField(name.slice(3), from, to, context);
  switch (name) {
    case 'status_id': {
      const isClosed = to !== null && closed.has(to);
      const wasClosed = record.dateclosed !== null && record.dateclosed !== undefined;
      const dateclosed = isClosed ? (wasClosed ? (record.dateclosed ?? null) : utcDayOf(at)) : null;
      return cleanPart({ statusid: to, status: encodeText(nameOf('status', to ?? '')), dateclosed });
    }
    case 'assigned_to_id': {
      if (to === null) return { assigneeid: [], assignees: [] };
      return cleanPart({ assigneeid: [to], assignees: [encodeText(personName(issue, to) ?? nameOf('person', to))] });
    }
    default:
      return cleanPart(VALUES[name]?.(to) ?? {});
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
function personName(issue: RedmineRow, id: string): string | null | undefined {
  const users = Array.isArray(issue.journals) ? issue.journals.filter(isJsonObject).map(({ user }) => user) : [];
  const people = [issue.assigned_to, issue.author, ...users].map(referenceIn);
  return people.find((person) => person.id === id)?.name;
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

function cleanTask(row: WireRow): Fields {
  return cleanRow(resourceOf('task'), row).fields;
}

/** Some fields of a task, cleaned as a whole row is. */
function cleanPart(row: WireRow): Fields {
  const { id: _, ...fields } = cleanTask({ ...row, id: '1' });
  return fields;
}
