/** Port: the events that were recorded. Recording an event also opens its deliveries. */

import type { Delivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Instant } from '../model/time.ts';

export interface Announcement {
  readonly event: TidingsEvent;
  readonly deliveries: readonly Delivery[];
}

export interface EventQuery {
  /** Only events at or after this instant. @default - from the first event kept */
  readonly since?: Instant;
  /** Only events at or before this instant. @default - to the last event */
  readonly until?: Instant;
  /** `task/123`: the events of this record. Tests, of which anyone may send many, are none of them. @default - any */
  readonly subject?: string;
  /** Event types, `*` standing for any run of characters. @default - any */
  readonly types?: readonly string[];
  /** Only events for which it returns true. One call reads a limited number of others. @default - any */
  readonly matches?: (event: TidingsEvent) => boolean;
  /** Which events come first. A cursor continues in the order of its page. @default oldest */
  readonly first?: 'oldest' | 'newest';
  /** The cursor of an earlier page: continue after it. @default - from the start */
  readonly after?: string;
  readonly limit: number;
  /** Ends the page before its events take more bytes as JSON. It has at least one. @default - any number */
  readonly maxBytes?: number;
}

export interface EventPage {
  /** In the order they were recorded, or in the reverse order if the newest come first. */
  readonly events: readonly TidingsEvent[];
  /**
   * Where this page ended; the `after` of the query when there was nothing more. A reader that continues from it gets each
   * event exactly once. Where the oldest come first, this includes events that were being recorded during the read.
   */
  readonly cursor: string | undefined;
  /**
   * Whether more may follow. A page may be short, or empty, and yet have more after it: `maxBytes` ends it, and one call
   * reads a limited number of events that do not match.
   */
  readonly more: boolean;
}

interface HourCounts {
  /** By the start of the hour in UTC. Hours without events are left out. */
  readonly counts: ReadonlyMap<Instant, number>;
  /** The newest hour that was not counted because of the limit. @default - all were */
  readonly uncounted?: Instant;
}

export interface EventStore {
  /**
   * Records events with their deliveries. An event or delivery that exists, by id, is left unchanged. A delivery is never
   * visible before its event. An interrupted call may leave an event without some of its deliveries: the caller repeats it
   * until it succeeds.
   */
  record(announcements: readonly Announcement[]): Promise<void>;
  get(id: string): Promise<TidingsEvent | undefined>;
  /** The events that are still kept, in the order of `ids`. */
  getMany(ids: readonly string[]): Promise<readonly TidingsEvent[]>;
  list(query: EventQuery): Promise<EventPage>;
  /**
   * How many events were recorded in each hour since this instant, the newest hour first. Ends before the hour with which it
   * would count more than `limit`, so that it costs the same however many events there are.
   */
  countByHour(since: Instant, limit: number): Promise<HourCounts>;
  /**
   * Deletes events before this instant, with their finished and held deliveries. Keeps an event while one of its deliveries
   * is on the agenda, and that delivery. Returns the number of deleted events.
   */
  prune(before: Instant): Promise<number>;
}
