/** Which recorded events a caller may see: those of its event types, and none about subscriptions that it may not see. */

import { subscriptionOf } from '../../core/events/about-subscription.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, canSee, isWithin, seesSubscriptionEvents } from './http/caller.ts';

export async function eventFilterFor(
  { subscriptions }: Pick<ApiPorts, 'subscriptions'>,
  caller: Caller,
): Promise<(event: TidingsEvent) => boolean> {
  if (seesSubscriptionEvents(caller)) return ({ type }) => isWithin(caller, type);
  const own = new Set((await subscriptions.list()).filter((one) => canSee(caller, one)).map(({ name }) => name));
  return (event) => {
    const about = subscriptionOf(event);
    return isWithin(caller, event.type) && (about === undefined || own.has(about));
  };
}
