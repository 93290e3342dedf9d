/** Derives the example of an event type with the real code, so that the docs show true events. */

import { addDays, startOfDay } from '../model/calendar.ts';
import { OWN_SOURCE, type TidingsEvent } from '../model/event.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import { computeStage, defaultRules } from '../snapshot/stage.ts';
import { type CustomEvent, customEventType } from './custom-events.ts';
import { deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { sampleOf } from './sample-records.ts';

const ZONE = 'Europe/Berlin';

/** Builds the transition of an example. */
export function exampleTransition({ type, byTime = false, example }: EventType): Transition {
  const resource = type.slice(0, type.indexOf('.'));
  const { before, after, on = '2026-11-14', gone, appeared } = example;
  const sample = sampleOf(resource);
  const isOwn = resource === 'subscription';
  const state = (change: Snapshot['record'], version: number, day: string): Snapshot => {
    const record = { ...sample, ...change };
    const at = startOfDay(ZONE, day);
    return {
      key: { source: isOwn ? OWN_SOURCE : 'main', resource, id: String(record.id) },
      version,
      record,
      ...computeStage(resource, record, { timeZone: ZONE, at, rules: defaultRules }),
      deletedAt: null,
      committedAt: at,
      cause: isOwn ? 'delivery' : byTime ? 'tick' : 'poll',
      occurred: byTime ? { after: at, before: at } : { after: startOfDay(ZONE, addDays(day, -1)), before: at },
    };
  };
  const then = before === null ? null : state(before, 8, addDays(on, -1));
  const current = state(after, then === null ? 1 : 9, on);
  const now = appeared === undefined ? current : { ...current, appeared };
  return {
    before: then === null || gone !== 'before' ? then : { ...then, deletedAt: then.committedAt },
    after: gone === 'after' ? { ...now, deletedAt: now.committedAt } : now,
  };
}

/** The example as an event; undefined if it does not fire its type, which is an error in the catalogue. */
export function exampleEvent(eventType: EventType): TidingsEvent | undefined {
  return deriveEvents(exampleTransition(eventType)).find(({ type }) => type === eventType.type);
}

/** An example event of a custom type: the sample record of its resource, without regard to the patterns. */
export function customExample({ type, meaning }: Pick<CustomEvent, 'type' | 'meaning'>): TidingsEvent | undefined {
  const any = { after: { id: [{ exists: true }] } };
  const eventType: EventType = { ...customEventType({ type, meaning, when: any }), fires: () => true };
  return deriveEvents(exampleTransition(eventType), [eventType]).find((event) => event.type === type);
}
