/**
 * The journal of all changes in the account, which tests use as the truth.
 * No rule of the simulator reads it.
 */
import type { WireRecord } from '../resources/wire.ts';

type Action = 'created' | 'updated' | 'deleted';

export interface JournalEntry {
  /** 1, 2, 3 … without gaps. */
  seq: number;
  /** Instant on the simulator's clock, ISO with milliseconds. */
  at: string;
  /** Person who did it. */
  by: string;
  action: Action;
  resource: string;
  id: string;
  /** The whole record as an Administrator read it just before; null when it was created. */
  before: WireRecord | null;
  /** The same just after; null when it was deleted. */
  after: WireRecord | null;
}

/** Compact form: one record as text, and only the differing values of the other. A year has half a million entries. */
interface Kept {
  at: number;
  by: number;
  action: Action;
  resource: string;
  id: number;
  record: string;
  differs: WireRecord | undefined;
}

/** A record as an Administrator read it before and after a change; null: it did not exist. */
interface RecordedChange extends Pick<JournalEntry, 'resource' | 'before' | 'after'> {
  /** Milliseconds on the simulator's clock. */
  readonly at: number;
  readonly by: number;
  readonly id: number;
}

export interface JournalQuery {
  /** Only entries after this number. @default 0 */
  since?: number;
  resource?: string | undefined;
  id?: string | undefined;
  /** Maximum number of entries. @default - all */
  limit?: number;
}

export class Journal {
  readonly #kept: Kept[] = [];

  /** Number of the last entry. */
  get last(): number {
    return this.#kept.length;
  }

  /** Records a change of a record; does nothing if both states are equal. */
  note({ at, by, resource, id, before, after }: RecordedChange): void {
    const differs = before !== null && after !== null ? difference(before, after) : undefined;
    if (differs !== undefined && Object.keys(differs).length === 0) return;
    const action = before === null ? 'created' : after === null ? 'deleted' : 'updated';
    this.#kept.push({ at, by, action, resource, id, record: JSON.stringify(after ?? before), differs });
  }

  read(query: JournalQuery = {}): JournalEntry[] {
    const entries: JournalEntry[] = [];
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    for (let at = Math.max(0, query.since ?? 0); at < this.#kept.length && entries.length < limit; at++) {
      const kept = this.#kept[at];
      if (kept === undefined) continue;
      if (query.resource !== undefined && kept.resource !== query.resource) continue;
      if (query.id !== undefined && String(kept.id) !== query.id) continue;
      entries.push(open(kept, at + 1));
    }
    return entries;
  }
}

function open(kept: Kept, seq: number): JournalEntry {
  const record = JSON.parse(kept.record) as WireRecord;
  const { at, by, action, resource, id } = kept;
  return {
    seq,
    at: new Date(at).toISOString(),
    by: String(by),
    action,
    resource,
    id: String(id),
    before: action === 'created' ? null : { ...record, ...kept.differs },
    after: action === 'deleted' ? null : record,
  };
}

/** Values of the first record that the second has otherwise. Both have the same fields: an Administrator sees all. */
function difference(before: WireRecord, after: WireRecord): WireRecord {
  const differs: WireRecord = {};
  for (const name of Object.keys(before)) if (before[name] !== after[name]) differs[name] = before[name] ?? null;
  return differs;
}
