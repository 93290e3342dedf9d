/** Finds the person that a personal delivery is for: name and mail address from the person's snapshot. */

import { describeKnownPeople } from '../messages/chat-person.ts';
import type { PersonRole } from '../model/subscription.ts';
import type { Recipient } from '../ports/channel.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { fullName } from '../resources/full-name.ts';

export interface RecipientPorts {
  readonly snapshots: Pick<SnapshotStore, 'getMany' | 'list'>;
}

/**
 * @param person `main/5`; `main/` is no one, whose messages go to the fallback
 * @param keys names and addresses that the settings have ids for. @default - none
 */
export async function findRecipient(
  { snapshots }: RecipientPorts,
  person: string,
  role: PersonRole,
  keys: readonly string[] = [],
): Promise<Recipient> {
  const slash = person.indexOf('/');
  const [source, id] = [person.slice(0, slash), person.slice(slash + 1)];
  if (id === '') return { name: null, address: null, role };
  const snapshot = (await snapshots.getMany(source, 'person', [id])).get(id);
  if (snapshot === undefined) return { name: `person ${id}`, address: null, role };
  const { email, active } = snapshot.record;
  const isHere = snapshot.deletedAt === null && active !== false;
  const [known] =
    keys.length === 0 ? [] : await describeKnownPeople({ snapshots }, new Map([[person, snapshot.record]]), keys);
  return {
    name: fullName(snapshot.record) ?? `person ${id}`,
    role,
    address: isHere && typeof email === 'string' && email.includes('@') ? email : null,
    ...(known?.hasNamesake === true ? { hasNamesake: true } : {}),
  };
}
