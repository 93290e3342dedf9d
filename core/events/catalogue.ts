/** All event types, by resource. Everything that lists, checks or documents types reads them here. */

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

/** Resources whose records can be switched on and off. */
const WITH_ACTIVE = ['client', 'document', 'projectmodule'];

/** What can happen to a resource that has no catalogue of its own. */
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

/** In the order in which the events of one transition are told. */
export function eventTypesOf(resource: string): readonly EventType[] {
  return catalogue[resource] ?? [];
}

export const eventTypes: readonly EventType[] = Object.values(catalogue).flat();

const byName: ReadonlyMap<string, EventType> = new Map(eventTypes.map((eventType) => [eventType.type, eventType]));

/** Undefined for a type the catalogue does not know. */
export function eventTypeOf(type: string): EventType | undefined {
  return byName.get(type);
}

/** An event in one line, for a terminal or a log. */
export function sayEvent({ type, subject, data }: TidingsEvent): string {
  const known = eventTypeOf(type);
  if (known !== undefined) return known.say(data);
  // A type of a config's own, read where that config is not.
  const meaning = typeof data.details?.meaning === 'string' ? data.details.meaning : type;
  return `${meaning} ${nameOf(subject.slice(0, subject.indexOf('/')), data.record)}${placeOf(data.record)}`;
}
