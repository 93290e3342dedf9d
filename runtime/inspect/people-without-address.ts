/** Lists the people whom personal subscriptions cannot reach. Reads snapshots only. */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { findRecipient } from '../../core/delivery/find-recipient.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import type { Config } from '../config/config.ts';
import { effectiveSubscriptions } from './effective-subscriptions.ts';

export interface UnreachablePeople {
  readonly subscription: string;
  /** Who gets their messages; null: no one. */
  readonly fallback: string | null;
  /** In the order of sources and ids. */
  readonly people: readonly { readonly source: string; readonly id: string; readonly name: string }[];
}

export interface PeopleWithoutAddressPorts {
  readonly snapshots: Pick<SnapshotStore, 'list' | 'getMany'>;
  readonly subscriptions: SubscriptionStore;
}

/** One entry for each personal subscription with such people. People of clients, and those who are not active, are left out. */
export async function findPeopleWithoutAddress(
  ports: PeopleWithoutAddressPorts,
  config: Config,
): Promise<readonly UnreachablePeople[]> {
  const personal = (await effectiveSubscriptions(config, ports.subscriptions)).flatMap(({ name, to }) => {
    const target = traitsOf(channelRegistry, to).personal?.(to.settings);
    return target === undefined ? [] : [{ name, ...target }];
  });
  if (personal.length === 0) return [];
  const people = await listWithoutAddress(ports, config);
  return personal.flatMap(({ name, role: _, fallback = null, known = [] }) => {
    const covered = new Set(known.map((one) => one.trim().toLowerCase()));
    const missing = people.filter((one) => !covered.has(one.name.toLowerCase()));
    return missing.length === 0 ? [] : [{ subscription: name, fallback, people: missing }];
  });
}

async function listWithoutAddress(
  { snapshots }: PeopleWithoutAddressPorts,
  { sources }: Config,
): Promise<UnreachablePeople['people']> {
  const people: { source: string; id: string; name: string }[] = [];
  for (const { name: source } of sources) {
    for await (const { key, record, deletedAt } of snapshots.list(source, 'person')) {
      if (deletedAt !== null || record.active === false || (record.clientid ?? null) !== null) continue;
      const { name, address } = await findRecipient({ snapshots }, `${source}/${key.id}`, 'assignees');
      if (address === null) people.push({ source, id: key.id, name: name ?? key.id });
    }
  }
  return people;
}
