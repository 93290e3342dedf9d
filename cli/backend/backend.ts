/**
 * What commands read and change, in terms of what they show. Two things satisfy it: the stores of a data directory or a stack
 * (local-backend.ts), and the management API of a server elsewhere (api-backend.ts). What the API does not show is optional
 * here; what it does not offer throws TIDINGS_API_UNSUPPORTED.
 */

import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import type { ExplainedStep, Explanation } from '../../core/delivery/explain.ts';
import type { ReceiverPause } from '../../core/delivery/receivers/health.ts';
import type { Health, HealthState } from '../../core/delivery/receivers/health-state.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { type ConfigProblem, UsageError } from '../../core/model/errors.ts';
import { SOURCE_RESOURCE, type TidingsEvent } from '../../core/model/event.ts';
import type { ScanState } from '../../core/model/scan.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Duration, Instant } from '../../core/model/time.ts';
import type { DeliveryQuery } from '../../core/ports/delivery-store.ts';
import type { EventPage, EventQuery } from '../../core/ports/event-store.ts';
import type { SourceData } from '../../core/ports/source-data-store.ts';
import type { SourceAccount } from '../../core/source/account/account.ts';
import type { DroppedBacklog } from '../../core/subscriptions/dropped-backlog.ts';
import type { KeyRequest, listKeys } from '../../manage/api/keys.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import type { Config, UnusedSource } from '../../runtime/config/config.ts';
import type { ExplainResult } from '../../runtime/inspect/explain.ts';
import type { ForecastMessage } from '../../runtime/inspect/forecast-messages.ts';
import type { UnreachablePeople } from '../../runtime/inspect/people-without-address.ts';
import type { ForecastEvent, Preview } from '../../runtime/inspect/preview.ts';
import type { SourceStatus, SubscriptionStatus } from '../../runtime/inspect/status.ts';
import type { SourceOperations } from './source-operations.ts';

export interface Backend {
  readonly subscriptions: SubscriptionOperations;
  readonly deliveries: DeliveryOperations;
  readonly events: EventReader;
  readonly keys: KeyOperations;
  /** Those that are kept in the data. */
  readonly sources: SourceOperations;
  /** How often to read new events. In AWS each time costs a read, and the API limits the requests of a key. */
  readonly pollEvery: Duration;
  /** The event types that the config defines, as far as it is read here. */
  customEvents(): Promise<Config['customEvents']>;
  /** The zone in which commands print times: that of the first source. */
  readZone(): Promise<string>;
  zoneOf(source: string): Promise<string>;
  /** @param subject `evt_…`, `task/123`, or `main/task/123` with several sources */
  explain(subject: string): Promise<readonly ShownExplanation[]>;
  preview(period: Preview['period'], now: Instant): Promise<ShownPreview>;
  getStatus(now: Instant): Promise<InstallationStatus>;
  listSources(): Promise<readonly ListedSource[]>;
}

export interface SubscriptionOperations {
  /** By name. */
  list(): Promise<readonly ListedSubscription[]>;
  get(name: string): Promise<ListedSubscription | undefined>;
  /** Adds the subscription in a file, or replaces one that was added before. @param query instead of events in the file */
  add(file: string, query: string | undefined): Promise<AddedSubscription>;
  /** Makes a subscription that ends by itself, in place of one with its name. Returns the secret that signs. */
  lend(temporary: TemporarySubscription): Promise<string>;
  /** Moves the end of such a subscription. Returns false if it is gone: it ended, or was removed. */
  extend(name: string, expiresAt: Instant): Promise<boolean>;
  pause(name: string): Promise<void>;
  /** Returns how many deliveries were held. */
  resume(name: string): Promise<number>;
  /** Returns what is dropped with it; undefined if that is not known. */
  remove(name: string): Promise<DroppedBacklog | undefined>;
  /** Subscribes a reader again who unsubscribed. */
  resubscribe(name: string, address: string): Promise<void>;
  /** @param reference to a secret. @default - a new secret is made */
  rotate(name: string, reference: string | undefined): Promise<RotatedSecret>;
  test(name: string, type: string | undefined): Promise<TestedSubscription>;
  /** @param report gets each result while this process sends */
  replay(request: ResendRequest, report: (result: DeliveryResult) => void): Promise<ReplayResult>;
  /** Why deliveries wait for the receiver, also of a removed subscription; null if they do not. */
  getPause(name: string): Promise<ReceiverPause | null>;
}

/** A subscription to an endpoint for as long as a command runs. */
export interface TemporarySubscription {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  /** Signs, unless the server makes one. */
  readonly secret: string;
  readonly expiresAt: Instant;
}

export interface ListedSubscription
  extends Pick<Subscription, 'name' | 'events' | 'where' | 'declared' | 'owner' | 'madeBy'> {
  readonly channel: string;
  /** The receiver in a few words. */
  readonly address: string;
  readonly rotation?: { readonly until: Instant };
  /** With further fields for programs: all of them, or those that the API shows. */
  readonly health: ShownHealth;
  readonly pause: ReceiverPause | null;
}

export type ShownHealth = Pick<Health, 'state' | 'reason' | 'failingSince' | 'muted'>;

/** A subscription is called failing after half an hour; until then its last attempts failed, and it is not ok either. */
export function shownState({
  state,
  failingSince,
}: Pick<ShownHealth, 'state' | 'failingSince'>): HealthState | 'retrying' {
  return state === 'ok' && failingSince !== null ? 'retrying' : state;
}

/** Finds a subscription by name, or throws an error that lists the known names. */
export async function findSubscription<Found extends { readonly name: string }>(
  subscriptions: { get(name: string): Promise<Found | undefined>; list(): Promise<readonly Found[]> },
  name: string,
): Promise<Found> {
  const subscription = await subscriptions.get(name);
  if (subscription !== undefined) return subscription;
  const names = (await subscriptions.list()).map((one) => one.name);
  const hint = names.length === 0 ? 'there are no subscriptions yet' : `known subscriptions: ${names.join(', ')}`;
  throw new UsageError('TIDINGS_SUBSCRIPTION_UNKNOWN', `subscription '${name}' not found; ${hint}`);
}

export interface AddedSubscription extends Pick<ListedSubscription, 'name' | 'events' | 'address'> {
  readonly isNew: boolean;
  /** The signing secret, if the server made one. It is not shown again. @default - none was made */
  readonly secret?: string;
  /** What is still to be done, in a line each. */
  readonly notes: readonly string[];
  /** What the file names but never occurs. */
  readonly warnings: readonly ConfigProblem[];
}

interface RotatedSecret {
  /** @default - it was given */
  readonly secret?: string;
  /** The reference to it. @default - the server keeps it */
  readonly storedAt?: string;
  /** What is still to be done. @default - nothing */
  readonly note?: string;
  /** Until then both secrets sign. */
  readonly until: Instant;
}

export interface TestedSubscription {
  readonly address: string;
  /** The id of the delivery. */
  readonly delivery: string;
  /** @default - no attempt was recorded in time */
  readonly result?: DeliveryResult;
}

export interface ResendRequest {
  readonly subscription: string;
  /** Gets what `subscription` did not get. @default - `subscription` gets its events again */
  readonly to?: string;
  /** @default - the events of the period */
  readonly event?: string;
  /** Only with `event`: one of its readers, such as `main/5`. @default - everyone whom it concerns */
  readonly person?: string;
  readonly since?: Instant;
  /** @default - now */
  readonly until?: Instant;
  /** @default - all types */
  readonly type?: string;
  /** Whether to return the events and send nothing. */
  readonly dryRun: boolean;
}

export type ReplayResult =
  /** `messages`: one for each event and reader. */
  | { readonly kind: 'planned'; readonly events: readonly TidingsEvent[]; readonly messages: number }
  | { readonly kind: 'sent'; readonly count: number; readonly summary: ReplaySummary }
  /** `sender` sends them. Only the stores show the `deliveries`. */
  | {
      readonly kind: 'queued';
      readonly count: number;
      readonly sender: string;
      readonly deliveries?: readonly Delivery[];
    };

/** How many events ended how. */
export interface ReplaySummary {
  accepted: number;
  /** Nothing was sent: all events were outdated, or the reader has unsubscribed. */
  skipped: number;
  /** The first attempt failed; others follow. */
  retrying: number;
  failed: number;
  /** The subscription is paused or disabled. */
  held: number;
  /** No attempt was made yet: the receiver is paused, or the command was stopped. */
  waiting: number;
}

export interface DeliveryOperations {
  /** The newest ones, oldest first. */
  list(query: Omit<DeliveryQuery, 'end'>): Promise<readonly DeliveryView[]>;
  get(id: string): Promise<Delivery | undefined>;
  /** Returns false if it does not exist or is finished. */
  retry(id: string): Promise<boolean>;
  /** Retries the failed and pending ones of a subscription. Returns their number. */
  retryAll(subscription: string): Promise<number>;
  /** How many `retryAll` would retry now. */
  countRetriable(subscription: string): Promise<number>;
  countHeld(subscription: string): Promise<number>;
}

export interface EventReader {
  get(id: string): Promise<TidingsEvent | undefined>;
  /** Oldest first. @param query `types`: at most one */
  list(query: Omit<EventQuery, 'matches' | 'first'>): Promise<EventPage>;
}

export type ListedKey = Awaited<ReturnType<typeof listKeys>>['data'][number];

export interface KeyOperations {
  /** Oldest first. */
  list(): Promise<readonly ListedKey[]>;
  /** Returns it with its token, which is not shown again. */
  add(request: KeyRequest): Promise<ListedKey & { readonly token: string }>;
  remove(id: string): Promise<void>;
  /** Removes those that it made, also if the key is gone. Returns their names. */
  removeSubscriptions(id: string): Promise<readonly string[]>;
}

/** Programs get further fields from the stores. */
export interface ShownExplanation extends Omit<ExplainResult, 'snapshot' | 'scan' | 'steps'> {
  readonly snapshot: Omit<Snapshot, 'cause' | 'occurred' | 'nextMoment'> | null;
  readonly scan: (Pick<ScanState, 'lastGoodScanAt' | 'lastError'> & Partial<Pick<ScanState, 'baselinedAt'>>) | null;
  readonly steps: readonly ShownStep[];
}

export interface ShownStep extends Omit<Explanation['steps'][number], 'silence'> {
  readonly silence: Pick<NonNullable<ExplainedStep['silence']>, 'words'> | null;
}

/** An event ahead with its line for people: the API does not show its record. */
export interface ShownForecast extends Omit<ForecastEvent, 'event'> {
  readonly event: { readonly type: string; readonly subject: string; readonly source?: string };
  readonly line: string;
}

export interface ShownPreview extends Omit<Preview, 'events' | 'transitions' | 'subscriptions'> {
  readonly events: readonly ShownForecast[];
  /** What is sent, in the order of its time. */
  readonly messages: readonly ForecastMessage[];
}

interface InstallationStatus {
  readonly sources: readonly SourceStatus[];
  readonly unusedSources: readonly UnusedSource[];
  readonly subscriptions: readonly SubscriptionStatus[];
  /** The API does not name people. */
  readonly withoutAddress: readonly UnreachablePeople[];
}

export interface ListedSource {
  readonly source: string;
  readonly origin: SourceStatus['origin'];
  /** Null for a caller of the API who may not see it. */
  readonly baseUrl: string | null;
  readonly account: SourceAccount | null;
  /** The number of stored records, by resource. */
  readonly records: SourceData['records'];
  /** Why it is not polled; null: it is. */
  readonly unused: string | null;
}

export function toListedUnused({ source, baseUrl, reason }: UnusedSource): ListedSource {
  return { source, origin: 'stored', baseUrl, account: null, records: {}, unused: reason };
}

/** `added, at https://north.example.com/api` */
export const sayAdded = (baseUrl: string | null) => (baseUrl === null ? 'added' : `added, at ${baseUrl}`);

/** Without the health of the source, which is not a record of the account. */
export function accountRecords({ records }: SourceData): SourceData['records'] {
  const { [SOURCE_RESOURCE]: _, ...ofAccount } = records;
  return ofAccount;
}
