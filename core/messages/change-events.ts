/**
 * The events of one change, heaviest first: a message for people has one line per change, which leads with the heaviest
 * event and adds the others. The weights are in the catalogue.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import type { TidingsEvent } from '../model/event.ts';

type OfChange = Pick<TidingsEvent, 'id' | 'source' | 'subject' | 'type' | 'data' | 'test'>;

/** In the order in which the changes first appear. Events of equal weight keep their order. */
export function groupByChange<Event extends OfChange>(
  events: readonly Event[],
): readonly (readonly [Event, ...Event[]])[] {
  const changes = Map.groupBy(events, changeKey);
  return [...changes.values()].flatMap((members) => {
    const [lead, ...others] = members.toSorted((a, b) => weightOf(b) - weightOf(a));
    return lead === undefined ? [] : [[lead, ...others] as const];
  });
}

/** A test event has the version of its model, but is not part of that change. */
function changeKey({ id, source, subject, test, data: { version } }: OfChange): string {
  return test === true ? id : `${source} ${subject} ${version}`;
}

const WEIGHTS: Readonly<Record<Urgency, number>> = { late: 400, soon: 300, good: 200, plain: 100 };

/** A custom event type is what its operator wants to hear of: heavier than good news, lighter than what needs action. */
const CUSTOM_WEIGHT = 250;

function weightOf({ type }: Pick<TidingsEvent, 'type'>): number {
  const eventType = eventTypeOf(type);
  return eventType === undefined ? CUSTOM_WEIGHT : (eventType.weight ?? WEIGHTS[eventType.urgency]);
}

/** The events that a line adds to its lead: those that no sentence before them covers. `updated` repeats the others. */
export function eventsToAdd<Event extends OfChange>(lead: Event, others: readonly Event[]): readonly Event[] {
  const covered = new Set<string>(eventTypeOf(lead.type)?.covers);
  return others.filter(({ type }) => {
    if (covered.has(type) || type === lead.type || type.endsWith('.updated')) return false;
    for (const one of eventTypeOf(type)?.covers ?? []) covered.add(one);
    return true;
  });
}
