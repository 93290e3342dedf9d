/** What can happen to a record of any resource: it comes, changes, goes and comes back, is switched on and off. */

import type { Fields } from '../model/record.ts';
import { resourceOf } from '../resources/catalogue.ts';
import type { EventType } from './event-type.ts';
import { joinNames, placeOf, turns } from './facts.ts';
import { sampleOf } from './sample-records.ts';

/** `Task “Draft the press kit”` */
export function nameOf(resource: string, record: Fields): string {
  const { id, name } = record;
  const title = resourceOf(resource)?.title(record) ?? (typeof name === 'string' ? name : `${resource} ${String(id)}`);
  return `${resource.slice(0, 1).toUpperCase()}${resource.slice(1)} “${title}”`;
}

/** `a task`, `an invoice` */
const a = (resource: string) => `${/^[aeiou]/.test(resource) ? 'an' : 'a'} ${resource}`;
const A = (resource: string) => `A${a(resource).slice(1)}`;

export function createdEvent(resource: string): EventType {
  return {
    type: `${resource}.created`,
    meaning: `${A(resource)} appeared.`,
    when: `Fires when a look finds ${a(resource)} that was not there at the one before. Not for what is there at the baseline.`,
    urgency: 'plain',
    fires: ({ before }) => before === null,
    say: ({ record }) => `${nameOf(resource, record)} was created${placeOf(record)}`,
    example: { before: null, after: {} },
  };
}

/** The rest of a life, told after what it means: `updated` last but for being gone or back. */
export function laterEvents(resource: string): readonly EventType[] {
  const [field, from, to] = exampleChange(resource);
  return [
    {
      type: `${resource}.updated`,
      meaning: `${A(resource)} changed.`,
      when: `Fires once for all changes of watched fields that a look finds, beside the events that say what they mean. Not when only names of other records or volatile fields moved, nor when the token’s role hides or shows a field.`,
      urgency: 'plain',
      fires: ({ before }, changes) => before !== null && before.deletedAt === null && changes.length > 0,
      say: ({ record, changes }) =>
        `${nameOf(resource, record)} was changed${placeOf(record)}: ${joinNames(changes.map(({ field }) => field))}`,
      example: { before: { [field]: from }, after: { [field]: to } },
    },
    {
      type: `${resource}.deleted`,
      meaning: `${A(resource)} is gone.`,
      when: `Fires when a complete sweep lacks it and the API says that there is no such record. Never because of an error, an outage, or a role that may not look; many at once are held back first (source.mass_disappearance).`,
      ofGone: true,
      urgency: 'plain',
      fires: ({ before, after }) => before?.deletedAt === null && after.deletedAt !== null,
      say: ({ record }) => `${nameOf(resource, record)} was deleted${placeOf(record)}`,
      example: { before: {}, after: {}, gone: 'after' },
    },
    {
      type: `${resource}.restored`,
      meaning: `${A(resource)} that was deleted is back.`,
      when: `Fires when a record that was told as deleted is found again, under the same id. Its version goes on from where it was.`,
      urgency: 'plain',
      fires: ({ before, after }) => before !== null && before.deletedAt !== null && after.deletedAt === null,
      say: ({ record }) => `${nameOf(resource, record)} is back${placeOf(record)}`,
      example: { before: {}, after: {}, gone: 'before' },
    },
  ];
}

/** For resources that have `active`. */
export function activeEvents(resource: string): readonly EventType[] {
  const flip = (type: string, meaning: string, to: boolean): EventType => ({
    type: `${resource}.${type}`,
    meaning,
    when: `Fires when \`active\` turns ${to ? 'true' : 'false'}. Not for ${a(resource)} that is new.`,
    urgency: to ? 'good' : 'plain',
    fires: turns('active', !to, to),
    say: ({ record }) => `${nameOf(resource, record)} was ${type}${placeOf(record)}`,
    example: { before: { active: !to }, after: { active: to } },
  });
  return [
    flip('activated', `${A(resource)} was made active.`, true),
    flip('deactivated', `${A(resource)} was made inactive.`, false),
  ];
}

/** A watched field of the sample, and another value for it. */
function exampleChange(resource: string): [string, string, string] {
  const found = resourceOf(resource);
  const field = ['title', 'name', 'lastname', 'note', 'module'].find((name) => sampleOf(resource)[name] !== undefined);
  if (found === undefined || field === undefined) return ['name', 'Before', 'After'];
  const value = String(sampleOf(resource)[field]);
  return [field, `${value} (draft)`, value];
}
