/** All event types, by resource. Everything that lists, checks or documents event types reads this catalogue. */

import type { TidingsEvent } from '../model/event.ts';
import { resources } from '../resources/catalogue.ts';
import type { EventType } from './event-type.ts';
import { placeOf } from './facts.ts';
import { invoiceEvents } from './invoice-events.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';
import { personEvents } from './person-events.ts';
import { projectEvents } from './project-events.ts';
import { sourceEvents } from './source-events.ts';
import { subscriptionEvents } from './subscription-events.ts';
import { taskEvents } from './task-events.ts';

/** Resources without event types of their own whose records have the field `active`. */
const WITH_ACTIVE = ['client', 'document', 'projectmodule'];

/** The event types of a resource that has none of its own. */
function plainEvents(resource: string): readonly EventType[] {
  const active = WITH_ACTIVE.includes(resource) ? activeEvents(resource) : [];
  return [createdEvent(resource), ...active, ...laterEvents(resource)];
}

const catalogue: Readonly<Record<string, readonly EventType[]>> = {
  ...Object.fromEntries(resources.map(({ name }) => [name, plainEvents(name)])),
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

/** An event as one line of text, for a terminal or a log. */
export function sayEvent({ type, subject, data }: TidingsEvent): string {
  const known = eventTypeOf(type);
  if (known !== undefined) return known.say(data);
  // A custom event type, read where its config is not loaded.
  const meaning = typeof data.details?.meaning === 'string' ? data.details.meaning : type;
  return `${meaning} ${nameOf(subject.slice(0, subject.indexOf('/')), data.record)}${placeOf(data.record)}`;
}
