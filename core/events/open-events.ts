/**
 * What an open digest lists: the records for which an event about a state still holds, as the events they would be. Reads
 * snapshots only; makes no request to the API.
 */

import { createHash } from 'node:crypto';
import { compileGlob, compileMatcher } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { compareIds } from '../model/record.ts';
import { isOpenItem, type Snapshot } from '../model/snapshot.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { eventTypes } from './catalogue.ts';
import { deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { resourceOfType } from './schema-name.ts';

type OpenType = EventType & { readonly open: NonNullable<EventType['open']> };

/** A subscription may have thousands of patterns, and each event of its digest asks for these types. */
const known = new WeakMap<Pick<Subscription, 'events' | 'digest'>, readonly OpenType[]>();

/** The event types that the digest of a subscription lists for as long as they hold. */
export function openTypes(subscription: Pick<Subscription, 'events' | 'digest'>): readonly OpenType[] {
  const types = known.get(subscription) ?? findOpenTypes(subscription);
  known.set(subscription, types);
  return types;
}

function findOpenTypes({ events, digest }: Pick<Subscription, 'events' | 'digest'>): readonly OpenType[] {
  if (digest === undefined || digest.list === 'new') return [];
  const globs = events.map(compileGlob);
  return eventTypes.filter((eventType): eventType is OpenType => {
    const { type, open } = eventType;
    if (open === undefined || !globs.some((matches) => matches(type))) return false;
    return digest.list === 'open' || open.byDefault;
  });
}

/** Their resources. */
export function openResources(subscription: Pick<Subscription, 'events' | 'digest'>): readonly string[] {
  return [...new Set(openTypes(subscription).map(({ type }) => resourceOfType(type)))];
}

export interface ListOpenPorts {
  readonly snapshots: Pick<SnapshotStore, 'listOpen' | 'getMany'>;
  /** Whether events of a type are listed. Records of which none is are not read. @default - all are */
  readonly isAsked?: (type: string) => boolean;
  /** @default - in one go */
  readonly pace?: Pace;
}

/**
 * Everything that is open in a source and that the subscription wants, in the order of resources and ids.
 *
 * @param subjects only these records, such as `task/412`. @default - all that are open
 */
export async function listOpenEvents(
  { snapshots, isAsked = () => true, pace = UNPACED }: ListOpenPorts,
  subscription: Subscription,
  source: string,
  at: Instant,
  subjects?: readonly string[],
): Promise<readonly TidingsEvent[]> {
  const match = compileMatcher([subscription]);
  const events: TidingsEvent[] = [];
  const asked = openTypes(subscription).filter(({ type }) => isAsked(type));
  for (const [resource, types] of Map.groupBy(asked, ({ type }) => resourceOfType(type))) {
    const candidates =
      subjects === undefined
        ? snapshots.listOpen(source, resource)
        : await readSubjects(snapshots, source, resource, subjects);
    for await (const snapshot of candidates) {
      await pace();
      for (const eventType of types) {
        const event = toOpenEvent(snapshot, eventType, at);
        if (event !== undefined && match(event).length > 0) events.push(event);
      }
    }
  }
  return events;
}

async function readSubjects(
  snapshots: Pick<SnapshotStore, 'getMany'>,
  source: string,
  resource: string,
  subjects: readonly string[],
): Promise<readonly Snapshot[]> {
  const prefix = `${resource}/`;
  const ids = subjects.filter((subject) => subject.startsWith(prefix)).map((subject) => subject.slice(prefix.length));
  const stored = await snapshots.getMany(source, resource, ids);
  return [...stored.values()].filter(isOpenItem).sort((a, b) => compareIds(a.key.id, b.key.id));
}

/** The event that would fire if the fact became true now; undefined if it does not hold. Its id is not that of a recorded event. */
function toOpenEvent(snapshot: Snapshot, { type, open: { fact } }: OpenType, at: Instant): TidingsEvent | undefined {
  const { by: _, ...rest } = snapshot;
  const after: Snapshot = { ...rest, cause: 'tick', committedAt: at, occurred: { after: at, before: at } };
  const before: Snapshot = { ...after, version: after.version - 1, stage: { ...after.stage, [fact]: false } };
  const event = deriveEvents({ before, after }).find((one) => one.type === type);
  if (event === undefined) return undefined;
  const digest = createHash('sha256').update(`standing\n${event.id}\n${at}`).digest('hex');
  return { ...event, id: `evt_${digest.slice(0, 32)}` };
}
