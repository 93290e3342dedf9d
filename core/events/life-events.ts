/** The event types that every resource has (created, became visible, updated, deleted, restored), and those of resources with `active`. */

import type { Fields } from '../model/record.ts';
import type { Change } from '../model/snapshot.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { nounOfField } from '../resources/field-labels.ts';
import { numbered } from '../resources/resource.ts';
import type { EventType } from './event-type.ts';
import { joinNames, onTurnOf, placeOf } from './facts.ts';
import { countOf, nounFor, upperFirst } from './phrases.ts';
import { sampleOf } from './sample-records.ts';

/** `Task “Draft the press kit”`, or `Payment 12` if the record has no name. */
export function nameOf(resource: string, record: Fields): string {
  const { name } = record;
  const number = numbered(resource, record);
  const title = resourceOf(resource)?.title(record) ?? (typeof name === 'string' ? name : number);
  const noun = upperFirst(nounFor(resource, 1));
  return title === number ? numbered(noun, record) : `${noun} “${title}”`;
}

const MAX_FIELDS = 8;

/** What changed, each once: an id and the name beside it have one noun. */
function changedFields(changes: readonly Change[]): readonly string[] {
  const nouns = [...new Set(changes.map(({ field }) => nounOfField(field)))];
  if (nouns.length <= MAX_FIELDS) return nouns;
  return [...nouns.slice(0, MAX_FIELDS - 1), `${nouns.length - MAX_FIELDS + 1} more`];
}

/** `a task`, `an invoice` */
const a = (resource: string) => `${/^[aeiou]/.test(resource) ? 'an' : 'a'} ${nounFor(resource, 1)}`;
const A = (resource: string) => `A${a(resource).slice(1)}`;

export function createdEvent(resource: string): EventType {
  return {
    type: `${resource}.created`,
    meaning: `${A(resource)} was created.`,
    when: `Fires when a poll finds ${a(resource)} that did not exist at the previous poll. Does not fire for records of the baseline, nor for older ones that the token’s person may see from now on.`,
    urgency: 'plain',
    fires: ({ before }) => before === null,
    say: ({ record }) => `${nameOf(resource, record)} was created${placeOf(record)}`,
    example: { before: null, after: {} },
  };
}

/** These follow the specific events of a transition: `became_visible`, `updated`, then `deleted` and `restored`. */
export function laterEvents(resource: string): readonly EventType[] {
  const [field, from, to] = exampleChange(resource);
  return [
    {
      type: `${resource}.became_visible`,
      meaning: `${A(resource)} became visible to the token’s person, or was created.`,
      when: `Fires instead of \`created\` when a poll finds ${a(resource)} for the first time and the API does not show which of both happened: the token’s role does not see everything, and the record has no creation date or one of the day before. Does not fire for a record that is certainly older.`,
      ofAppeared: true,
      urgency: 'plain',
      fires: ({ before, after }) => before === null && after.appeared === true,
      say: ({ record }) => `${nameOf(resource, record)} became visible${placeOf(record)}`,
      sayMany: (count) => `${countOf(count, resource)} became visible`,
      example: { before: null, after: {}, appeared: true },
    },
    {
      type: `${resource}.updated`,
      meaning: `${A(resource)} changed.`,
      when: `Fires once for all changes of watched fields that a poll finds, in addition to the specific events. Does not fire when only names of other records or volatile fields change, or when the token’s role hides or reveals a field.`,
      urgency: 'plain',
      fires: ({ before }, changes) => before !== null && before.deletedAt === null && changes.length > 0,
      say: ({ record, changes }) =>
        `${nameOf(resource, record)} was updated${placeOf(record)}: ${joinNames(changedFields(changes))}`,
      // The specific events of the same change say more.
      weight: 10,
      example: { before: { [field]: from }, after: { [field]: to } },
    },
    {
      type: `${resource}.deleted`,
      meaning: `${A(resource)} was deleted.`,
      when: `Fires when a complete sweep does not list the record and the API confirms that it does not exist. Never fires because of an error, an outage or a missing permission. Many deletions at once are held back first (\`source.mass_disappearance\`).`,
      ofGone: true,
      urgency: 'plain',
      fires: ({ before, after }) => before?.deletedAt === null && after.deletedAt !== null,
      undone: ({ deletedAt }) => deletedAt === null,
      say: ({ record }) => `${nameOf(resource, record)} was deleted${placeOf(record)}`,
      example: { before: {}, after: {}, gone: 'after' },
    },
    {
      type: `${resource}.restored`,
      meaning: `A deleted ${nounFor(resource, 1)} was restored.`,
      when: `Fires when a poll finds a deleted record again under the same id. Its version continues from the last one.`,
      urgency: 'plain',
      fires: ({ before, after }) => before !== null && before.deletedAt !== null && after.deletedAt === null,
      say: ({ record }) => `${nameOf(resource, record)} was restored${placeOf(record)}`,
      example: { before: {}, after: {}, gone: 'before' },
    },
  ];
}

/** For resources with the field `active`. */
export function activeEvents(resource: string): readonly EventType[] {
  const flip = (type: string, meaning: string, to: boolean): EventType => ({
    type: `${resource}.${type}`,
    meaning,
    when: `Fires when \`active\` becomes ${to ? 'true' : 'false'}. Does not fire for a new ${nounFor(resource, 1)}.`,
    urgency: to ? 'good' : 'plain',
    ...onTurnOf('active', !to, to),
    say: ({ record }) => `${nameOf(resource, record)} was ${type}${placeOf(record)}`,
    example: { before: { active: !to }, after: { active: to } },
  });
  return [
    flip('activated', `${A(resource)} was activated.`, true),
    flip('deactivated', `${A(resource)} was deactivated.`, false),
  ];
}

/** A watched field of the sample record, its value before and its value after the example change. */
function exampleChange(resource: string): [string, string, string] {
  const definition = resourceOf(resource);
  const field = ['title', 'name', 'lastname', 'note', 'module'].find((name) => sampleOf(resource)[name] !== undefined);
  if (definition === undefined || field === undefined) return ['name', 'Before', 'After'];
  const value = String(sampleOf(resource)[field]);
  return [field, `${value} (draft)`, value];
}
