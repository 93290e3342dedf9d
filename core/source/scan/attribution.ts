/**
 * Finds the author of a task's change in the automatic notes that the service keeps. One request per scan.
 * Names an author only when the notes leave no ambiguity: no name is better than a wrong one.
 */

import type { Fields, Value } from '../../model/record.ts';
import type { Author, Change, Snapshot } from '../../model/snapshot.ts';
import { between, type Instant, parseInstant, plus, SECOND } from '../../model/time.ts';
import type { SourceApi, WireRow } from '../../ports/source-api.ts';
import { cleanValue } from '../../resources/clean.ts';
import { htmlText } from '../../resources/html-text.ts';

/** What a scan found out about one task. */
export interface TaskChange {
  readonly id: string;
  /** The snapshot before the change; undefined for a new task. */
  readonly before: Snapshot | undefined;
  readonly record: Fields;
  readonly changes: readonly Change[];
}

/** The author of everything that changed in a task since its last snapshot; undefined when that is not certain. */
export type FindAuthor = (change: TaskChange) => Author | undefined;

/** Notes read in one request. Bulk edits of more tasks have no author. */
const MAX_NOTES = 2000;

/** A note and its change carry the same second, or the next one. */
const MAX_TIME_DIFFERENCE = 2 * SECOND;

/** Never fails: without notes, changes have no author. */
export async function readAuthors(api: SourceApi, since: Instant, signal?: AbortSignal): Promise<FindAuthor> {
  const filters = { datemodifiedbegin: plus(since, -SECOND).slice(0, 19).replace('T', ' ') };
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
 * Whether the notes account for every changed field by its new value, or by its old one if the new one is empty. A
 * comment does not, so its author is not taken for the author of a change that left no note. A note without text is an
 * automatic one.
 */
function explainsChange(notes: readonly Note[], { before, record, changes }: TaskChange): boolean {
  if (notes.some(({ text }) => text === '')) return true;
  const text = notes.map((note) => note.text).join('\n');
  if (before === undefined) return /\bcreated\b/.test(text);
  const ownChanges = changes.filter(({ field }) => field !== 'localid');
  return (
    ownChanges.length > 0 &&
    ownChanges.every(({ field }) => {
      const names = NAMED_BY[field] ?? field;
      const values = [record[names], before.record[names]].map(textsOf).find((texts) => texts.length > 0);
      return values?.every((value) => text.includes(value)) === true;
    })
  );
}

/** The field with the name of what an id refers to. */
const NAMED_BY: Readonly<Record<string, string>> = {
  statusid: 'status',
  priorityid: 'severity',
  projectid: 'project',
  moduleid: 'module',
  milestoneid: 'milestone',
  assigneeid: 'assignees',
  followerid: 'followers',
  ownerid: 'owners',
};

function textsOf(value: Value | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const text = value === null || value === undefined ? '' : String(value).replace(/\s+/g, ' ').trim().toLowerCase();
  return text === '' ? [] : [text];
}

interface Note {
  readonly task: string;
  readonly author: Author | undefined;
  readonly at: Instant | undefined;
  readonly text: string;
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
    text: htmlText(String(row.note ?? '')).toLowerCase(),
  };
}

function instantIn(value: Value | undefined): Instant | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}
