/**
 * What must have been told whatever happened in between, for runs in which nobody knows when anybody looked. Reads the
 * journal and the events; shares no code with what derives them.
 */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { JournalEntry } from '../../simulator/simulator.ts';

/**
 * Records that came, went, closed or were paid, by how the journal ends, without an event that says so. What came and
 * went between two looks was never there for anybody.
 */
export function findMissingEvents(
  journal: readonly JournalEntry[],
  founding: ReadonlyMap<string, ReadonlySet<string>>,
  events: readonly TidingsEvent[],
): string[] {
  const told = new Map<string, string[]>();
  for (const { subject, type } of events) told.set(subject, [...(told.get(subject) ?? []), type]);
  const last = new Map<string, JournalEntry>();
  for (const entry of journal) if (founding.has(entry.resource)) last.set(`${entry.resource}/${entry.id}`, entry);
  const missing: string[] = [];
  for (const [subject, { resource, id, after }] of last) {
    const types = told.get(subject) ?? [];
    const wasThere = founding.get(resource)?.has(id) === true;
    const expect = (type: string) => {
      if (!types.includes(type)) missing.push(`${subject}: nobody told ${type}`);
    };
    if (after === null) {
      if (wasThere || types.length > 0) expect(`${resource}.deleted`);
      continue;
    }
    if (!wasThere) expect(`${resource}.created`);
    const closing = types.filter((type) => type === 'task.closed' || type === 'task.reopened').at(-1);
    if (resource !== 'task' || !types.includes('task.updated')) continue;
    const isClosed = String(after.dateclosed ?? '') !== '' || after.status === 'Closed';
    if (closing !== undefined && (closing === 'task.closed') !== isClosed)
      missing.push(`${subject}: told last that it was ${closing}, and it is ${isClosed ? 'closed' : 'open'}`);
  }
  return missing;
}

/** Records whose changes do not follow on from each other: a change in between was lost, or told in another order. */
export function findBrokenChains(events: readonly TidingsEvent[]): string[] {
  const known = new Map<string, { version: number; readonly values: Map<string, string> }>();
  const broken: string[] = [];
  for (const { subject, type, data } of events) {
    const record = known.get(subject) ?? { version: 0, values: new Map<string, string>() };
    known.set(subject, record);
    if (data.version < record.version) broken.push(`${subject}: version ${data.version} came after ${record.version}`);
    // Events of one change tell the same changes.
    if (data.version === record.version) continue;
    record.version = data.version;
    for (const { field, from, to } of data.changes) {
      const held = record.values.get(field);
      if (held !== undefined && held !== JSON.stringify(from))
        broken.push(
          `${subject}: ${type} tells that ${field} was ${JSON.stringify(from)}, and it was told to be ${held}`,
        );
      record.values.set(field, JSON.stringify(to));
    }
  }
  return broken;
}
