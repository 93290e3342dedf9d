/** Drops events that are out of date when their message is sent: a task that was closed at eight is not overdue at nine. */

import { eventTypeOf } from '../events/catalogue.ts';
import { OWN_SOURCE, type TidingsEvent } from '../model/event.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';

/** Keeps events about something that happened, and events about a state that still holds, in their order. */
export async function dropOutdated(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'getMany'> },
  events: readonly TidingsEvent[],
): Promise<readonly TidingsEvent[]> {
  const ofStates = events.filter(({ type }) => eventTypeOf(type)?.holds !== undefined);
  if (ofStates.length === 0) return events;
  const byResource = Map.groupBy(ofStates, (event) => JSON.stringify([sourceOf(event), partsOf(event)[0]]));
  const dropped = new Set<TidingsEvent>();
  for (const [key, members] of byResource) {
    const [source, resource] = JSON.parse(key) as [string, string];
    const stored = await snapshots.getMany(
      source,
      resource,
      members.map((event) => partsOf(event)[1]),
    );
    for (const event of members) {
      const snapshot = stored.get(partsOf(event)[1]);
      const holds = eventTypeOf(event.type)?.holds;
      if (snapshot === undefined || snapshot.deletedAt !== null || holds?.(snapshot, event) === false)
        dropped.add(event);
    }
  }
  return events.filter((event) => !dropped.has(event));
}

const sourceOf = ({ source }: TidingsEvent) => (source === '/tidings' ? OWN_SOURCE : source.slice('/sources/'.length));

function partsOf({ subject }: TidingsEvent): readonly [resource: string, id: string] {
  const slash = subject.indexOf('/');
  return [subject.slice(0, slash), subject.slice(slash + 1)];
}
