/** Derives events from a transition. Pure, and the only place where events come from. */

import { createHash } from 'node:crypto';
import { sourceUri, type TidingsEvent } from '../model/event.ts';
import { type Fields, type RecordKey, subjectOf } from '../model/record.ts';
import type { Change, Transition } from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { DETAILS_ROOM, fitted } from '../resources/fit.ts';
import { compare, type FieldRoles } from '../snapshot/compare.ts';
import { eventTypesOf } from './catalogue.ts';
import type { EventType } from './event-type.ts';
import { dataSchemaOf, resourceOfType } from './schema-name.ts';

/** `custom`: event types of the config's own. A baseline is what was there before we looked first: not news, whatever it holds. */
export function deriveEvents(transition: Transition, custom: readonly EventType[] = []): readonly TidingsEvent[] {
  const { after } = transition;
  if (after.cause === 'baseline') return [];
  const changes = changesOf(transition);
  const isGone = after.deletedAt !== null;
  const types = [
    ...eventTypesOf(after.key.resource),
    ...custom.filter(({ type }) => resourceOfType(type) === after.key.resource),
  ];
  const fired = types.filter(({ ofGone = false, fires }) => ofGone === isGone && fires(transition, changes));
  if (fired.length === 0) return [];
  const previous: Fields = Object.fromEntries(changes.map(({ field, from }) => [field, from]));
  return fired.map(({ type, details }) => ({
    specversion: '1.0',
    id: eventId(after.key, after.version, type),
    type,
    source: sourceUri(after.key.source),
    subject: subjectOf(after.key),
    time: after.committedAt,
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(type),
    data: {
      version: after.version,
      record: after.record,
      previous,
      changes,
      ...(details === undefined ? {} : { details: fitted(details.of(transition), DETAILS_ROOM) }),
      occurred: after.occurred,
      cause: after.cause,
      ...(after.by === undefined ? {} : { by: after.by }),
    },
  }));
}

/** 128 bits of SHA-256: the same transition always has the same id, wherever and however often it is derived. */
export function eventId(key: RecordKey, version: number, type: string): string {
  const hash = createHash('sha256').update(JSON.stringify([key.source, key.resource, key.id, version, type]));
  return `evt_${hash.digest('hex').slice(0, 32)}`;
}

/** What changed in watched fields. A record that is new has changed in nothing. */
export function changesOf({ before, after }: Transition): readonly Change[] {
  return before === null ? [] : compare(before.record, after.record, resourceOf(after.key.resource) ?? OURS).changes;
}

/** Records of our own, such as the health of a source: every field was written because it matters. */
const OURS: FieldRoles = { fields: {}, unknown: 'watch' };
