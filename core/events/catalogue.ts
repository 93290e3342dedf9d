/** All event types, by resource. Everything that lists, checks or documents event types reads this catalogue. */

import type { TidingsEvent } from '../model/event.ts';
import { resources } from '../resources/catalogue.ts';
import type { Resource } from '../resources/resource.ts';
import type { EventType } from './event-type.ts';
import { placeOf } from './facts.ts';
import { invoiceEvents } from './invoice-events.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';
import { personEvents } from './person-events.ts';
import { projectEvents } from './project-events.ts';
import { sourceEvents } from './source-events.ts';
import { subscriptionEvents } from './subscription-events.ts';
import { taskEvents } from './task-events.ts';

/** The event types of a resource that has none of its own. */
function plainEvents({ name, fields }: Resource): readonly EventType[] {
  const active = Object.hasOwn(fields, 'active') ? activeEvents(name) : [];
  return [createdEvent(name), ...active, ...laterEvents(name)];
}

const catalogue: Readonly<Record<string, readonly EventType[]>> = {
  ...Object.fromEntries(resources.map((resource) => [resource.name, plainEvents(resource)])),
  task: taskEvents,
  invoice: invoiceEvents,
  project: projectEvents,
  person: personEvents,
  source: sourceEvents,
  subscription: subscriptionEvents,
};

/** In the order in which the events of one transition are sent. */
export function eventTypesOf(resource: string): readonly EventType[] {
  return catalogue[resource] ?? [];
}

export const eventTypes: readonly EventType[] = Object.values(catalogue).flat();

const byName: ReadonlyMap<string, EventType> = new Map(eventTypes.map((eventType) => [eventType.type, eventType]));

/** Undefined for an unknown type. */
export function eventTypeOf(type: string): EventType | undefined {
  return byName.get(type);
}

/**
 * An event as one line of text, for a terminal or a log.
 * @param timeZone in which it says when something was or will be. @default - that of the source if the event is about one, else UTC
 */
export function sayEvent({ type, subject, data }: TidingsEvent, timeZone?: string): string {
  const eventType = eventTypeOf(type);
  const { timeZone: ofSource } = data.record;
  if (eventType !== undefined)
    return eventType.say(data, timeZone ?? (typeof ofSource === 'string' ? ofSource : 'UTC'));
  // A custom event type, read where its config is not loaded.
  const meaning = typeof data.details?.meaning === 'string' ? data.details.meaning : type;
  return `${meaning} ${nameOf(subject.slice(0, subject.indexOf('/')), data.record)}${placeOf(data.record)}`;
}
