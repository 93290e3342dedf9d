/** Finds the ids of the people concerned, as far as the config has them. Pure. */

import { findChatId } from '../../../core/messages/chat-person.ts';
import type { ChatPerson } from '../../../core/ports/channel.ts';
import type { Mention } from './dialect.ts';

const MAX_MENTIONS = 10;

/** Each id once, in the order of the people. */
export function findMentioned(
  people: readonly ChatPerson[],
  ids: Readonly<Record<string, string>> | undefined,
): readonly Mention[] {
  if (ids === undefined) return [];
  const mentioned = people.flatMap((person) => {
    const id = findChatId(person, ids);
    return id === undefined ? [] : [[id, { name: person.name, id }] as const];
  });
  return [...new Map(mentioned).values()].slice(0, MAX_MENTIONS);
}
