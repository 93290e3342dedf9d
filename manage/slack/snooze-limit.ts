/** How many records one person may snooze in a subscription at a time: a subscription remembers a limited number of all people together. */

import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { code } from './blocks.ts';
import { type EntryList, enterLimited, removeLimited } from './limited-entries.ts';
import type { SlackPorts } from './slack-ports.ts';

/** More than a person reads about in a day. */
const MAX_SNOOZED = 50;

/** Why the person may snooze no further record; undefined if they may, and then it counts. Repeating it has no effect. */
export async function claimSnooze(
  ports: Pick<SlackPorts, 'documents' | 'clock'>,
  { name, createdAt = '' }: Subscription,
  user: string,
  snooze: { readonly key: string; readonly until: Instant },
): Promise<string | undefined> {
  const list: EntryList = ['slack-snoozes', `${name} ${createdAt} ${user}`];
  const earlier = await enterLimited(ports, list, { id: snooze.key, until: snooze.until });
  if (earlier.length < MAX_SNOOZED) return undefined;
  await removeLimited(ports, list, snooze.key);
  return `You have snoozed ${MAX_SNOOZED} records of ${code(name)} already, as many as one person may at a time. They end tomorrow.`;
}
