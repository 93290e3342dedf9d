/** Lists who would get an event through a subscription: people by name, or the addresses of a list. */

import { type DeliveryReader, describeReader } from '../../../core/delivery/describe-reader.ts';
import { listReplayReaders } from '../../../core/delivery/replay.ts';
import { traitsOf } from '../../../core/ports/channel.ts';
import { findEvent } from '../events.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, seesRecords } from '../http/caller.ts';
import { findSubscriptionFor } from './subscriptions.ts';

/** Empty for a subscription with one receiver, such as an endpoint or a channel. Names only for callers that see people. */
export async function listReaders(
  api: ApiPorts,
  caller: Caller,
  name: string,
  event: string,
): Promise<readonly (DeliveryReader | string)[]> {
  const subscription = await findSubscriptionFor(api, caller, name);
  const people = await listReplayReaders(api, subscription, await findEvent(api, caller, event));
  if (people === undefined) {
    const { to } = subscription;
    return traitsOf(api.channels, to).addresses?.(to.settings) ?? [];
  }
  const readers = await Promise.all(people.map((person) => describeReader(api, person, subscription.to)));
  const mayName = seesRecords(caller, 'person');
  return mayName ? readers : readers.map(({ person }) => ({ person, name: null, address: null }));
}
