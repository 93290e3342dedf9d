/** The event types of projects. */

import type { EventData } from '../model/event.ts';
import type { EventType } from './event-type.ts';
import { becomesTrue, numberOf, onChangeOf, sayManagers, stillTrue, textField } from './facts.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';
import { countOf, formatDayField } from './phrases.ts';

const project = ({ record }: EventData) => nameOf('project', record);
const client = ({ record }: EventData) => {
  const name = textField(record, 'client');
  return name === null ? '' : ` for ${name}`;
};

export const projectEvents: readonly EventType[] = [
  createdEvent('project'),
  ...activeEvents('project'),
  {
    type: 'project.manager_changed',
    meaning: 'The managers of a project changed.',
    when: 'Fires when managers are added or removed. Does not fire when a manager’s name changes.',
    urgency: 'plain',
    ...onChangeOf('managerid'),
    say: (data) => `${project(data)}${client(data)} is now managed by ${sayManagers(data.record)}`,
    example: { before: { managerid: ['3'], manager: 'Cleo Marsh' }, after: {} },
  },
  {
    type: 'project.budget_changed',
    meaning: 'The budget of a project changed.',
    when: 'Fires when the budget is set, changed or removed.',
    urgency: 'plain',
    ...onChangeOf('budget'),
    say: (data) => {
      const budget = numberOf(data.record, 'budget');
      const now = budget === null ? 'no longer has a budget' : `now has a budget of ${budget.toLocaleString('en')}`;
      return `${project(data)}${client(data)} ${now}`;
    },
    example: { before: { budget: 200 }, after: {} },
  },
  {
    type: 'project.end_date_changed',
    meaning: 'The end date of a project changed.',
    when: 'Fires when the end date is set, moved or removed. `project.ending_soon` and `project.past_end` can then fire again.',
    urgency: 'plain',
    ...onChangeOf('dateend'),
    say: (data) => {
      const end = formatDayField(data, 'dateend');
      return `${project(data)}${client(data)} ${end === undefined ? 'no longer has an end date' : `now ends on ${end}`}`;
    },
    example: { before: { dateend: '2026-12-11' }, after: {} },
  },
  {
    type: 'project.ending_soon',
    meaning: 'A project ends soon.',
    when: 'Fires once per end date, `rules.projectEndingSoon` before it, at midnight in the account’s time zone, if the project is active.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('endingSoon', 'dateend'),
    holds: stillTrue('endingSoon', 'dateend'),
    open: { fact: 'endingSoon', byDefault: false },
    say: (data) => {
      const end = formatDayField(data, 'dateend');
      return `${project(data)}${client(data)} ends ${end === undefined ? 'soon' : `on ${end}`}`;
    },
    example: { before: {}, after: {}, on: '2026-12-11' },
  },
  {
    type: 'project.past_end',
    meaning: 'A project is past its end date and still active.',
    when: 'Fires once per end date, when the day after it begins in the account’s time zone and the project is still active.',
    byTime: true,
    urgency: 'late',
    fires: becomesTrue('pastEnd', 'dateend'),
    holds: stillTrue('pastEnd', 'dateend'),
    open: { fact: 'pastEnd', byDefault: false },
    say: (data) => {
      const end = formatDayField(data, 'dateend');
      return `${project(data)}${client(data)} should have ended ${end === undefined ? 'by now' : `on ${end}`}`;
    },
    sayMany: (count) => `${countOf(count, 'project')} past ${count === 1 ? 'its' : 'their'} end date`,
    example: { before: {}, after: {}, on: '2026-12-19' },
  },
  ...laterEvents('project'),
];
