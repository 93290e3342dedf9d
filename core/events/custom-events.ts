/** Custom event types of the config: conditions on the record before and after, in the filter language. */

import { compilePattern } from '../filters/pattern.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import type { EventType } from './event-type.ts';
import { placeOf } from './facts.ts';
import { nameOf } from './life-events.ts';
import { resourceOfType } from './schema-name.ts';

type Pattern = Readonly<Record<string, unknown>>;

export interface CustomEvent {
  /** `task.in_client_review`: a resource, a dot and an unused name. */
  readonly type: string;
  readonly meaning: string;
  readonly when: {
    /** The pattern of the record before. @default - any record that did not match `after`, or a new one */
    readonly before?: Pattern;
    readonly after: Pattern;
  };
}

/** Patterns match the fields of the record, and its stage under `stage`. */
const view = ({ record, stage }: Snapshot) => ({ ...record, stage });

export function customEventType({ type, meaning, when }: CustomEvent): EventType {
  const isAfter = compilePattern(when.after);
  const isBefore = when.before === undefined ? undefined : compilePattern(when.before);
  const resource = resourceOfType(type);
  return {
    type,
    meaning,
    when:
      isBefore === undefined
        ? 'Fires when the record starts to match the pattern in the config.'
        : 'Fires when the record matched the pattern `before` in the config and now matches `after`.',
    urgency: 'plain',
    fires({ before, after }) {
      if (!isAfter(view(after))) return false;
      if (isBefore !== undefined) return before !== null && isBefore(view(before));
      return before === null || !isAfter(view(before));
    },
    // A reader without this config does not know the type, so the event carries its meaning.
    details: { properties: { meaning: { const: meaning } }, of: () => ({ meaning }) },
    say: ({ record }) => `${meaning} ${nameOf(resource, record)}${placeOf(record)}`,
    example: { before: {}, after: {} },
  };
}

/** Whether the resource of an event type can be polled. */
export function hasResource(type: string): boolean {
  return resourceOf(resourceOfType(type)) !== undefined;
}
