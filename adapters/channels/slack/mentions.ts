/** Finds the Slack member ids of the people concerned, as far as the config has them. Pure. */

import type { Subscription } from '../../../core/model/subscription.ts';
import type { SlackBotSettings } from './settings.ts';

/** One malformed id makes Slack reject the whole message. */
const MEMBER_ID = /^[UW][A-Z0-9]{2,20}$/;

export const isMemberId = (id: string) => MEMBER_ID.test(id);

/** Member ids, each once. */
export function findMentions(names: readonly string[], { to }: Subscription): string[] {
  const { mentions } = to.settings as Partial<SlackBotSettings>;
  if (to.channel !== 'slack' || mentions === undefined) return [];
  const idByName = new Map(Object.entries(mentions).map(([name, id]) => [normalize(name), id]));
  const ids = names.map((name) => idByName.get(normalize(name)) ?? '');
  return [...new Set(ids)].filter(isMemberId);
}

/** The member id of a person by name or address; undefined if `mentions` has neither. */
export function findMemberId(names: readonly string[], mentions: Readonly<Record<string, string>>): string | undefined {
  const wanted = names.map(normalize);
  const [, id] = Object.entries(mentions).find(([name]) => wanted.includes(normalize(name))) ?? [];
  return id !== undefined && MEMBER_ID.test(id) ? id : undefined;
}

/** People write names and addresses with or without capitals. */
const normalize = (name: string) => name.trim().toLowerCase();
