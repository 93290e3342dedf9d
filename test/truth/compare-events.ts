/** Compares the emitted events with the expected ones, record by record. */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { ExpectedEvents } from './observation.ts';

export interface Comparison {
  /** Numbers of expected and of emitted events. */
  readonly expected: number;
  readonly emitted: number;
  /** Emitted events by type. */
  readonly types: Readonly<Record<string, number>>;
  /** `task.closed task/7 at …` */
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
  /** Records whose events are not in the order of their changes. */
  readonly outOfOrder: readonly string[];
  /** Ids that were emitted more than once. */
  readonly duplicates: readonly string[];
}

type EmittedEvent = Pick<TidingsEvent, 'id' | 'type' | 'subject' | 'time'> & {
  readonly data: { readonly version: number };
};

export function compareEvents(expected: readonly ExpectedEvents[], emitted: readonly EmittedEvent[]): Comparison {
  const lines = expected.flatMap(({ at, subject, types }) => types.map((type) => `${type} ${subject} at ${at}`));
  const got = emitted.map(({ type, subject, time }) => `${type} ${subject} at ${time}`);
  const ids = new Set<string>();
  const duplicates = emitted.filter(({ id }) => ids.has(id) || !ids.add(id)).map(({ id, type }) => `${id} ${type}`);
  return {
    expected: lines.length,
    emitted: got.length,
    types: countTypes(emitted),
    missing: subtract(lines, got),
    surplus: subtract(got, lines),
    outOfOrder: findOutOfOrder(expected, emitted),
    duplicates,
  };
}

/** Events about tasks that name another client than that of the task at that time: they would reach a wrong receiver. */
export function findWrongClients(
  expected: readonly ExpectedEvents[],
  emitted: readonly (EmittedEvent & Pick<TidingsEvent, 'data'>)[],
): string[] {
  const clients = new Map<string, string>(
    expected.flatMap(({ at, subject, types, clientid }) =>
      clientid === undefined ? [] : types.map((type) => [`${type} ${subject} at ${at}`, clientid ?? ''] as const),
    ),
  );
  return emitted.flatMap(({ type, subject, time, data }) => {
    const key = `${type} ${subject} at ${time}`;
    const [client, named] = [clients.get(key), String(data.record.clientid ?? '')];
    return client === undefined || client === named ? [] : [`${key}: client ${client}, not ${named}`];
  });
}

/** Lines that the first list has more often than the second. */
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
 * Events of one change are adjacent and have the same version, and the versions of a record only grow. If the emitted and
 * the expected events are the same, their order must be the same too.
 */
function findOutOfOrder(expected: readonly ExpectedEvents[], emitted: readonly EmittedEvent[]): string[] {
  const wanted = new Map<string, string[]>();
  for (const { subject, types } of expected) push(wanted, subject, types.join('+'));
  const versions = new Map<string, number>();
  const disordered = new Set<string>();
  const groups = new Map<string, { version: number; types: string[] }[]>();
  for (const { subject, type, data } of emitted) {
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
    // One change was split into two versions, or two changes were merged into one.
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

function countTypes(emitted: readonly EmittedEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of emitted.toSorted((a, b) => (a.type < b.type ? -1 : 1))) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
