/** Event types of the config's own: a condition on the record before and after, in the filter language. */

import type { Snapshot } from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { compilePattern } from '../subscriptions/pattern.ts';
import type { EventType } from './event-type.ts';
import { placeOf } from './facts.ts';
import { nameOf } from './life-events.ts';

export type Pattern = Readonly<Record<string, unknown>>;

export interface CustomEvent {
  /** `task.in_client_review`: a resource, a dot, and a name that is not taken. */
  readonly type: string;
  readonly meaning: string;
  readonly when: {
    /** What the record was like. @default - anything that was not like `after`, or nothing at all */
    readonly before?: Pattern;
    readonly after: Pattern;
  };
}

/** The resource an event type belongs to. */
export function resourceNameOf(type: string): string {
  return type.slice(0, Math.max(0, type.indexOf('.')));
}

/** Patterns meet the record's own fields, and what today makes of it under `stage`. */
const view = ({ record, stage }: Snapshot) => ({ ...record, stage });

export function customEventType({ type, meaning, when }: CustomEvent): EventType {
  const isAfter = compilePattern(when.after);
  const isBefore = when.before === undefined ? undefined : compilePattern(when.before);
  const resource = resourceNameOf(type);
  return {
    type,
    meaning,
    when:
      isBefore === undefined
        ? 'Fires when the record comes to match the pattern of the config.'
        : 'Fires when the record matched the first pattern of the config, and now matches the second.',
    urgency: 'plain',
    fires({ before, after }) {
      if (!isAfter(view(after))) return false;
      if (isBefore !== undefined) return before !== null && isBefore(view(before));
      return before === null || !isAfter(view(before));
    },
    // The catalogue of a reader without this config does not know the type: the event says itself what it means.
    details: { properties: { meaning: { const: meaning } }, of: () => ({ meaning }) },
    say: ({ record }) => `${meaning} ${nameOf(resource, record)}${placeOf(record)}`,
    example: { before: {}, after: {} },
  };
}

/** Whether the resource of a type can be polled at all. */
export function hasResource(type: string): boolean {
  return resourceOf(resourceNameOf(type)) !== undefined;
}
