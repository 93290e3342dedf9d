/** All event types, by resource. Everything that lists, checks or documents types reads them here. */

import type { EventType } from './event-type.ts';
import { taskEvents } from './task-events.ts';

const catalogue: Readonly<Record<string, readonly EventType[]>> = {
  task: taskEvents,
};

/** In the order in which the events of one transition are told. */
export function eventTypesOf(resource: string): readonly EventType[] {
  return catalogue[resource] ?? [];
}

export const eventTypes: readonly EventType[] = Object.values(catalogue).flat();
