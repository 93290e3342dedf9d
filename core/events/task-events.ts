/** The catalogue of what can happen to a task. */

import type { EventData } from '../model/event.ts';
import type { EventType } from './event-type.ts';
import {
  becomesTrue,
  changes,
  dayOf,
  grownBy,
  joinNames,
  listOf,
  moved,
  numberOf,
  placeOf,
  stillTrue,
  textField,
} from './facts.ts';
import { createdEvent, laterEvents, nameOf } from './life-events.ts';

const task = ({ record }: Pick<EventData, 'record'>) => nameOf('task', record);
const ids = { type: 'array', items: { type: 'string' } } as const;

/** The people of a field that came or went, by id and, as far as the record tells, by name. */
function people(field: string, names: string): NonNullable<EventType['details']> {
  return {
    properties: { added: ids, removed: ids, addedNames: ids, removedNames: ids },
    of: (transition) => {
      const { added, removed } = moved(transition, field);
      const named = moved(transition, names);
      return { added, removed, addedNames: named.added, removedNames: named.removed };
    },
  };
}

const detail = ({ details }: EventData, field: string) => joinNames(listOf(details?.[field])) || 'somebody';
const assignees = people('assigneeid', 'assignees');

export const taskEvents: readonly EventType[] = [
  createdEvent('task'),
  {
    type: 'task.closed',
    meaning: 'A task was closed.',
    when: 'Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), also when it was created and closed between two looks. Again after it was reopened.',
    urgency: 'good',
    fires: ({ before, after }) => after.stage.closed === true && before?.stage.closed !== true,
    say: (data) => `${task(data)} was closed${placeOf(data.record)}`,
    example: {
      before: { statusid: '2', status: 'In Progress' },
      after: { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' },
    },
  },
  {
    type: 'task.reopened',
    meaning: 'A closed task is open again.',
    when: 'Fires when neither closing date nor status say closed any longer.',
    urgency: 'plain',
    fires: ({ before, after }) => before?.stage.closed === true && after.stage.closed === false,
    say: (data) => `${task(data)} was reopened${placeOf(data.record)}`,
    example: { before: { statusid: '7', status: 'Closed', dateclosed: '2026-11-12' }, after: {} },
  },
  {
    type: 'task.status_changed',
    meaning: 'A task has another status.',
    when: 'Fires when the status is another one. Not when a status is renamed.',
    urgency: 'plain',
    fires: changes('statusid'),
    details: {
      properties: { from: { type: ['string', 'null'] }, to: { type: ['string', 'null'] } },
      of: ({ before, after }) => ({
        from: before === null ? null : textField(before.record, 'status'),
        to: textField(after.record, 'status'),
      }),
    },
    say: (data) =>
      `${task(data)} is now ${textField(data.record, 'status') ?? 'in another status'}${placeOf(data.record)}`,
    example: { before: { statusid: '1', status: 'Open' }, after: {} },
  },
  {
    type: 'task.assigned',
    meaning: 'Somebody was assigned to a task.',
    when: 'Fires when people are added to the assignees, also of a new task. `details` says who. Not when they only come in another order.',
    urgency: 'plain',
    fires: (transition) => moved(transition, 'assigneeid').added.length > 0,
    details: assignees,
    say: (data) => `${task(data)} was assigned to ${detail(data, 'addedNames')}${placeOf(data.record)}`,
    example: { before: { assigneeid: [], assignees: [] }, after: {} },
  },
  {
    type: 'task.unassigned',
    meaning: 'Somebody was taken off a task.',
    when: 'Fires when people are removed from the assignees. Not when the token’s role hides them.',
    urgency: 'plain',
    fires: (transition) => moved(transition, 'assigneeid').removed.length > 0,
    details: assignees,
    say: (data) => `${detail(data, 'removedNames')} no longer has ${task(data)}${placeOf(data.record)}`,
    example: { before: { assigneeid: ['5', '9'], assignees: ['Ann Vogt', 'Zoë Lind'] }, after: {} },
  },
  {
    type: 'task.owner_changed',
    meaning: 'A task has other owners.',
    when: 'Fires when owners are added or removed.',
    urgency: 'plain',
    fires: changes('ownerid'),
    details: people('ownerid', 'owners'),
    say: (data) =>
      `${task(data)} is now owned by ${joinNames(listOf(data.record.owners)) || 'somebody else'}${placeOf(data.record)}`,
    example: { before: { ownerid: ['3'], owners: ['Cleo Marsh'] }, after: {} },
  },
  {
    type: 'task.followers_changed',
    meaning: 'A task has other followers.',
    when: 'Fires when followers are added or removed.',
    urgency: 'plain',
    fires: changes('followerid'),
    details: people('followerid', 'followers'),
    say: (data) =>
      `${task(data)} is followed by ${joinNames(listOf(data.record.followers)) || 'nobody'}${placeOf(data.record)}`,
    example: { before: {}, after: { followerid: ['9'], followers: ['Zoë Lind'] } },
  },
  {
    type: 'task.priority_changed',
    meaning: 'A task has another priority.',
    when: 'Fires when the priority is another one. Not when a priority is renamed or recoloured.',
    urgency: 'plain',
    fires: changes('priorityid'),
    say: (data) =>
      `${task(data)} is now ${textField(data.record, 'severity') ?? 'of another priority'}${placeOf(data.record)}`,
    example: { before: { priorityid: '3', severity: 'P3' }, after: {} },
  },
  {
    type: 'task.due_date_changed',
    meaning: 'A task is due on another day, or on none.',
    when: 'Fires when the due date is set, moved or removed. Overdue and due soon are armed anew.',
    urgency: 'plain',
    fires: changes('datedue'),
    say: (data) => {
      const due = dayOf(data.record, 'datedue');
      return `${task(data)} is now due ${due === null ? 'on no day' : `on ${due}`}${placeOf(data.record)}`;
    },
    example: { before: { datedue: '2026-11-18' }, after: {} },
  },
  {
    type: 'task.milestone_changed',
    meaning: 'A task belongs to another milestone, or to none.',
    when: 'Fires when the milestone is another one. Not when a milestone is renamed.',
    urgency: 'plain',
    fires: changes('milestoneid'),
    say: (data) =>
      `${task(data)} belongs to ${textField(data.record, 'milestone') ?? 'no milestone'}${placeOf(data.record)}`,
    example: { before: {}, after: { milestoneid: '6', milestone: 'Go-live' } },
  },
  {
    type: 'task.moved',
    meaning: 'A task was moved to another project or module.',
    when: 'Fires when project or module are others. Not when they are renamed.',
    urgency: 'plain',
    fires: changes('projectid', 'moduleid'),
    say: (data) =>
      `${task(data)} was moved to ${textField(data.record, 'module') ?? 'another module'}${placeOf(data.record)}`,
    example: { before: { projectid: '30', project: 'Autumn campaign' }, after: {} },
  },
  {
    type: 'task.estimate_changed',
    meaning: 'A task is estimated otherwise.',
    when: 'Fires when the estimated hours are others.',
    urgency: 'plain',
    fires: changes('estimate'),
    say: (data) => `${task(data)} is estimated at ${numberOf(data.record, 'estimate') ?? 0} h${placeOf(data.record)}`,
    example: { before: { estimate: 4 }, after: {} },
  },
  {
    type: 'task.time_logged',
    meaning: 'Time was logged on a task.',
    when: 'Fires when the actual hours grew; `details.hours` says by how much. Several entries between two looks are one event. Not when hours were taken back.',
    urgency: 'plain',
    fires: (transition) => transition.before !== null && grownBy(transition, 'actual') > 0,
    details: {
      properties: { hours: { type: 'number' } },
      of: (transition) => ({ hours: grownBy(transition, 'actual') }),
    },
    say: (data) => `${String(data.details?.hours ?? 0)} h were logged on ${task(data)}${placeOf(data.record)}`,
    example: { before: { actual: 1 }, after: {} },
  },
  {
    type: 'task.over_estimate',
    meaning: 'More hours were logged on a task than estimated.',
    when: 'Fires when the actual hours pass the estimate, or the estimate is lowered below them. Once, until they are within it again. Not for a task without an estimate.',
    urgency: 'late',
    fires: ({ before, after }) => isOver(after.record) && before !== null && !isOver(before.record),
    details: {
      properties: { hoursOver: { type: 'number' } },
      of: ({ after: { record } }) => ({
        hoursOver: Math.round(((numberOf(record, 'actual') ?? 0) - (numberOf(record, 'estimate') ?? 0)) * 100) / 100,
      }),
    },
    say: (data) =>
      `${task(data)} is ${String(data.details?.hoursOver ?? 0)} h over its estimate${placeOf(data.record)}`,
    example: { before: {}, after: { actual: 7.25 } },
  },
  {
    type: 'task.due_soon',
    meaning: 'A task is due soon.',
    when: 'Fires once per due date, `rules.taskDueSoon` before it, at midnight in the account’s zone, while the task is open; at once for a date that is set nearer than that.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('dueSoon', 'datedue'),
    holds: stillTrue('dueSoon', 'datedue'),
    say: (data) => `${task(data)} is due on ${dayOf(data.record, 'datedue') ?? 'some day'}${placeOf(data.record)}`,
    example: { before: {}, after: {}, on: '2026-11-19' },
  },
  {
    type: 'task.overdue',
    meaning: 'A task is overdue.',
    when: 'Fires once per due date: when the day after it begins in the account’s zone and the task is still open. Again when the date moves and passes again, or the task reopens. Not every day.',
    byTime: true,
    urgency: 'late',
    fires: becomesTrue('overdue', 'datedue'),
    holds: stillTrue('overdue', 'datedue'),
    say: (data) =>
      `${task(data)} is overdue since ${dayOf(data.record, 'datedue') ?? 'some day'}${placeOf(data.record)}`,
    example: { before: {}, after: {}, on: '2026-11-21' },
  },
  {
    type: 'task.back_on_track',
    meaning: 'A task is no longer overdue, and not because it was closed.',
    when: 'Fires when the due date of an overdue task is moved to today or later, or removed.',
    urgency: 'good',
    fires: ({ before, after }) =>
      before?.stage.overdue === true && after.stage.overdue === false && after.stage.closed === false,
    say: (data) => `${task(data)} is no longer overdue${placeOf(data.record)}`,
    example: { before: { datedue: '2026-11-10' }, after: {} },
  },
  {
    type: 'task.stale',
    meaning: 'Nobody has touched an open task for a long time.',
    when: 'Fires `rules.taskStale` days after the last change, at midnight in the account’s zone. Again after it was changed and left alone once more.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('stale'),
    holds: stillTrue('stale'),
    details: {
      properties: { days: { type: 'integer' } },
      of: ({ after }) => ({ days: Number(after.stage.staleFor ?? 0) }),
    },
    say: (data) =>
      `${task(data)} has not been touched for ${String(data.details?.days ?? 'many')} days${placeOf(data.record)}`,
    example: { before: { datedue: null }, after: { datedue: null }, on: '2026-12-13' },
  },
  ...laterEvents('task'),
];

function isOver(record: EventData['record']): boolean {
  const estimate = numberOf(record, 'estimate') ?? 0;
  return estimate > 0 && (numberOf(record, 'actual') ?? 0) > estimate;
}
