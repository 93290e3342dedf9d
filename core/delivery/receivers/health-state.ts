/** The health of a subscription, as it is stored. */

import type { Instant } from '../../model/time.ts';
import type { Circuit } from './circuit.ts';

/** `paused`: by a person, or because its template is slow; `disabled`: after days without a success, or because the receiver is gone. */
export type HealthState = 'ok' | 'failing' | 'disabled' | 'paused';

export interface Health {
  readonly state: HealthState;
  /** The last error; null while the receiver is healthy. Of a message to one person its code only: the error may name them. */
  readonly reason: string | null;
  /** The last error in full, for those who may see people. Not in events. @default - `reason` is all of it */
  readonly fullReason?: string;
  /** When the first failure since the last success happened. */
  readonly failingSince: Instant | null;
  /** When the warning before disabling was sent. */
  readonly warnedAt: Instant | null;
  readonly disabledAt: Instant | null;
  /** The delivery that is attempted while the subscription is disabled; null: none, recovery is not detected. */
  readonly probe: string | null;
  /** Whether the receiver responded with 410 Gone: it is not probed. */
  readonly gone: boolean;
  /** Addresses that unsubscribed. */
  readonly muted: readonly string[];
  /** The failures since the last success, and the pause they caused; null while there are none. */
  readonly circuit: Circuit | null;
  /** Since when deliveries that waited for the recovered receiver are being rescheduled; null: none are. */
  readonly catchUp: Instant | null;
  /** Until when nothing is sent about a record, or at all, see snooze.ts. @default - none */
  readonly snoozes?: Readonly<Record<string, Instant>>;
  /** How often its template took longer than its limit, without a good rendering since. @default - never */
  readonly slowTemplates?: number;
  /** What was announced of its state lately, see announced-changes.ts. @default - nothing */
  readonly announced?: AnnouncedChanges;
  /** The state, if its event is left out because people know of it. @default - each change is announced */
  readonly unannounced?: HealthState;
  /** When it was removed from the config with deliveries that were not sent. @default - it was not */
  readonly removedAt?: Instant;
  /** No subscription has the name: when it is deleted, see sweep-health.ts. @default - one has it */
  readonly keptUntil?: Instant;
  /** How many deliveries were not sent when it was removed, at most `MAX_UNSENT_COUNT`. @default - none */
  readonly dropped?: number;
}

/** What was announced within an hour. */
export interface AnnouncedChanges {
  /** When the first of it was announced. */
  readonly since: Instant;
  /** The state that was announced last. */
  readonly state: HealthState;
  readonly failures: number;
  readonly recoveries: number;
}
