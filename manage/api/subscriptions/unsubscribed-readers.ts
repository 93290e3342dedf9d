/** Readers who unsubscribed: who they are, and the way back. */

import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { isMuted } from '../../../core/delivery/signing/unsubscribe.ts';
import { fullName } from '../../../core/resources/full-name.ts';
import { setReaderWanted } from '../../../core/subscriptions/readers.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, seesRecords } from '../http/caller.ts';
import { notAReader } from '../http/problem.ts';
import { listUnsubscribed } from './subscription-view.ts';
import { findChangeable, getSubscription, type TaggedSubscription } from './subscriptions.ts';

/** Subscribes a reader again, because they asked for it. Also for a subscription of the config: it is part of operating it. */
export async function resubscribeReader(
  api: ApiPorts,
  caller: Caller,
  name: string,
  address: string,
): Promise<TaggedSubscription> {
  const subscription = await findChangeable(api, caller, name);
  const known = listUnsubscribed(api, caller, subscription, await readHealth(api, name));
  if (!isMuted(known, address)) {
    const expected = known.length === 0 ? 'nobody has unsubscribed' : `expected one of ${known.join(', ')}`;
    throw notAReader('/address', `${expected}, got '${address}'`);
  }
  await setReaderWanted(api, caller, { subscription: name, address }, true);
  return getSubscription(api, caller, name);
}

/** The names of the people who have these addresses, by address in lower case. Reads all people of the accounts. */
export async function findNamesOf(
  { snapshots, config }: Pick<ApiPorts, 'snapshots' | 'config'>,
  caller: Caller,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (addresses.length === 0 || !seesRecords(caller, 'person')) return names;
  for (const { name: source } of config.sources) {
    for await (const { record } of snapshots.list(source, 'person')) {
      const name = fullName(record);
      if (typeof record.email === 'string' && name !== null && isMuted(addresses, record.email))
        names.set(record.email.toLowerCase(), name);
    }
  }
  return names;
}
