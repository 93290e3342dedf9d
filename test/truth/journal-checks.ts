/**
 * Checks events against the journal in runs that do not record when Tidings polled: only the final state of each record
 * and the chain of its changes. It shares no code with the implementation.
 */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { JournalEntry } from '../../simulator/simulator.ts';

/**
 * Records that were created, deleted or closed according to the journal, without an event for it. A record that was created
 * and deleted between two polls needs no event.
 */
export function findMissingEvents(
  journal: readonly JournalEntry[],
  founding: ReadonlyMap<string, ReadonlySet<string>>,
  events: readonly TidingsEvent[],
): string[] {
  const typesBySubject = new Map<string, string[]>();
  for (const { subject, type } of events) typesBySubject.set(subject, [...(typesBySubject.get(subject) ?? []), type]);
  const last = new Map<string, JournalEntry>();
  for (const entry of journal) if (founding.has(entry.resource)) last.set(`${entry.resource}/${entry.id}`, entry);
  const missing: string[] = [];
  for (const [subject, { resource, id, after }] of last) {
    const types = typesBySubject.get(subject) ?? [];
    const existedAtStart = founding.get(resource)?.has(id) === true;
    const expect = (type: string) => {
      if (!types.includes(type)) missing.push(`${subject}: ${type} is missing`);
    };
    if (after === null) {
      if (existedAtStart || types.length > 0) expect(`${resource}.deleted`);
      continue;
    }
    if (!existedAtStart) expect(`${resource}.created`);
    const closing = types.filter((type) => type === 'task.closed' || type === 'task.reopened').at(-1);
    if (resource !== 'task' || !types.includes('task.updated')) continue;
    const isClosed = String(after.dateclosed ?? '') !== '' || after.status === 'Closed';
    if (closing !== undefined && (closing === 'task.closed') !== isClosed)
      missing.push(`${subject}: the last event is ${closing}, but the task is ${isClosed ? 'closed' : 'open'}`);
  }
  return missing;
}

/** Records whose changes do not connect, old value to new value: a change was lost, or emitted out of order. */
export function findBrokenChains(events: readonly TidingsEvent[]): string[] {
  const known = new Map<string, { version: number; readonly values: Map<string, string> }>();
  const broken: string[] = [];
  for (const { subject, type, data } of events) {
    const record = known.get(subject) ?? { version: 0, values: new Map<string, string>() };
    known.set(subject, record);
    if (data.version < record.version) broken.push(`${subject}: version ${data.version} came after ${record.version}`);
    // Events of one version repeat the same changes.
    if (data.version === record.version) continue;
    record.version = data.version;
    for (const { field, from, to } of data.changes) {
      const held = record.values.get(field);
      if (held !== undefined && held !== JSON.stringify(from))
        broken.push(
          `${subject}: ${type} changes ${field} from ${JSON.stringify(from)}, but its last value was ${held}`,
        );
      record.values.set(field, JSON.stringify(to));
    }
  }
  return broken;
}
