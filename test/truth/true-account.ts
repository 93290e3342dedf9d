/** The true state of the simulated account: replays the journal up to an entry. Knows nothing of what Tidings has read. */

import type { JournalEntry } from '../../simulator/simulator.ts';
import type { RawRecord } from './observation.ts';

export class TrueAccount {
  readonly #journal: readonly JournalEntry[];
  /** By resource and id, as of the last replayed entry. */
  readonly #records: ReadonlyMap<string, Map<string, RawRecord>>;
  /** The journal by record. */
  readonly #entries: ReadonlyMap<string, readonly JournalEntry[]>;
  /** When each task was last modified. */
  readonly #modified = new Map<string, number>();
  #replayed = 0;

  /** @param founding the records at the start, by resource */
  constructor(founding: ReadonlyMap<string, readonly RawRecord[]>, journal: readonly JournalEntry[]) {
    this.#journal = journal;
    this.#records = new Map(
      [...founding].map(([resource, records]) => [
        resource,
        new Map(records.map((record) => [String(record.id), record])),
      ]),
    );
    this.#entries = Map.groupBy(journal, ({ resource, id }) => `${resource}/${id}`);
  }

  /** The number of replayed entries. */
  get replayed(): number {
    return this.#replayed;
  }

  replayTo(seq: number): void {
    for (; this.#replayed < seq; this.#replayed++) {
      const entry = this.#journal[this.#replayed];
      if (entry === undefined) throw new Error(`the journal ends before entry ${seq}`);
      const records = this.#records.get(entry.resource);
      if (records === undefined) continue;
      if (entry.after === null) records.delete(entry.id);
      else records.set(entry.id, entry.after);
      const stamped = entry.before?.datemodified !== entry.after?.datemodified;
      if (entry.resource === 'task' && stamped) this.#modified.set(entry.id, Date.parse(entry.at));
    }
  }

  recordsOf(resource: string): ReadonlyMap<string, RawRecord> {
    return this.#records.get(resource) ?? new Map();
  }

  /** The replayed entries of a record. */
  entriesOf(subject: string): readonly JournalEntry[] {
    return (this.#entries.get(subject) ?? []).filter(({ seq }) => seq <= this.#replayed);
  }

  /** When each task was last modified, by id. */
  get modifiedTasks(): ReadonlyMap<string, number> {
    return this.#modified;
  }
}
