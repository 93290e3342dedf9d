/**
 * Lists of which only so many entries may be open at a time, such as the snoozes of a person. Each is entered before it takes effect, so
 * that of many presses at the same time, in several processes, no more count than may.
 */

import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import type { SlackPorts } from './slack-ports.ts';

export interface LimitedEntry {
  readonly id: string;
  /** It counts until then, unless it is removed before. */
  readonly until: Instant;
}

/** A list: the kind of its document, and whose it is. */
export type EntryList = readonly [kind: string, owner: string];

type EntryPorts = Pick<SlackPorts, 'documents' | 'clock'>;

/** Returns the open entries that were entered before it. One that is entered again keeps its place. */
export async function enterLimited(
  { documents, clock }: EntryPorts,
  [kind, owner]: EntryList,
  entry: LimitedEntry,
): Promise<readonly LimitedEntry[]> {
  const now = clock.now();
  const enter = (stored: DocumentBody) => {
    const open = entriesIn(stored).filter(({ until }) => until > now);
    const isKnown = open.some(({ id }) => id === entry.id);
    const entries = isKnown ? open.map((one) => (one.id === entry.id ? entry : one)) : [...open, entry];
    return { entries };
  };
  // Others may end later.
  const expiresAt = plus(entry.until, DAY);
  for (;;) {
    const first = enter({ entries: [] });
    if (await documents.add(kind, owner, first, expiresAt)) return [];
    const entered = await documents.update(kind, owner, enter, expiresAt);
    // Undefined: it has just expired.
    if (entered === undefined) continue;
    const all = entriesIn(entered);
    return all.slice(
      0,
      all.findIndex(({ id }) => id === entry.id),
    );
  }
}

export async function removeLimited({ documents }: EntryPorts, [kind, owner]: EntryList, id: string): Promise<void> {
  await documents.update(kind, owner, (stored) => ({ entries: entriesIn(stored).filter((one) => one.id !== id) }));
}

const entriesIn = ({ entries }: DocumentBody) => entries as readonly LimitedEntry[];
