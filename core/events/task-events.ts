/** The event types of tasks. */

import type { EventData } from '../model/event.ts';
import type { Transition } from '../model/snapshot.ts';
import { isKnownAsClosed, isKnownAsOverdue } from '../snapshot/kept-facts.ts';
import type { EventType } from './event-type.ts';
import {
  becomesTrue,
  grownBy,
  joinNames,
  listOf,
  moved,
  numberOf,
  onChangeOf,
  placeOf,
  sayPeople,
  stillTrue,
  textField,
} from './facts.ts';
import { createdEvent, laterEvents, nameOf } from './life-events.ts';
import { detailPeople, isEveryoneBack } from './moved-people.ts';
import { countOf, formatDayField, formatFirstDayOverdue, lowerFirst } from './phrases.ts';
import { isOver, remainingHours } from './task-hours.ts';

const task = ({ record }: Pick<EventData, 'record'>) => nameOf('task', record);
const wasKnownAsClosed = ({ before }: Transition) => before !== null && isKnownAsClosed(before.stage);

const detail = ({ details }: EventData, field: string) => joinNames(listOf(details?.[field])) || 'someone';
const assignees = detailPeople('assigneeid', 'assignees');

/** True when the task itself got another status or closing date: a renamed status closes and reopens nothing. */
const wasMoved = ({ before, after }: Transition) => {
  if (before === null) return true;
  const [from, to] = [before.record, after.record];
  const field = from.statusid === undefined || to.statusid === undefined ? 'status' : 'statusid';
  return from[field] !== to[field] || from.dateclosed !== to.dateclosed;
};

export const taskEvents: readonly EventType[] = [
  createdEvent('task'),
  {
    type: 'task.closed',
    meaning: 'A task was closed.',
    when: 'Fires when a task gets a closing date or a status that counts as closed (`rules.closedStatuses`), including a task created and closed between two polls. Fires again if the task is reopened and closed again. Does not fire when a status is renamed: the status is known by its id. A task whose status only got the name of a closed one, or that only the config closed, can still be closed by a person.',
    urgency: 'good',
    fires: (transition) =>
      transition.after.stage.closed === true && !wasKnownAsClosed(transition) && wasMoved(transition),
    undone: ({ stage }) => stage.closed === false,
    say: (data) => `${task(data)} was closed${placeOf(data.record)}`,
    covers: ['task.status_changed'],
    example: {
      before: { statusid: '2', status: 'In Progress' },
      after: { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' },
    },
  },
  {
    type: 'task.reopened',
    meaning: 'A closed task was reopened.',
    when: 'Fires when a closed task no longer has a closing date or a closed status. If the closing date stays, the status decides: the task is open once it gets a less complete status (`status_order`) than the closed one.',
    urgency: 'plain',
    fires: (transition) =>
      wasKnownAsClosed(transition) && transition.after.stage.closed === false && wasMoved(transition),
    undone: ({ stage }) => stage.closed === true,
    say: (data) => `${task(data)} was reopened${placeOf(data.record)}`,
    weight: 160,
    covers: ['task.status_changed'],
    example: { before: { statusid: '7', status: 'Closed', dateclosed: '2026-11-12' }, after: {} },
  },
  {
    type: 'task.status_changed',
    meaning: 'The status of a task changed.',
    when: 'Fires when the task gets a different status. Does not fire when a status is renamed.',
    urgency: 'plain',
    ...onChangeOf('statusid'),
    details: {
      properties: { from: { type: ['string', 'null'] }, to: { type: ['string', 'null'] } },
      of: ({ before, after }) => ({
        from: before === null ? null : textField(before.record, 'status'),
        to: textField(after.record, 'status'),
      }),
    },
    say: (data) =>
      `${task(data)} is now ${textField(data.record, 'status') ?? 'in a new status'}${placeOf(data.record)}`,
    example: { before: { statusid: '1', status: 'Open' }, after: {} },
  },
  {
    type: 'task.assigned',
    meaning: 'People were assigned to a task.',
    when: 'Fires when people are added to the assignees, including those of a new task. `details` lists them. Does not fire when only the order changes.',
    urgency: 'plain',
    fires: (transition) => moved(transition, 'assigneeid').added.length > 0,
    undone: isEveryoneBack('added'),
    details: assignees,
    say: (data) => `${task(data)} was assigned to ${detail(data, 'addedNames')}${placeOf(data.record)}`,
    weight: 150,
    example: { before: { assigneeid: [], assignees: [] }, after: {} },
  },
  {
    type: 'task.unassigned',
    meaning: 'People were unassigned from a task.',
    when: 'Fires when people are removed from the assignees. `details` lists them. Does not fire when the token’s role hides the assignees.',
    urgency: 'plain',
    fires: (transition) => moved(transition, 'assigneeid').removed.length > 0,
    undone: isEveryoneBack('removed'),
    details: assignees,
    say: (data) => `${task(data)} is no longer assigned to ${detail(data, 'removedNames')}${placeOf(data.record)}`,
    example: { before: { assigneeid: ['5', '9'], assignees: ['Ann Vogt', 'Zoë Lind'] }, after: {} },
  },
  {
    type: 'task.owner_changed',
    meaning: 'The owners of a task changed.',
    when: 'Fires when owners are added or removed. `details` lists them.',
    urgency: 'plain',
    ...onChangeOf('ownerid'),
    details: detailPeople('ownerid', 'owners'),
    say: (data) =>
      `${task(data)} is now owned by ${sayPeople(data.record, 'ownerid', 'owners')}${placeOf(data.record)}`,
    weight: 140,
    example: { before: { ownerid: ['3'], owners: ['Cleo Marsh'] }, after: {} },
  },
  {
    type: 'task.followers_changed',
    meaning: 'The followers of a task changed.',
    when: 'Fires when followers are added or removed. `details` lists them.',
    urgency: 'plain',
    ...onChangeOf('followerid'),
    details: detailPeople('followerid', 'followers'),
    say: (data) =>
      `${task(data)} is now followed by ${sayPeople(data.record, 'followerid', 'followers')}${placeOf(data.record)}`,
    example: { before: {}, after: { followerid: ['9'], followers: ['Zoë Lind'] } },
  },
  {
    type: 'task.priority_changed',
    meaning: 'The priority of a task changed.',
    when: 'Fires when the task gets a different priority. Does not fire when a priority is renamed or recoloured.',
    urgency: 'plain',
    ...onChangeOf('priorityid'),
    say: (data) =>
      `${task(data)} now has ${textField(data.record, 'severity') ?? 'a new'} priority${placeOf(data.record)}`,
    example: { before: { priorityid: '3', severity: 'P3' }, after: {} },
  },
  {
    type: 'task.due_date_changed',
    meaning: 'The due date of a task changed.',
    when: 'Fires when the due date is set, moved or removed. `task.due_soon` and `task.overdue` can then fire again.',
    urgency: 'plain',
    ...onChangeOf('datedue'),
    say: (data) => {
      const due = formatDayField(data, 'datedue');
      return `${task(data)} ${due === undefined ? 'no longer has a due date' : `is now due ${due}`}${placeOf(data.record)}`;
    },
    example: { before: { datedue: '2026-11-18' }, after: {} },
  },
  {
    type: 'task.milestone_changed',
    meaning: 'The milestone of a task changed.',
    when: 'Fires when the milestone is set, changed or removed. Does not fire when a milestone is renamed.',
    urgency: 'plain',
    ...onChangeOf('milestoneid'),
    say: (data) => {
      const { milestoneid = null } = data.record;
      const milestone = textField(data.record, 'milestone');
      const now =
        milestoneid === null && milestone === null
          ? 'is no longer in a milestone'
          : `is now in ${milestone === null ? 'another milestone' : `milestone ${milestone}`}`;
      return `${task(data)} ${now}${placeOf(data.record)}`;
    },
    example: { before: {}, after: { milestoneid: '6', milestone: 'Go-live' } },
  },
  {
    type: 'task.moved',
    meaning: 'A task was moved to another project or module.',
    when: 'Fires when the project or the module changes. Does not fire when they are renamed.',
    urgency: 'plain',
    ...onChangeOf('projectid', 'moduleid'),
    say: (data) => {
      const module = textField(data.record, 'module');
      const other = data.changes.some(({ field }) => field === 'projectid') ? 'another project' : 'another module';
      return `${task(data)} was moved to ${module === null ? other : `module ${module}`}${placeOf(data.record)}`;
    },
    example: { before: { projectid: '30', project: 'Autumn campaign' }, after: {} },
  },
  {
    type: 'task.estimate_changed',
    meaning: 'The estimate of a task changed.',
    when: 'Fires when the estimated hours change.',
    urgency: 'plain',
    ...onChangeOf('estimate'),
    say: (data) => {
      const hours = numberOf(data.record, 'estimate');
      const now = hours === null ? 'no longer has an estimate' : `is now estimated at ${hours} h`;
      return `${task(data)} ${now}${placeOf(data.record)}`;
    },
    example: { before: { estimate: 4 }, after: {} },
  },
  {
    type: 'task.time_logged',
    meaning: 'Time was logged on a task.',
    when: 'Fires when the actual hours increase; `details.hours` is the increase. Several time entries between two polls are one event. Does not fire when hours are removed.',
    urgency: 'plain',
    fires: (transition) => transition.before !== null && grownBy(transition, 'actual') > 0,
    undone: ({ record }, { data }) => {
      const [now, then] = [numberOf(record, 'actual'), numberOf(data.record, 'actual')];
      return now !== null && then !== null && now <= then - Number(data.details?.hours ?? 0);
    },
    sayMany: (count) => `time logged on ${countOf(count, 'task')}`,
    details: {
      properties: { hours: { type: 'number' } },
      of: (transition) => ({ hours: grownBy(transition, 'actual') }),
      now: remainingHours,
    },
    say: (data) => `${String(data.details?.hours ?? 0)} h logged on ${lowerFirst(task(data))}${placeOf(data.record)}`,
    add: ({ details }) => `${String(details?.hours ?? 0)} h logged`,
    example: { before: { actual: 1 }, after: {} },
  },
  {
    type: 'task.over_estimate',
    meaning: 'The hours logged on a task exceed its estimate.',
    when: 'Fires once when the actual hours exceed the estimate, or when the estimate is lowered below them. Fires again only after they were within the estimate in between. Does not fire for a task without an estimate.',
    urgency: 'late',
    fires: ({ before, after }) => isOver(after.record) && before !== null && !isOver(before.record),
    holds: ({ record }) => isOver(record),
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
    when: 'Fires once per due date while the task is open: `rules.taskDueSoon` before it, at midnight in the account’s time zone, or immediately if the date is set closer than that.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('dueSoon', 'datedue'),
    holds: stillTrue('dueSoon', 'datedue'),
    open: { fact: 'dueSoon', byDefault: true },
    say: (data) => `${task(data)} is due ${formatDayField(data, 'datedue') ?? 'soon'}${placeOf(data.record)}`,
    example: { before: {}, after: {}, on: '2026-11-19' },
  },
  {
    type: 'task.overdue',
    meaning: 'A task is overdue.',
    when: 'Fires once per due date, when the day after it begins in the account’s time zone and the task is still open. Fires again if the due date is moved and passes again, or if the task is reopened. Does not repeat daily.',
    byTime: true,
    urgency: 'late',
    fires: becomesTrue('overdue', 'datedue'),
    holds: stillTrue('overdue', 'datedue'),
    open: { fact: 'overdue', byDefault: true },
    say: (data) =>
      `${task(data)} has been overdue since ${formatFirstDayOverdue(data) ?? 'its due date'}${placeOf(data.record)}`,
    // Before `task.over_estimate`, which is late too.
    weight: 410,
    example: { before: {}, after: {}, on: '2026-11-21' },
  },
  {
    type: 'task.back_on_track',
    meaning: 'An overdue task is no longer overdue, although it is still open.',
    when: 'Fires when the due date of an overdue task is moved to today or later, or removed.',
    urgency: 'good',
    // A task that counted as closed without an event was still overdue for its readers.
    fires: ({ before, after }) =>
      before !== null &&
      isKnownAsOverdue(before.stage) &&
      after.stage.overdue === false &&
      after.stage.closed === false,
    holds: ({ stage }) => stage.overdue !== true,
    say: (data) => `${task(data)} is no longer overdue${placeOf(data.record)}`,
    example: { before: { datedue: '2026-11-10' }, after: {} },
  },
  {
    type: 'task.stale',
    meaning: 'An open task has not been changed for a long time.',
    when: 'Fires `rules.taskStale` days after the last change, at midnight in the account’s time zone. Logged hours count as a change, although they do not modify the task, and so does an edit with a modification date that is older than the last scan. Fires again after the next change and another such period without changes.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('stale'),
    holds: stillTrue('stale'),
    details: {
      properties: { days: { type: 'integer' } },
      of: ({ after }) => ({ days: Number(after.stage.staleFor ?? 0) }),
    },
    say: (data) =>
      `${task(data)} has not changed for ${String(data.details?.days ?? 'many')} ${data.details?.days === 1 ? 'day' : 'days'}${placeOf(data.record)}`,
    example: { before: { datedue: null }, after: { datedue: null }, on: '2026-12-13' },
  },
  ...laterEvents('task'),
];
