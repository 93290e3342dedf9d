/** Whom a Slack message mentions: only people of whom the event asks something, and only those the config names. Pure. */

import { listOf } from '../../../core/events/facts.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import type { SlackBotSettings } from './settings.ts';

type Asked = (record: Fields, details: Fields) => readonly string[];

const workers: Asked = (record) =>
  listOf(record.assignees).length > 0 ? listOf(record.assignees) : listOf(record.owners);
const newcomers: Asked = (_, details) => listOf(details.addedNames);
const managers: Asked = ({ manager }) =>
  typeof manager === 'string' ? [manager, ...manager.split(',')] : listOf(manager);

/** All other events tell; these ask. */
const ASKED: Readonly<Record<string, Asked>> = {
  'task.assigned': newcomers,
  'task.owner_changed': newcomers,
  'task.reopened': workers,
  'task.due_soon': workers,
  'task.overdue': workers,
  'task.over_estimate': (record) => listOf(record.owners),
  'task.stale': workers,
  'project.manager_changed': managers,
  'project.ending_soon': managers,
  'project.past_end': managers,
};

/** Slack refuses a whole message for one id that cannot be one. */
const MEMBER = /^[UW][A-Z0-9]{2,20}$/;

/** Member ids, each once. */
export function findMentions({ type, data: { record, details = {} } }: TidingsEvent, { to }: Subscription): string[] {
  const { mentions } = to.settings as Partial<SlackBotSettings>;
  if (to.channel !== 'slack' || mentions === undefined) return [];
  const known = new Map(Object.entries(mentions).map(([name, id]) => [fold(name), id]));
  const ids = (ASKED[type]?.(record, details) ?? []).map((name) => known.get(fold(name)) ?? '');
  return [...new Set(ids)].filter((id) => MEMBER.test(id));
}

/** People write addresses and names with or without capitals. */
const fold = (name: string) => name.trim().toLowerCase();
