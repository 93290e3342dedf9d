/** The catalogue of what can happen to a source itself: why it is silent, and that it is not. */

import type { Fields, Value } from '../model/record.ts';
import type { Transition } from '../model/snapshot.ts';
import type { EventType } from './event-type.ts';

/** The value of a field before and after. */
const of = ({ before, after }: Transition, field: string): [Value, Value] => [
  before?.record[field] ?? null,
  after.record[field] ?? null,
];

/** True when the field becomes this value. */
const becomes = (field: string, value: Value) => (transition: Transition) => {
  const [before, after] = of(transition, field);
  return before !== value && after === value;
};

/** True when a list gains a member, or a section a key. */
const gains = (field: string) => (transition: Transition) => {
  const [before, after] = of(transition, field);
  const known = new Set(membersOf(before));
  return membersOf(after).some((member) => !known.has(member));
};

function membersOf(value: Value): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

const list = (value: Value | undefined) => membersOf(value ?? null).join(', ');
const named = ({ name }: Fields) => `Source ${String(name)}`;
const because = ({ reason }: Fields) => (typeof reason === 'string' ? `: ${reason}` : '');

function counted(counts: Value | undefined): string {
  if (typeof counts !== 'object' || counts === null || Array.isArray(counts)) return 'nothing';
  return Object.entries(counts)
    .map(([resource, count]) => `${String(count ?? 0)} ${resource}`)
    .join(', ');
}

export const sourceEvents: readonly EventType[] = [
  {
    type: 'source.baselined',
    meaning: 'Everything the token may read has been read once, silently; from now on changes are told.',
    fires: becomes('baselined', true),
    say: (record) => `${named(record)} is known now: ${counted(record.counts)}`,
  },
  {
    type: 'source.unreachable',
    meaning: 'Three cycles in a row could read nothing.',
    fires: becomes('state', 'unreachable'),
    say: (record) => `${named(record)} cannot be reached${because(record)}`,
  },
  {
    type: 'source.unauthorized',
    meaning: 'The API refuses the token: nothing is read until a person mends it.',
    fires: becomes('state', 'unauthorized'),
    say: (record) => `${named(record)} refuses the token${because(record)}`,
  },
  {
    type: 'source.recovered',
    meaning: 'A source that was unreachable or refused the token is read again; what changed meanwhile follows.',
    fires: ({ before, after }) => before !== null && before.record.state !== 'ok' && after.record.state === 'ok',
    say: (record) => `${named(record)} is read again`,
  },
  {
    type: 'source.forbidden',
    meaning: "The token's role may not read a resource; the others go on. It is tried again once a day.",
    fires: gains('forbidden'),
    say: (record) => `${named(record)} does not let the token read ${list(record.forbidden)}`,
  },
  {
    type: 'source.stale',
    meaning: 'No scan of a resource has completed for three intervals, though the source answers.',
    fires: gains('stale'),
    say: (record) => `${named(record)} has not been read to the end for a while: ${list(record.stale)}`,
  },
  {
    type: 'source.quota_low',
    meaning: "Nine tenths of our share of the day's requests are used; cadences are stretched.",
    fires: ({ before, after }) => after.record.quota === 'low' && (before?.record.quota ?? 'ok') === 'ok',
    say: (record) => `${named(record)} has few requests left for today`,
  },
  {
    type: 'source.quota_exhausted',
    meaning: "Our share of the day's requests is used; polling goes on when the count starts anew.",
    fires: becomes('quota', 'exhausted'),
    say: (record) => `${named(record)} has no requests left for today; polling goes on tomorrow`,
  },
  {
    type: 'source.mass_disappearance',
    meaning:
      'A sweep lacks more than 5 % of the records, and more than 10: taken for a fault, not for deletions, until it has lasted an hour and a sample is truly gone.',
    fires: gains('held'),
    say: (record) => `${named(record)} suddenly lacks many records (${list(record.held)}): none is called deleted yet`,
  },
];
