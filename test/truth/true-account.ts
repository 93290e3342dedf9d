/** The true state of the simulated account: replays the journal up to an entry. Knows nothing of what Tidings has read. */

import type { JournalEntry } from '../../simulator/simulator.ts';
import { isInSight } from './changing-sight.ts';
import { Labels } from './labels.ts';
import type { RawRecord, Sight } from './observation.ts';

/** Records whose names other records show. */
const NAMING = ['project', 'client', 'person', 'taskstatus'];

export class TrueAccount {
  readonly #journal: readonly JournalEntry[];
  /** By resource and id, as of the last replayed entry. */
  readonly #records: ReadonlyMap<string, Map<string, RawRecord>>;
  /** The journal by record. */
  readonly #entries: ReadonlyMap<string, readonly JournalEntry[]>;
  /** When each task was last modified. */
  readonly #modified = new Map<string, number>();
  readonly #labels = new Labels((resource) => this.recordsOf(resource));
  #replayed = 0;
  #sight: Sight | undefined;

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
      if (NAMING.includes(entry.resource)) this.#labels.version += 1;
      const [before, after] = [entry.before?.datemodified ?? '', entry.after?.datemodified ?? ''];
      if (entry.resource !== 'task' || before === after) continue;
      // A date that goes back hides the change from deltas.
      if (after < before) this.#modified.delete(entry.id);
      else this.#modified.set(entry.id, Date.parse(entry.at));
    }
  }

  /** From now on the API shows what is in this sight. */
  limitSight(sight: Sight): void {
    this.#sight = sight;
  }

  /** Whether the API shows the record. */
  shows(resource: string, id: string): boolean {
    const record = this.recordsOf(resource).get(id);
    return record !== undefined && (this.#sight === undefined || isInSight(resource, record, this.#sight));
  }

  /** The records that the API shows. */
  shownRecords(resource: string): ReadonlyMap<string, RawRecord> {
    const records = this.recordsOf(resource);
    if (this.#sight?.hiddenProject === undefined && this.#sight?.ownTasksOf === undefined) return records;
    return new Map([...records].filter(([id]) => this.shows(resource, id)));
  }

  /** All records, also those that the API does not show. */
  recordsOf(resource: string): ReadonlyMap<string, RawRecord> {
    return this.#records.get(resource) ?? new Map();
  }

  /** A record as the API shows it now, with the names of others; undefined when it does not exist. */
  read(resource: string, id: string): RawRecord | undefined {
    const record = this.recordsOf(resource).get(id);
    return record === undefined ? undefined : this.#labels.label(resource, record);
  }

  /** The names of the people in a comma list of ids. */
  names(ids: string | null | undefined): string[] {
    return this.#labels.names(ids);
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
