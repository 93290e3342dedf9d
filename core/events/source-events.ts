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
const named = ({ name }: Fields) => `Source ${typeof name === 'string' ? name : '?'}`;
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
    when: 'Fires once, when the first complete sweep of every resource the token may read is done.',
    urgency: 'plain',
    fires: becomes('baselined', true),
    say: ({ record }) => `${named(record)} is known now: ${counted(record.counts)}`,
    example: { before: { baselined: false }, after: {} },
  },
  {
    type: 'source.unreachable',
    meaning: 'Three cycles in a row could read nothing.',
    when: 'Fires when three cycles in a row failed: timeouts, resets, 5xx, answers that are none. Once per outage; source.recovered ends it.',
    urgency: 'late',
    fires: becomes('state', 'unreachable'),
    holds: ({ record }) => record.state === 'unreachable',
    say: ({ record }) => `${named(record)} cannot be reached${because(record)}`,
    example: {
      before: { failedCycles: 2 },
      after: { state: 'unreachable', failedCycles: 3, reason: 'https://work.example.com did not answer' },
    },
  },
  {
    type: 'source.unauthorized',
    meaning: 'The API refuses the token: nothing is read until a person mends it.',
    when: 'Fires when the API answers 401, 402 or 418. Nothing is ever taken for deleted meanwhile.',
    urgency: 'late',
    fires: becomes('state', 'unauthorized'),
    holds: ({ record }) => record.state === 'unauthorized',
    say: ({ record }) => `${named(record)} refuses the token${because(record)}`,
    example: { before: {}, after: { state: 'unauthorized', reason: 'the API refused the token (401)' } },
  },
  {
    type: 'source.recovered',
    meaning: 'A source that was unreachable or refused the token is read again; what changed meanwhile follows.',
    when: 'Fires with the first scan that reads to its end again.',
    urgency: 'good',
    fires: ({ before, after }) => before !== null && before.record.state !== 'ok' && after.record.state === 'ok',
    say: ({ record }) => `${named(record)} is read again`,
    example: { before: { state: 'unreachable', failedCycles: 3 }, after: {} },
  },
  {
    type: 'source.forbidden',
    meaning: "The token's role may not read a resource; the others go on. It is tried again once a day.",
    when: 'Fires when the API answers 403 for a resource, once for each; when the role is given back, it is read again by itself.',
    urgency: 'late',
    fires: gains('forbidden'),
    say: ({ record }) => `${named(record)} does not let the token read ${list(record.forbidden)}`,
    example: { before: {}, after: { forbidden: ['invoice'] } },
  },
  {
    type: 'source.stale',
    meaning: 'No scan of a resource has completed for three intervals, though the source answers.',
    when: 'Fires when a resource could not be read to its end for three times its interval. Not while the source is unreachable, unauthorized or out of quota: that explains it.',
    urgency: 'soon',
    fires: gains('stale'),
    say: ({ record }) => `${named(record)} has not been read to the end for a while: ${list(record.stale)}`,
    example: { before: {}, after: { stale: ['invoice'] } },
  },
  {
    type: 'source.quota_low',
    meaning: "Nine tenths of our share of the day's requests are used; cadences are stretched.",
    when: 'Fires when nine tenths of our share are used. Once a day at most.',
    urgency: 'soon',
    fires: ({ before, after }) => after.record.quota === 'low' && (before?.record.quota ?? 'ok') === 'ok',
    say: ({ record }) => `${named(record)} has few requests left for today`,
    example: { before: {}, after: { quota: 'low' } },
  },
  {
    type: 'source.quota_exhausted',
    meaning: "Our share of the day's requests is used; polling goes on when the count starts anew.",
    when: 'Fires when our share is used up, or the API says that the quota is exceeded. What changed meanwhile is told after the reset.',
    urgency: 'late',
    fires: becomes('quota', 'exhausted'),
    say: ({ record }) => `${named(record)} has no requests left for today; polling goes on tomorrow`,
    example: { before: {}, after: { quota: 'exhausted' } },
  },
  {
    type: 'source.mass_disappearance',
    meaning:
      'A sweep lacks more than 5 % of the records, and more than 10: taken for a fault, not for deletions, until it has lasted an hour and a sample is truly gone.',
    when: 'Fires when the brake goes on. If the records are truly gone, their deletions follow after an hour; if they come back, nothing does.',
    urgency: 'late',
    fires: gains('held'),
    say: ({ record }) =>
      `${named(record)} suddenly lacks many records (${list(record.held)}): none is called deleted yet`,
    example: { before: {}, after: { held: { task: 412 } } },
  },
];
