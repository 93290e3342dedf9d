/**
 * Finds the author of a task's change in the automatic notes that the service keeps. One request per scan.
 * Names an author only when the notes leave no ambiguity: no name is better than a wrong one.
 */

import type { Author } from '../model/snapshot.ts';
import { between, type Instant, parseInstant, plus, SECOND } from '../model/time.ts';
import type { SourceApi, WireRow } from '../ports/source-api.ts';

/** The only author of a task's changes since the last scan, if known. `modified`: the task's own modification time. */
export type FindAuthor = (task: string, modified: Instant | undefined) => Author | undefined;

/** Notes read in one request. Bulk edits of more tasks have no author. */
const MAX_NOTES = 2000;

/** A note and its change carry the same second, or the next one. */
const MAX_TIME_DIFFERENCE = 2 * SECOND;

interface Note {
  readonly author: Author;
  readonly at: Instant;
}

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
  const notes = new Map<string, Note[]>();
  for (const row of rows) {
    const note = parseNote(row);
    const task = String(row.taskid);
    if (note !== undefined) notes.set(task, [...(notes.get(task) ?? []), note]);
  }
  return (task, modified) => {
    const found = notes.get(task) ?? [];
    const [first] = found;
    const hasOneAuthor = found.every(({ author }) => author.id === first?.author.id);
    if (first === undefined || !hasOneAuthor || modified === undefined) return undefined;
    // A last change without a note may have another author.
    const isNoted = found.some(({ at }) => Math.abs(between(at, modified)) <= MAX_TIME_DIFFERENCE);
    return isNoted ? first.author : undefined;
  };
}

function parseNote({ personid, person, datemodified }: WireRow): Note | undefined {
  const at = parseInstant(`${String(datemodified).replace(' ', 'T')}Z`);
  const id = typeof personid === 'string' || typeof personid === 'number' ? String(personid) : '';
  if (at === undefined || id === '') return undefined;
  return { at, author: { id, name: typeof person === 'string' && person !== '' ? person : null } };
}
