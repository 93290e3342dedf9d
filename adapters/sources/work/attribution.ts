/**
 * Finds the author of a task's change in the automatic notes that the service keeps. One request per scan.
 * Names an author only when the notes leave no ambiguity: no name is better than a wrong one.
 */

import type { Value } from '../../../core/model/record.ts';
import type { Author, Snapshot } from '../../../core/model/snapshot.ts';
import { between, type Instant, parseInstant, plus, SECOND } from '../../../core/model/time.ts';
import type { FindAuthor, ReadApi, WireRow } from '../../../core/ports/source-api.ts';
import { cleanValue } from '../../../core/resources/clean.ts';
import { htmlText } from '../../../core/resources/html-text.ts';

type TaskChange = Parameters<FindAuthor>[0];

/** Notes read in one request. Bulk edits of more tasks have no author. */
const MAX_NOTES = 2000;

/** A note and its change carry the same second, or the next one. */
const MAX_TIME_DIFFERENCE = 2 * SECOND;

/** Never fails: without notes, changes have no author. */
export async function readAuthors(api: ReadApi, since: Instant, signal?: AbortSignal): Promise<FindAuthor> {
  const filters = { modifiedAfter: plus(since, -SECOND) };
  try {
    const page = await api.list('tasknote', { offset: 0, limit: MAX_NOTES, filters }, signal);
    const { rows, listCount } = page.content();
    // The notes beyond the limit may have other authors.
    return listCount > rows.length ? noAuthor : indexAuthors(rows.map((row) => row.parse()));
  } catch {
    return noAuthor;
  }
}

const noAuthor: FindAuthor = () => undefined;

export function indexAuthors(rows: readonly WireRow[]): FindAuthor {
  const notes = Map.groupBy(rows.map(parseNote), ({ task }) => task);
  return (change) => {
    const modified = instantIn(change.record.datemodified);
    const unseen = (notes.get(change.id) ?? []).filter(({ at }) => at === undefined || isUnseen(at, change.before));
    const author = unseen[0]?.author;
    // A note that does not say when or by whom it was written may be from another person.
    const hasOneAuthor = unseen.every((note) => note.at !== undefined && note.author?.id === author?.id);
    if (author === undefined || !hasOneAuthor || modified === undefined) return undefined;
    // A last change without a note may have another author.
    const isNoted = unseen.some(({ at }) => at !== undefined && Math.abs(between(at, modified)) <= MAX_TIME_DIFFERENCE);
    return isNoted && explainsChange(unseen, change) ? author : undefined;
  };
}

/** Whether a note may be about a change that the snapshot does not have yet. */
function isUnseen(at: Instant, before: Snapshot | undefined): boolean {
  const modifiedBefore = instantIn(before?.record.datemodified);
  if (before === undefined || modifiedBefore === undefined) return true;
  // The second of the last known change was not over when it was read.
  return (
    at > modifiedBefore || (at === modifiedBefore && between(modifiedBefore, before.committedAt) <= MAX_TIME_DIFFERENCE)
  );
}

/**
 * Whether the notes account for every changed field: its name, and beside it the new value. A comment does not, so its author
 * is not taken for the author of a change that left no note. A note without text is an automatic one.
 */
function explainsChange(notes: readonly Note[], { before, record, changes }: TaskChange): boolean {
  if (notes.some(({ lines }) => lines.length === 0)) return true;
  const lines = notes.toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1)).flatMap((note) => note.lines);
  if (before === undefined) return lines.some((line) => CREATED.test(line));
  const ownChanges = changes.filter(({ field }) => field !== 'localid');
  return (
    ownChanges.length > 0 &&
    ownChanges.every(({ field }) => {
      const shown = SHOWN_AS[field]?.field ?? field;
      const value = lastNotedValue(lines, SHOWN_AS[field]?.names ?? escapePattern(field), before.record[shown]);
      return value !== undefined && isSameValue(value, record[shown]);
    })
  );
}

const CREATED = /^(?:new )?(?:task )?(?:was )?created\b/;

/** The field that a note shows, if it is another one, and its names there. */
const SHOWN_AS: Readonly<Record<string, { readonly names: string; readonly field?: string }>> = {
  title: { names: 'title|name' },
  summary: { names: 'summary|description' },
  statusid: { names: 'status', field: 'status' },
  priorityid: { names: 'priority|severity', field: 'severity' },
  projectid: { names: 'project', field: 'project' },
  moduleid: { names: 'module', field: 'module' },
  milestoneid: { names: 'milestone', field: 'milestone' },
  assigneeid: { names: 'assignees?|assigned', field: 'assignees' },
  followerid: { names: 'followers?', field: 'followers' },
  ownerid: { names: 'owners?', field: 'owners' },
  dateopen: { names: 'start date|date opened|date open|open date' },
  datedue: { names: 'due date|date due|due' },
  dateclosed: { names: 'date closed|closed date|closed' },
  estimate: { names: 'estimated hours|estimate' },
};

/**
 * The value that the notes give a field last, of lines such as `Status: Open → Done`, `Status: Done` and `changed status from
 * Open to Done`; undefined when none does, or when a line can be read in two ways.
 */
function lastNotedValue(lines: readonly string[], names: string, before: Value | undefined): string | undefined {
  const form = new RegExp(
    `^(?:(?:changed|updated|set) )?(?:the )?(?:${names})(?: ?[:=] ?| (?:(?:was )?(?:changed|updated|set) )?(from|to) )(.*)$`,
  );
  const earlier = new Set([textOf(before)]);
  let last: string | undefined;
  for (const line of lines) {
    const [, preposition, values] = form.exec(line) ?? [];
    if (values === undefined) continue;
    const value = preposition === 'to' ? values : newValue(values, preposition === 'from' ? WORD : ARROW, earlier);
    if (value === undefined) return undefined;
    earlier.add(value);
    last = value;
  }
  return last;
}

const ARROW = / ?(?:→|->|=>) ?/;
const WORD = / to /;

/** `Done` of `Open → Done`. A text may contain the separator itself: then only a known old value shows where it ends. */
function newValue(values: string, separator: RegExp, earlier: ReadonlySet<string>): string | undefined {
  for (const old of earlier) {
    const rest = old !== '' && values.startsWith(old) ? values.slice(old.length) : '';
    const match = separator.exec(rest);
    if (match?.index === 0) return rest.slice(match[0].length);
  }
  const parts = values.split(separator);
  return parts.length <= 2 ? parts.at(-1) : undefined;
}

const EMPTY = /^(?:none|nobody|empty|not set|unset|-|–|—)?$/;

const HOURS = /^(\d+(?:\.\d+)?)(?: ?(?:h|hours?))?$/;

function isSameValue(noted: string, value: Value | undefined): boolean {
  const text = textOf(value);
  if (text === '') return EMPTY.test(noted);
  if (typeof value === 'number') return Number(HOURS.exec(noted)?.[1]) === value;
  const isSame = Array.isArray(value) ? sortNames(noted) === sortNames(text) : noted === text;
  return isSame || /^["“„'](.*)["”“']$/.exec(noted)?.[1] === text;
}

/** A name may contain a comma, so lists are compared by all their parts. */
function sortNames(list: string): string {
  return list.split(/ ?, ?/).sort().join();
}

function textOf(value: Value | undefined): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return value === null || value === undefined ? '' : normalizeText(String(value));
}

function escapePattern(name: string): string {
  return name.toLowerCase().replace(/\W/g, '\\$&');
}

function normalizeText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

interface Note {
  readonly task: string;
  readonly author: Author | undefined;
  readonly at: Instant | undefined;
  /** In lower case. */
  readonly lines: readonly string[];
}

/** The author is in `personid` or `authorid`, the time in `datemodified` or `date`: the API does not document which. */
function parseNote(row: WireRow): Note {
  const ids = [row.authorid, row.personid]
    .map((id) => cleanValue(id, 'id'))
    .filter((id): id is string => typeof id === 'string' && id !== '0');
  const name = [row.author, row.person]
    .map((text) => cleanValue(text, 'text'))
    .find((text) => typeof text === 'string');
  const [id] = ids;
  return {
    task: String(row.taskid),
    // Two different people: which of them wrote the note is unknown.
    author: id === undefined || ids.some((other) => other !== id) ? undefined : { id, name: name ?? null },
    at: instantIn(cleanValue(row.date, 'datetime')) ?? instantIn(cleanValue(row.datemodified, 'datetime')),
    lines: String(row.note ?? '')
      .split(LINE_END)
      .map((line) => normalizeText(htmlText(line)))
      .filter((line) => line !== ''),
  };
}

const LINE_END = /<br\b[^>]*>|<\/(?:p|div|li|tr|h\d)>|\n/i;

function instantIn(value: Value | undefined): Instant | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}
