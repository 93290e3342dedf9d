/** What the verbs need, and what a caller may say about a change. */

import type { DigestVerbPorts } from '../delivery/open-digest.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Duration } from '../model/time.ts';
import type { AuditPorts } from '../ports/audit-store.ts';
import type { ChannelRegistry } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';

export interface VerbPorts extends AuditPorts {
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryStore;
  /** The health of subscriptions. */
  readonly snapshots: SnapshotStore;
  readonly channels: ChannelRegistry;
}

export interface RemovalPorts extends VerbPorts {
  /** How long the health of a removed one stays. @default - the next sweep finds out */
  readonly config?: { readonly retention: Duration };
}

/** Adding and changing also open the next digest, at the time that the zones of the sources give it. */
export interface ChangePorts extends VerbPorts, Pick<DigestVerbPorts, 'config'> {}

export interface VerbOptions {
  /** Gets the stored subscription, also at the very moment it is written. Throws to refuse. @default - it is allowed */
  readonly assertAllowed?: (stored: Subscription) => void;
  /** Further facts for the audit entry. @default - none */
  readonly details?: AuditEntry['details'];
}
