/** Reads recorded events, and explains what became of one. */

import { sayEvent } from '../../core/events/catalogue.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { HOUR, hourOf, plus } from '../../core/model/time.ts';
import { explainEventAlone } from '../../runtime/inspect/explain.ts';
import { viewDelivery } from './deliveries.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, canSee, isWithin, seesAll } from './http/caller.ts';
import { parsePeriodStart } from './http/period.ts';
import { notFound, Problem } from './http/problem.ts';
import { compileSearch } from './search-events.ts';

export interface ListEventsQuery {
  readonly type?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly text?: string;
  readonly since?: string;
  readonly until?: string;
  readonly after?: string;
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
}

/** Where the oldest come first, the cursor of the last page continues with events that are recorded later. */
export async function listEvents(api: ApiPorts, caller: Caller, query: ListEventsQuery) {
  const { type, subject, source, text, since, until, after, order = 'oldest', limit } = query;
  const now = api.clock.now();
  if (after !== undefined && after.startsWith('<') !== (order === 'newest')) throw wrongOrder(order);
  const types = type === undefined ? caller.events : [type];
  const matches = compileSearch({ text, source });
  // A pattern may reach beyond the types of the key: such events are left out of the page.
  const { events, cursor, more } = await api.events.list({
    limit,
    first: order,
    ...(types === undefined ? {} : { types }),
    ...(subject === undefined ? {} : { subject }),
    ...(matches === undefined ? {} : { matches }),
    ...(since === undefined ? {} : { since: parsePeriodStart(since, now) ?? now }),
    ...(until === undefined ? {} : { until: parsePeriodStart(until, now) ?? now }),
    ...(after === undefined ? {} : { after }),
  });
  const data = events.filter((event) => isWithin(caller, event.type));
  return { data, next: order === 'newest' && !more ? null : (cursor ?? null), more };
}

/** How many hours back events are counted at most. */
export const MAX_COUNTED_HOURS = 7 * 24;

/** For each hour up to now, oldest first, hours without events too. Only for callers that see all event types. */
export async function countEvents(api: ApiPorts, caller: Caller, hours: number) {
  if (caller.events !== undefined) {
    const detail = 'a key with event types cannot count the events of others: list its own';
    throw new Problem(403, 'TIDINGS_API_SCOPE', { detail });
  }
  const last = hourOf(api.clock.now());
  const starts = Array.from({ length: hours }, (_, index) => plus(last, (index - hours + 1) * HOUR));
  const counts = await api.events.countByHour(starts[0] ?? last);
  return { data: starts.map((hour) => ({ hour, count: counts.get(hour) ?? 0 })) };
}

export async function getEvent(api: ApiPorts, caller: Caller, id: string) {
  const event = await findEvent(api, caller, id);
  const explained = await explainEventAlone(api, api.config, event);
  const visible = await visibleSubscriptions(api, caller);
  const deliveries = (await api.deliveries.listByEvent(id)).filter(({ subscription }) => visible(subscription));
  const subscriptions = explained.subscriptions.filter(({ subscription }) => visible(subscription));
  return {
    event,
    rule: explained.rule,
    line: sayEvent(event),
    deliveries: deliveries.map(viewDelivery),
    subscriptions: subscriptions.map(({ subscription, verdict, delivery, receiverPaused }) => ({
      subscription,
      verdict,
      delivery: delivery?.id ?? null,
      receiverPaused,
    })),
  };
}

/** Throws 404 for an event that does not exist for the caller. */
export async function findEvent(api: Pick<ApiPorts, 'events'>, caller: Caller, id: string): Promise<TidingsEvent> {
  const event = await api.events.get(id);
  if (event === undefined || !isWithin(caller, event.type)) throw notFound(`event '${id}'`);
  return event;
}

/** The events that are still kept and that the caller may see, by id. */
export async function findEvents(
  api: Pick<ApiPorts, 'events'>,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TidingsEvent>> {
  const found = await api.events.getMany([...new Set(ids)]);
  return new Map(found.filter(({ type }) => isWithin(caller, type)).map((event) => [event.id, event]));
}

/** Which subscriptions the caller may see. A removed one is visible to callers that see all. */
async function visibleSubscriptions(api: ApiPorts, caller: Caller): Promise<(name: string) => boolean> {
  if (seesAll(caller)) return () => true;
  const own = new Set((await api.subscriptions.list()).filter((one) => canSee(caller, one)).map(({ name }) => name));
  return (name) => own.has(name);
}

function wrongOrder(order: string): Problem {
  const detail = `expected the next of a page with order=${order}`;
  return new Problem(400, 'TIDINGS_API_QUERY', { detail: `after: ${detail}`, errors: [{ pointer: 'after', detail }] });
}
