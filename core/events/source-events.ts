/** The event types of a source itself: its health, quota and permissions. */

import type { Fields, Value } from '../model/record.ts';
import type { Transition } from '../model/snapshot.ts';
import type { EventType } from './event-type.ts';
import { joinNames } from './facts.ts';
import { countOf, formatZonedTime, nounFor } from './phrases.ts';

/** The value of a field before and after. */
const valuesOf = ({ before, after }: Transition, field: string): [Value, Value] => [
  before?.record[field] ?? null,
  after.record[field] ?? null,
];

/** True when the field becomes this value. */
const becomes = (field: string, value: Value) => (transition: Transition) => {
  const [before, after] = valuesOf(transition, field);
  return before !== value && after === value;
};

/** True when a list gains a member, or an object a key. */
const gains = (field: string) => (transition: Transition) => {
  const [before, after] = valuesOf(transition, field);
  const membersBefore = new Set(membersOf(before));
  return membersOf(after).some((member) => !membersBefore.has(member));
};

function membersOf(value: Value): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** Holds while a member that the event reported is still there. */
const keeps =
  (field: string): NonNullable<EventType['holds']> =>
  ({ record }, { data }) => {
    const known = new Set(membersOf(data.previous[field] ?? null));
    const reported = membersOf(data.record[field] ?? null).filter((member) => !known.has(member));
    const present = new Set(membersOf(record[field] ?? null));
    return reported.some((member) => present.has(member));
  };

/** Holds while the field has the value that the event reported. */
const stays =
  (field: string): NonNullable<EventType['holds']> =>
  ({ record }, { data }) =>
    (record[field] ?? null) === (data.record[field] ?? null);

const list = (value: Value | undefined) => joinNames(membersOf(value ?? null).map((resource) => nounFor(resource, 2)));
const nameOfSource = ({ name }: Fields) => (typeof name === 'string' ? name : '?');
const named = (record: Fields) => `Source ${nameOfSource(record)}`;
const because = ({ reason }: Fields) => (typeof reason === 'string' ? `: ${reason}` : '');

/** The day of the quota begins in GMT: for many readers that is today. */
function whenReset({ quotaResetsAt }: Fields, timeZone: string): string {
  return typeof quotaResetsAt === 'string' ? `on ${formatZonedTime(quotaResetsAt, timeZone)}` : 'after the quota reset';
}

function counted(counts: Value | undefined): string {
  if (typeof counts !== 'object' || counts === null || Array.isArray(counts)) return 'nothing';
  return Object.entries(counts)
    .map(([resource, count]) => countOf(typeof count === 'number' ? count : 0, resource))
    .join(', ');
}

/** `4 minutes ahead of`, `3 hours behind` */
function sayDifference(ahead: Value | undefined): string {
  const minutes = typeof ahead === 'number' ? ahead : 0;
  const size = Math.abs(minutes);
  const [count, unit] = size >= 120 ? [Math.round(size / 60), 'hour'] : [size, 'minute'];
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'} ${minutes > 0 ? 'ahead of' : 'behind'}`;
}

export const sourceEvents: readonly EventType[] = [
  {
    type: 'source.baselined',
    meaning: 'The first sync of the source is complete; from now on, changes are sent as events.',
    when: 'Fires once, when the first sweep of every resource that the token may read is complete. The sync itself sends no events.',
    urgency: 'plain',
    fires: becomes('baselined', true),
    say: ({ record }) => `First sync of ${nameOfSource(record)} complete: ${counted(record.counts)}`,
    sayMany: (count) => `first sync of ${countOf(count, 'source')} complete`,
    example: { before: { baselined: false }, after: {} },
  },
  {
    type: 'source.unreachable',
    meaning: 'The API could not be reached in three scans of a resource in a row.',
    when: 'Fires once per outage, when three poll cycles in a row failed with timeouts, connection resets, 5xx or invalid responses. If only some lists fail while others are read, their resources become `source.stale` instead. `source.recovered` ends the outage.',
    urgency: 'late',
    fires: becomes('state', 'unreachable'),
    holds: stays('state'),
    say: ({ record }) => `${named(record)} is unreachable${because(record)}`,
    example: {
      before: { failedCycles: 2 },
      after: { state: 'unreachable', failedCycles: 3, reason: 'https://work.example.com did not answer' },
    },
  },
  {
    type: 'source.unauthorized',
    meaning: 'The API rejects the token; polling is blocked until the token is replaced.',
    when: 'Fires when the API responds with 401, 402 or 418. No record is considered deleted in the meantime.',
    urgency: 'late',
    fires: becomes('state', 'unauthorized'),
    holds: stays('state'),
    say: ({ record }) => `${named(record)} rejects the API token${because(record)}`,
    sayMany: (count) => `API token rejected by ${countOf(count, 'source')}`,
    example: { before: {}, after: { state: 'unauthorized', reason: '401 from work.example.com' } },
  },
  {
    type: 'source.recovered',
    meaning: 'A source that was unreachable or unauthorized is polled again; events for the changes in between follow.',
    when: 'Fires when the first scan after the outage completes.',
    urgency: 'good',
    fires: ({ before, after }) =>
      ['unreachable', 'unauthorized'].some((state) => before?.record.state === state) && after.record.state === 'ok',
    holds: stays('state'),
    say: ({ record }) => `${named(record)} has recovered`,
    example: { before: { state: 'unreachable', failedCycles: 3 }, after: {} },
  },
  {
    type: 'source.forbidden',
    meaning: 'The token may not read a resource. Other resources are still polled.',
    when: 'Fires once per resource when the API itself responds with 403; the error page of a proxy or firewall does not count. The resource is retried every hour and is polled again when access is restored.',
    urgency: 'late',
    fires: gains('forbidden'),
    holds: keeps('forbidden'),
    say: ({ record }) => `${named(record)} does not allow the token to read ${list(record.forbidden)}`,
    sayMany: (count) => `access denied by ${countOf(count, 'source')}`,
    example: { before: {}, after: { forbidden: ['invoice'] } },
  },
  {
    type: 'source.stale',
    meaning: 'A resource has not been read to the end for too long, although the API responds.',
    when: 'Fires when no scan of a resource completed within three times its interval, when its first sync is not complete after an hour, or when its sweeps have failed for a day, even if scans for changes succeed. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause.',
    urgency: 'soon',
    fires: gains('stale'),
    holds: keeps('stale'),
    say: ({ record }) => `${named(record)} has had no complete scan of ${list(record.stale)} for a while`,
    example: { before: {}, after: { stale: ['invoice'] } },
  },
  {
    type: 'source.incomplete',
    meaning: 'The API counts more records of a resource than it lists. Tidings works with the listed ones.',
    when: 'Fires once per resource when two full reads in a row show the same records and both are short of the API’s own count. The first sync then counts as complete. A hidden record that is listed later is sent as created, unless its creation date is older.',
    urgency: 'soon',
    fires: gains('incomplete'),
    holds: keeps('incomplete'),
    say: ({ record }) => `${named(record)} lists fewer ${list(record.incomplete)} than it counts`,
    sayMany: (count) => `fewer records listed than counted by ${countOf(count, 'source')}`,
    example: { before: {}, after: { incomplete: ['task'] } },
  },
  {
    type: 'source.quota_low',
    meaning: "90 % of the day's request budget is used; polling slows down.",
    when: 'Fires when 90 % of the request budget of Tidings is used. Fires at most once a day.',
    urgency: 'soon',
    fires: ({ before, after }) => after.record.quota === 'low' && (before?.record.quota ?? 'ok') === 'ok',
    holds: stays('quota'),
    say: ({ record }) => `${named(record)} is running low on API requests for today`,
    sayMany: (count) => `API quota low on ${countOf(count, 'source')}`,
    example: { before: {}, after: { quota: 'low' } },
  },
  {
    type: 'source.quota_exhausted',
    meaning: "The day's request budget is used up; polling resumes after the quota reset.",
    when: 'Fires when the request budget of Tidings is used up, or when the API reports that the quota is exceeded. Events for the changes in between follow after the reset.',
    urgency: 'late',
    fires: becomes('quota', 'exhausted'),
    holds: stays('quota'),
    say: ({ record }, timeZone) =>
      `${named(record)} has used up its API requests for today; polling resumes ${whenReset(record, timeZone)}`,
    sayMany: (count) => `API quota used up on ${countOf(count, 'source')}`,
    example: { before: {}, after: { quota: 'exhausted', quotaResetsAt: '2026-11-15T00:00:00.000Z' } },
  },
  {
    type: 'source.mass_disappearance',
    meaning:
      'More than 5 % of the records, and more than 10, are missing from a sweep. Tidings holds their deletions back.',
    when: 'Fires when deletions are held back. If the records are still missing after an hour and the API confirms it for a sample, the deletions follow. If the records reappear, no deletion is sent.',
    urgency: 'late',
    fires: gains('held'),
    holds: keeps('held'),
    say: ({ record }) =>
      `${named(record)} is suddenly missing many records (${counted(record.held)}); deletions are on hold`,
    sayMany: (count) => `many records missing from ${countOf(count, 'source')}`,
    example: { before: {}, after: { held: { task: 412 } } },
  },
  {
    type: 'source.deletions_undecided',
    meaning: 'Records are no longer listed, and the API does not say whether they were deleted.',
    when: 'Fires once per resource when a missing record could neither be read nor confirmed as deleted for an hour, because the API responds with 403 or fails, and at once when the token’s person may only have lost sight of a record. No deletion is sent. Records that could not be read are requested again, at first hourly and later daily.',
    urgency: 'soon',
    fires: gains('undecided'),
    holds: keeps('undecided'),
    say: ({ record }) =>
      `${named(record)} no longer lists ${counted(record.undecided)}, and does not say whether they were deleted`,
    sayMany: (count) => `undecided deletions on ${countOf(count, 'source')}`,
    example: { before: {}, after: { undecided: { task: 3 } } },
  },
  {
    type: 'source.unconfirmed',
    meaning: 'Records are due, but the API does not show them, so their time-driven events wait.',
    when: 'Fires once per resource when a record could not be read for three minutes or more after its moment came, such as the midnight after its due date, in two reads or more. The records are read again, at first after two minutes and later hourly, and their events follow. Does not fire while the source is unreachable, unauthorized or out of quota, because that is the cause.',
    urgency: 'soon',
    fires: gains('unconfirmed'),
    holds: keeps('unconfirmed'),
    say: ({ record }) =>
      `${named(record)} does not show ${counted(record.unconfirmed)} whose time has come; their events wait`,
    sayMany: (count) => `due records not shown by ${countOf(count, 'source')}`,
    example: { before: {}, after: { unconfirmed: { task: 3 } } },
  },
  {
    type: 'source.zone_unknown',
    meaning: 'The time zone of the account is not known, so no time-driven events are sent.',
    when: 'Fires once when the config has no `timeZone` and the API does not name the zone of the token’s person, or does not let the token read it. Overdue, due soon and the other events that time alone causes wait until either names one.',
    urgency: 'soon',
    fires: becomes('zoneUnknown', true),
    holds: ({ record }) => record.zoneUnknown === true,
    say: ({ record }) =>
      `${named(record)} has no known time zone, so nothing becomes overdue or due soon; set timeZone in the config`,
    sayMany: (count) => `time zone unknown of ${countOf(count, 'source')}`,
    example: { before: {}, after: { timeZone: null, zoneUnknown: true } },
  },
  {
    type: 'source.clock_skewed',
    meaning: 'The clock of the machine that runs Tidings and the clock of the API differ by minutes or more.',
    when: 'Fires once when the `Date` of the API’s responses differs from our clock by two minutes or more in three poll cycles in a row. Events that time alone causes wait until both clocks have passed their moment, so none is false, but they may be late. If the API’s clock is behind by more than a day, only ours counts. It ends when the clocks differ by less than a minute.',
    urgency: 'soon',
    fires: (transition) => {
      const [before, after] = valuesOf(transition, 'clockAhead');
      return before === null && after !== null;
    },
    holds: ({ record }) => typeof record.clockAhead === 'number',
    say: ({ record }) =>
      `${named(record)}: our clock is ${sayDifference(record.clockAhead)} the API’s; overdue and due soon events may be late`,
    sayMany: (count) => `clocks differ on ${countOf(count, 'source')}`,
    example: { before: {}, after: { clockAhead: 4 } },
  },
  {
    type: 'source.role_changed',
    meaning: 'The token belongs to another person or has another role, so the API shows other records.',
    when: 'Fires once when the person or the role of the token changes. Records that appear or disappear because of it cause no events. If both are Administrators, they see the same records, and nothing is left out.',
    urgency: 'soon',
    fires: ({ before, after }) => before !== null && isOtherToken(before.record, after.record),
    holds: ({ record }, { data }) => !isOtherToken(data.record, record),
    say: ({ record }) =>
      `${named(record)}: the API token now belongs to person ${String(record.person ?? '?')}${typeof record.role === 'string' ? ` with the role ${record.role}` : ''}`,
    sayMany: (count) => `token role changed on ${countOf(count, 'source')}`,
    example: { before: { person: '1', role: 'Administrator' }, after: { person: '1', role: 'Executive' } },
  },
];

function isOtherToken(before: Fields, after: Fields): boolean {
  return ['person', 'role'].some((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    // The id of a group and the name of a role may be the same role.
    return from !== null && from !== to && (field !== 'role' || isNumber(from) === isNumber(to));
  });
}

function isNumber(value: Value): boolean {
  return /^\d+$/.test(String(value));
}
