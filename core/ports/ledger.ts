/** Port: everything but the snapshots: events, deliveries, subscriptions, the state of scans, and leases. */

import type { AttemptMoment } from '../model/agenda.ts';
import type { Delivery, DeliveryStatus } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ScanState } from '../model/scan.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Duration, Instant } from '../model/time.ts';
import type { ReceivedJob } from './queue.ts';

export interface Announcement {
  readonly event: TidingsEvent;
  readonly deliveries: readonly Delivery[];
}

export interface EventQuery {
  /** Only events at or after this instant. @default - from the first one kept */
  readonly since?: Instant;
  /** `task/123`. @default - any */
  readonly subject?: string;
  /** A cursor from an earlier answer: go on after it. @default - from the start */
  readonly after?: string;
  readonly limit: number;
}

export interface EventPage {
  /** In the order they were recorded. */
  readonly events: readonly TidingsEvent[];
  /**
   * Where this page ended; the same cursor as asked with when there was nothing more. Whoever goes on from it gets each
   * event once, those too that were being recorded meanwhile.
   */
  readonly cursor: string | undefined;
}

export interface DeliveryQuery {
  /** @default - any */
  readonly status?: DeliveryStatus;
  /** @default - any */
  readonly subscription?: string;
  /** Which of them, when there are more than the limit. Answered oldest first either way. @default newest */
  readonly end?: 'newest' | 'oldest';
  readonly limit: number;
}

export interface Applied {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export type CarryOver = (declared: Subscription, kept: Subscription | undefined) => Subscription;

export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Grows with every new holding: a holder with a smaller fence has been overtaken. */
  readonly fence: number;
}

/** What the ledger keeps of subscriptions. */
export type SubscriptionLedger = Pick<
  Ledger,
  'subscription' | 'subscriptions' | 'applyDeclared' | 'saveSubscription' | 'changeSubscription' | 'removeSubscription'
>;

/** What polling needs of the ledger. */
export type ScanLedger = Pick<Ledger, 'scanState' | 'saveScanState' | 'acquireLease' | 'releaseLease'>;

export interface Ledger {
  /**
   * Records events with their deliveries. What is there already, by id, stays as it is. A delivery is never there
   * before its event. Broken off, an event may be there without all of its deliveries: whoever records must do it again
   * until it was done, and then all are there.
   */
  record(announcements: readonly Announcement[]): Promise<void>;
  event(id: string): Promise<TidingsEvent | undefined>;
  /** Those that are kept, in the order asked for. */
  eventsById(ids: readonly string[]): Promise<readonly TidingsEvent[]>;
  events(query: EventQuery): Promise<EventPage>;

  delivery(id: string): Promise<Delivery | undefined>;
  deliveries(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** All that carry this event, in the order they were recorded, whether or not their subscription is still there. */
  deliveriesOf(eventId: string): Promise<readonly Delivery[]>;
  /** Saves a delivery after one more attempt. False, and nothing written, when that attempt was recorded before. */
  saveAttempt(delivery: Delivery): Promise<boolean>;
  /**
   * As saveAttempt, and the job that asked for the attempt is acknowledged in the same write: both or neither. False, and
   * nothing written, when that attempt was recorded before. @default - ledger and queue are two stores: it is
   * acknowledged after
   */
  finish?(delivery: Delivery, received: ReceivedJob): Promise<boolean>;
  /** Saves a delivery if it still stands as it was seen: status, number of attempts and place on the agenda. */
  changeDelivery(seen: Delivery, next: Delivery): Promise<boolean>;
  /**
   * Records the group, unless it is there, and marks the members whose events it carries as gathered into it, each only
   * if it still waits or is held since, and the first, after which the group is named, when all others are. Returns the
   * group as it stands. Killed midway and asked again, nothing is left out.
   */
  gather(group: Delivery, members: readonly Delivery[]): Promise<Delivery>;
  /** Deliveries on the agenda whose time has come, earliest first. */
  due(until: Instant, limit: number): Promise<readonly AttemptMoment[]>;
  /** Moves a delivery on the agenda, if it still stands where the moment said. */
  postpone(moment: AttemptMoment, to: Instant): Promise<void>;

  /**
   * Forgets events before this instant, and the deliveries of them that are over or held. An event with a delivery
   * still on the agenda stays, and so does the delivery. Returns how many events went.
   */
  prune(before: Instant): Promise<number>;

  subscription(name: string): Promise<Subscription | undefined>;
  /** By name. */
  subscriptions(): Promise<readonly Subscription[]>;
  /**
   * Makes the declared subscriptions exactly these; those made otherwise are left alone. `over`: what of the one that is
   * there is to go on in the new one, at the very moment it is replaced. @default - nothing
   */
  applyDeclared(subscriptions: readonly Subscription[], over?: CarryOver): Promise<Applied>;

  /** Adds it, or replaces the one of that name. */
  saveSubscription(subscription: Subscription): Promise<void>;
  /** Changes the one that is there, and nothing of what others changed meanwhile. False where there is none. */
  changeSubscription(name: string, change: (kept: Subscription) => Subscription): Promise<boolean>;
  /** False when there was none. Its deliveries stay, and fail when their time comes. */
  removeSubscription(name: string): Promise<boolean>;

  /** What a channel keeps about its messages on a record: see `Receipt.thread`. */
  thread(subscription: string, subject: string): Promise<string | undefined>;
  saveThread(subscription: string, subject: string, thread: string): Promise<void>;

  scanState(source: string, resource: string): Promise<ScanState | undefined>;
  /**
   * Saves a state made from the one that is there, whose version is one less; 1: there is none yet. False, and nothing
   * written, when somebody else saved meanwhile: a poller that lost its lease cannot undo what the next one saw.
   */
  saveScanState(state: ScanState): Promise<boolean>;

  /** The lease, or undefined while another holder's has not run out. The same holder extends its own. */
  acquireLease(name: string, holder: string, now: Instant, duration: Duration): Promise<Lease | undefined>;
  /** Gives it back early; no effect when it was overtaken. */
  releaseLease(lease: Lease): Promise<void>;
}
