/** Holds what was told against what was expected, record by record. Counts; judges nothing else. */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { ExpectedEvents } from './observation.ts';

export interface Comparison {
  /** Events the oracle expects, and events that were told. */
  readonly expected: number;
  readonly emitted: number;
  /** How often each type was told. */
  readonly types: Readonly<Record<string, number>>;
  /** `task.closed task/7 at …` */
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
  /** Records whose events came in another order than the changes they tell of. */
  readonly outOfOrder: readonly string[];
  /** Ids that were told twice. */
  readonly duplicates: readonly string[];
}

type EmittedEvent = Pick<TidingsEvent, 'id' | 'type' | 'subject' | 'time'> & {
  readonly data: { readonly version: number };
};

export function compareEvents(expected: readonly ExpectedEvents[], told: readonly EmittedEvent[]): Comparison {
  const lines = expected.flatMap(({ at, subject, types }) => types.map((type) => `${type} ${subject} at ${at}`));
  const got = told.map(({ type, subject, time }) => `${type} ${subject} at ${time}`);
  const ids = new Set<string>();
  const duplicates = told.filter(({ id }) => ids.has(id) || !ids.add(id)).map(({ id, type }) => `${id} ${type}`);
  return {
    expected: lines.length,
    emitted: got.length,
    types: countTypes(told),
    missing: subtract(lines, got),
    surplus: subtract(got, lines),
    outOfOrder: findOutOfOrder(expected, told),
    duplicates,
  };
}

/** What the one has more often than the other. */
function subtract(these: readonly string[], those: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of those) counts.set(line, (counts.get(line) ?? 0) + 1);
  return these.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

/**
 * Events of one change belong together and have one version; versions of a record only grow, in the order in which they
 * are told. Where the sets of events agree, so must their sequence.
 */
function findOutOfOrder(expected: readonly ExpectedEvents[], told: readonly EmittedEvent[]): string[] {
  const wanted = new Map<string, string[]>();
  for (const { subject, types } of expected) push(wanted, subject, types.join('+'));
  const versions = new Map<string, number>();
  const disordered = new Set<string>();
  const groups = new Map<string, { version: number; types: string[] }[]>();
  for (const { subject, type, data } of told) {
    if (data.version < (versions.get(subject) ?? 0)) disordered.add(`${subject}: version ${data.version} came late`);
    versions.set(subject, data.version);
    const last = groups.get(subject)?.at(-1);
    if (last?.version === data.version) last.types.push(type);
    else push(groups, subject, { version: data.version, types: [type] });
  }
  for (const [subject, sequence] of groups) {
    const got = sequence.map(({ types }) => types.sort().join('+'));
    const want = wanted.get(subject) ?? [];
    const isSameSet = got.toSorted().join() === want.toSorted().join();
    if (isSameSet && got.join() !== want.join()) disordered.add(`${subject}: ${got.join(', ')}`);
    // One change told in two versions, or two in one.
    if (!isSameSet && typesIn(got) === typesIn(want)) disordered.add(`${subject}: ${got.join(', ')}`);
  }
  return [...disordered];
}

function typesIn(groups: readonly string[]): string {
  return groups
    .flatMap((group) => group.split('+'))
    .sort()
    .join();
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function countTypes(told: readonly EmittedEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of told.toSorted((a, b) => (a.type < b.type ? -1 : 1))) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
