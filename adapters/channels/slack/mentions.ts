/** Finds the Slack member ids of the people concerned, as far as the config has them. Pure. */

import { findChatId } from '../../../core/messages/chat-person.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import type { ChatPerson } from '../../../core/ports/channel.ts';
import type { SlackBotSettings } from './settings.ts';

/** One malformed id makes Slack reject the whole message. */
const MEMBER_ID = /^[UW][A-Z0-9]{2,20}$/;

export const isMemberId = (id: string) => MEMBER_ID.test(id);

/** Member ids, each once. */
export function findMentions(people: readonly ChatPerson[], { to }: Subscription): string[] {
  const { mentions } = to.settings as Partial<SlackBotSettings>;
  if (to.channel !== 'slack' || mentions === undefined) return [];
  return [...new Set(people.flatMap((person) => findMemberId(person, mentions) ?? []))];
}

/** The member id of a person by address or name; undefined if `mentions` has neither. */
export function findMemberId(person: ChatPerson, mentions: Readonly<Record<string, string>>): string | undefined {
  const id = findChatId(person, mentions);
  return id !== undefined && isMemberId(id) ? id : undefined;
}
