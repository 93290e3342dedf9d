/** Names the only reader of a personal delivery, from the person's snapshot, for the console, `explain` and the API. */

import type { PersonRole, Target } from '../model/subscription.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import { findRecipient, type RecipientPorts } from './find-recipient.ts';

export interface DeliveryReader {
  /** `main/5`; `main/` is no one, whose messages go to the fallback. */
  readonly person: string;
  /** Null if it is no one, or if the caller may not see it. */
  readonly name: string | null;
  /** Where the message goes. Null if nobody can get it, or if the caller may not see it. */
  readonly address: string | null;
}

export interface ReaderPorts extends RecipientPorts {
  readonly channels: ChannelRegistry;
}

/** @param target of its subscription; undefined if it was removed */
export async function describeReader(
  ports: ReaderPorts,
  person: string,
  target: Target | undefined,
): Promise<DeliveryReader> {
  const personal = target && traitsOf(ports.channels, target).personal?.(target.settings);
  const role: PersonRole = personal?.role ?? 'assignees';
  const { name, address } = await findRecipient(ports, person, role);
  return { person, name, address: address ?? personal?.fallback ?? null };
}

/** `Ann Lee <ann@example.com>`, `no one, so the fallback office@example.com`, `no one` */
export function sayReader({ person, name, address }: DeliveryReader): string {
  if (isNoOne(person)) return address === null ? 'no one' : `no one, so the fallback ${address}`;
  if (name === null) return address ?? `person ${idOf(person)}`;
  return address === null ? name : `${name} <${address}>`;
}

const idOf = (person: string) => person.slice(person.indexOf('/') + 1);

const isNoOne = (person: string) => idOf(person) === '';
