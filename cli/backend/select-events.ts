/** Selects the recorded events of a replay: one event, or those of a period that the subscription matches. */

import { backtest } from '../../core/filters/backtest.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import type { Location } from '../context.ts';
import { assertPeriodOrder, locationFlags } from '../options.ts';
import type { EventReader, ResendRequest } from './backend.ts';

export async function selectEvents(
  events: EventReader,
  subscription: Pick<Subscription, 'events' | 'where'>,
  { event: id, since, until, type = '*' }: ResendRequest,
  { now, location }: { readonly now: Instant; readonly location: Location },
): Promise<readonly TidingsEvent[]> {
  if (id === undefined) {
    const period = { since: since ?? now, until: until ?? now };
    assertPeriodOrder(period.since, period.until);
    const { received } = await backtest(events, subscription, period);
    const isWanted = compileGlob(type);
    return received.filter((event) => isWanted(event.type));
  }
  const event = await events.get(id);
  if (event !== undefined) return [event];
  const message = `--event: event '${id}' not found; list events with: tidings events${locationFlags(location)}`;
  throw new UsageError('TIDINGS_EVENT_UNKNOWN', message);
}
