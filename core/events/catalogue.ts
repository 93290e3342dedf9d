/** All event types, by resource. Everything that lists, checks or documents types reads them here. */

import type { TidingsEvent } from '../model/event.ts';
import { resources } from '../resources/catalogue.ts';
import type { EventType } from './event-type.ts';
import { lifeEvents } from './life-events.ts';
import { sourceEvents } from './source-events.ts';
import { taskEvents } from './task-events.ts';

const catalogue: Readonly<Record<string, readonly EventType[]>> = {
  ...Object.fromEntries(resources.map(({ name }) => [name, lifeEvents(name)])),
  task: taskEvents,
  source: sourceEvents,
};

/** In the order in which the events of one transition are told. */
export function eventTypesOf(resource: string): readonly EventType[] {
  return catalogue[resource] ?? [];
}

export const eventTypes: readonly EventType[] = Object.values(catalogue).flat();

/** An event in one line, for a terminal or a log. */
export function sayEvent({ type, subject, data }: TidingsEvent): string {
  const found = eventTypes.find((eventType) => eventType.type === type);
  return found === undefined ? `${type} of ${subject}` : found.say(data.record);
}
