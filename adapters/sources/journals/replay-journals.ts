/**
 * Rebuilds the single changes of a record from the journals that its system keeps: which field had which value before and
 * after, when, and by whom. Knows no system: a source translates its journals, and a detail into fields. Pure.
 */

import type { Fields } from '../../../core/model/record.ts';
import type { Author } from '../../../core/model/snapshot.ts';
import { between, type Instant, parseInstant, SECOND } from '../../../core/model/time.ts';
import type { HistoryStep } from '../../../core/ports/source-api.ts';
import type { FieldRoles } from '../../../core/resources/field-role.ts';
import { compare } from '../../../core/snapshot/compare.ts';

export interface Journal {
  readonly at: Instant;
  readonly by: Author | undefined;
  /** Empty for a comment. */
  readonly details: readonly Detail[];
}

/** One value that a journal replaced. */
export interface Detail {
  /** The name of the field in the system. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface JournalledRecord {
  /** The record as it is now, cleaned. */
  readonly record: Fields;
  readonly createdAt: Instant | undefined;
  readonly createdBy: Author | undefined;
  readonly modifiedAt: Instant | undefined;
  /** Oldest first. */
  readonly journals: readonly Journal[];
  /** Fields that have another value in a new record, whatever it is now: hours are logged afterwards. */
  readonly initially: Fields;
  readonly roles: FieldRoles;
  /** The fields that a detail changes in a record, cleaned. Empty for what is not part of the model. */
  patch(detail: Detail, at: Instant, record: Fields): Fields;
}

/** The journal of a change is written after the record, perhaps in the next second. */
const TOLERANCE = 2 * SECOND;

/** @param before the record as it was last read; undefined for a new one, whose creation is the first step */
export function replayJournals(current: JournalledRecord, before: Fields | undefined): readonly HistoryStep[] {
  const { journals, createdAt, createdBy, patch } = current;
  if (before === undefined && createdAt === undefined) return [];
  const steps: HistoryStep[] = [];
  let record = before ?? {};
  if (before === undefined && createdAt !== undefined) {
    record = asCreated(current, createdAt);
    steps.push(stepOf(record, createdAt, createdBy));
  }
  for (const { at, by, details } of journals.slice(before === undefined ? 0 : countSeen(current, before))) {
    if (details.length === 0) continue;
    for (const detail of details) record = { ...record, ...patch(detail, at, record) };
    record = { ...record, datemodified: secondsOf(at) };
    steps.push(stepOf(record, at, by));
  }
  return steps;
}

const stepOf = (record: Fields, at: Instant, by: Author | undefined): HistoryStep => ({
  record,
  at,
  ...(by === undefined ? {} : { by }),
});

const secondsOf = (at: Instant) => `${at.slice(0, 19)}Z`;

/** The record with the values before the first change of each field. */
function asCreated({ record: current, journals, initially, patch }: JournalledRecord, at: Instant): Fields {
  let record: Fields = { ...current, ...initially, datemodified: secondsOf(at) };
  const details = journals.flatMap((journal) => journal.details);
  const first = new Map(details.toReversed().map((detail) => [detail.name, detail]));
  for (const { name, from, to } of first.values())
    record = { ...record, ...patch({ name, from: to, to: from }, at, record) };
  return record;
}

/**
 * How many journals the snapshot shows already. By their instants, except around the second of its last modification: there
 * the values decide. If a journal explains that the record was modified since, at least the last one is new.
 */
function countSeen(current: JournalledRecord, before: Fields): number {
  const { journals, modifiedAt } = current;
  const modified = typeof before.datemodified === 'string' ? parseInstant(before.datemodified) : undefined;
  if (modified === undefined) return journals.length;
  const least = journals.filter(({ at }) => at < modified).length;
  const same = journals.filter(({ at }) => at === modified).length;
  const next = journals[least + same];
  const mayBeLate = next !== undefined && between(modified, next.at) <= TOLERANCE;
  // A modification that no journal explains, such as that of a parent whose subtask changed, makes none of them new.
  const isModified = modifiedAt !== undefined && modifiedAt > modified && (journals.at(-1)?.at ?? '') >= modifiedAt;
  const most = Math.min(least + same + (mayBeLate ? 1 : 0), journals.length - (isModified ? 1 : 0));
  for (let seen = most; seen > least; seen--) {
    if (shows(current, before, journals.slice(least, seen), journals.slice(seen))) return seen;
  }
  return least;
}

/** Whether the record has the last values of what was seen, and the first old ones of what was not. */
function shows(
  { patch, roles }: JournalledRecord,
  before: Fields,
  seen: readonly Journal[],
  unseen: readonly Journal[],
): boolean {
  const expected = new Map<string, Detail>();
  const undone = unseen.flatMap(({ details }) => details).toReversed();
  for (const detail of undone) expected.set(detail.name, { ...detail, from: detail.to, to: detail.from });
  const later = new Set(expected.keys());
  for (const detail of seen.flatMap(({ details }) => details)) {
    if (!later.has(detail.name)) expected.set(detail.name, detail);
  }
  return [...expected.values()].every((detail) => {
    // The day of closing is that of the journal, which is not known here.
    const { dateclosed: _, ...values } = patch(detail, '1970-01-01T00:00:00.000Z', before);
    return compare(before, values, roles).changes.length === 0;
  });
}
