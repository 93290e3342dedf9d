/**
 * Names the person behind a task's change, from the automatic notes the service keeps. One request a scan.
 * Says nobody rather than the wrong one: a name is given only when it can be told without doubt.
 */

import type { Author } from '../model/snapshot.ts';
import { between, type Instant, parseInstant, plus, SECOND } from '../model/time.ts';
import type { SourceApi, WireRow } from '../ports/source-api.ts';

/** Who changed this task since the last look, if that is certain. `modified`: when the task says it was changed last. */
export type FindAuthor = (task: string, modified: Instant | undefined) => Author | undefined;

/** Notes read at once; a bulk edit of more tasks than this stays without names. */
const LIMIT = 2000;

/** A note and the change it tells of carry the same second, or the next. */
const SAME_TIME = 2 * SECOND;

interface Note {
  readonly author: Author;
  readonly at: Instant;
}

/** Never fails: without notes, changes are told without names. */
export async function readAuthors(api: SourceApi, since: Instant, signal?: AbortSignal): Promise<FindAuthor> {
  const filters = { datemodifiedbegin: plus(since, -SECOND).slice(0, 19).replace('T', ' ') };
  try {
    const page = await api.list('tasknote', { offset: 0, limit: LIMIT, filters }, signal);
    const { rows, listCount } = page.content();
    // What was not read may be by somebody else.
    return listCount > rows.length ? nobody : indexAuthors(rows.map((row) => row.parse()));
  } catch {
    return nobody;
  }
}

const nobody: FindAuthor = () => undefined;

export function indexAuthors(rows: readonly WireRow[]): FindAuthor {
  const notes = new Map<string, Note[]>();
  for (const row of rows) {
    const note = noteOf(row);
    const task = String(row.taskid);
    if (note !== undefined) notes.set(task, [...(notes.get(task) ?? []), note]);
  }
  return (task, modified) => {
    const found = notes.get(task) ?? [];
    const [first] = found;
    const isOne = found.every(({ author }) => author.id === first?.author.id);
    if (first === undefined || !isOne || modified === undefined) return undefined;
    // The last change has a note: otherwise it was made by somebody who left none.
    const noted = found.some(({ at }) => Math.abs(between(at, modified)) <= SAME_TIME);
    return noted ? first.author : undefined;
  };
}

function noteOf({ personid, person, datemodified }: WireRow): Note | undefined {
  const at = parseInstant(`${String(datemodified).replace(' ', 'T')}Z`);
  const id = typeof personid === 'string' || typeof personid === 'number' ? String(personid) : '';
  if (at === undefined || id === '') return undefined;
  return { at, author: { id, name: typeof person === 'string' && person !== '' ? person : null } };
}
