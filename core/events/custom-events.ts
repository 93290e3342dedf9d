/** Custom event types of the config: conditions on the record before and after, in the filter language. */

import { compilePattern } from '../filters/pattern.ts';
import { isSameValue } from '../model/json.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { roleOf } from '../resources/field-role.ts';
import { OWN_RECORD } from '../snapshot/compare.ts';
import { eventTypes } from './catalogue.ts';
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

/** The id of the record that a name belongs to, where it is not named after it. */
const OWNERS: Readonly<Record<string, string>> = {
  client: 'projectid',
  clientid: 'projectid',
  clientlocalid: 'projectid',
  color: 'priorityid',
  label_order: 'labelid',
  labelcolor: 'labelid',
  localidunpadded: 'localid',
  manager: 'projectid',
  managerid: 'projectid',
  priority: 'priorityid',
  projectlabel: 'projectid',
  projectlabel_order: 'projectid',
  projectlabelid: 'projectid',
  severity: 'priorityid',
  status_order: 'statusid',
};

/**
 * The state before, with what was unknown then and with today's names of other records: neither a field that becomes
 * visible nor a record that is renamed is a change of this one.
 */
function comparableBefore(before: Snapshot, after: Snapshot): Snapshot {
  const roles = resourceOf(after.key.resource) ?? OWN_RECORD;
  const [from, to] = [before.record, after.record];
  const isSame = (field: string) => isSameValue(from[field] ?? null, to[field] ?? null);
  const ownerOf = (field: string) =>
    [OWNERS[field], `${field}id`, `${field.replace(/s$/, '')}id`, field.replace(/localid$/, 'id')].find(
      (id) => id !== undefined && id !== field && Object.hasOwn(to, id),
    );
  const isRenamed = (field: string) => {
    const owner = roleOf(roles, field, to) === 'label' ? ownerOf(field) : undefined;
    return owner !== undefined && isSame(owner);
  };
  const adopted = Object.entries(to).filter(([field]) => from[field] === undefined || isRenamed(field));
  const isMoved = !isSame('statusid') || !isSame('dateclosed') || to.statusid === undefined;
  const isClosedByName = !isMoved && (before.stage.closed ?? null) !== (after.stage.closed ?? null);
  return {
    ...before,
    record: { ...from, ...Object.fromEntries(adopted) },
    // A renamed status closes and reopens nothing, so what a closed task is not (overdue, stale) did not begin or end either.
    stage: isClosedByName ? after.stage : before.stage,
  };
}

export function customEventType({ type, meaning, when }: CustomEvent): EventType {
  const isAfter = compilePattern(when.after);
  const isBefore = when.before === undefined ? undefined : compilePattern(when.before);
  const resource = resourceOfType(type);
  return {
    type,
    meaning,
    when:
      isBefore === undefined
        ? 'Fires when the record starts to match the pattern in the config. Does not fire when a field only becomes visible, or when another record is renamed.'
        : 'Fires when the record matched the pattern `before` in the config and now matches `after`. Does not fire when a field only becomes visible, or when another record is renamed.',
    urgency: 'plain',
    fires({ before, after }) {
      const now = view(after);
      if (!isAfter(now)) return false;
      if (before === null) return isBefore === undefined;
      const then = view(comparableBefore(before, after));
      if (isBefore === undefined) return !isAfter(then);
      // If both states match both patterns, another field changed.
      return isBefore(then) && !(isAfter(then) && isBefore(now));
    },
    // Without `before` it is about a state that begins. With it, about an act: another step does not undo it.
    ...(isBefore === undefined ? { undone: (now: Snapshot) => !isAfter(view(now)) } : {}),
    // A reader without this config does not know the type, so the event carries its meaning.
    details: { properties: { meaning: { const: meaning } }, of: () => ({ meaning }) },
    say: ({ record }) => `${meaning} ${nameOf(resource, record)}${placeOf(record)}`,
    example: { before: {}, after: {} },
  };
}

/** Those of the catalogue and of the config. */
export function knownTypes({ customEvents }: { readonly customEvents: readonly CustomEvent[] }): readonly EventType[] {
  return [...eventTypes, ...customEvents.map(customEventType)];
}

/** Whether the resource of an event type can be polled. */
export function hasResource(type: string): boolean {
  return resourceOf(resourceOfType(type)) !== undefined;
}
