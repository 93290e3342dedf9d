/**
 * The health of a subscription's receiver, as a record with its own snapshot: its transitions cause the `subscription.*`
 * events. Pure. A subscription is disabled only after days of failures and a warning one day before.
 */

import { OWN_SOURCE } from '../../model/event.ts';
import { isSameValue } from '../../model/json.ts';
import type { Fields, RecordKey } from '../../model/record.ts';
import { DISABLE_AFTER, MIN_WARNING } from '../../model/subscription.ts';
import { between, DAY, type Duration, HOUR, type Instant, MINUTE } from '../../model/time.ts';
import { noteAnnounced, UNSTABLE } from './announced-changes.ts';
import { addFailure, endsPause, pauseEnd } from './circuit.ts';
import type { Health } from './health-state.ts';

/** The resource name of health records. */
export const HEALTH_RESOURCE = 'subscription';

export function healthKey(subscription: string): RecordKey {
  return { source: OWN_SOURCE, resource: HEALTH_RESOURCE, id: subscription };
}

export const HEALTHY: Health = {
  state: 'ok',
  reason: null,
  failingSince: null,
  warnedAt: null,
  disabledAt: null,
  probe: null,
  gone: false,
  muted: [],
  circuit: null,
  catchUp: null,
};

/** Nothing that happened under the name before concerns a new subscription. Readers who unsubscribed stay so. */
export function startHealthy(before: Health, isPaused = false): Health {
  const clean: Health = { ...HEALTHY, muted: before.muted, state: isPaused ? 'paused' : 'ok' };
  return isSameValue(before, clean) ? before : clean;
}

/**
 * A receiver counts as failing after this time without a success and this many failures, whichever deliveries they
 * concern. The fourth attempt at a single delivery is made after 28 to 42 minutes.
 */
const FAILING_AFTER: Duration = 25 * MINUTE;
const FAILING_FAILURES = 4;

/** Time without a success, before the warning. */
const WARN_AFTER: Duration = 4 * DAY;

/** How often one delivery is attempted while the subscription is disabled. */
export const PROBE_EVERY: Duration = 4 * HOUR;

export interface Observation {
  /** `gone`: the receiver responded with 410 Gone or its equivalent. */
  readonly outcome: 'accepted' | 'failed' | 'gave-up' | 'gone';
  readonly at: Instant;
  readonly endedAt: Instant;
  readonly delivery: string;
  /** The error. */
  readonly reason: string | null;
  /** Its code, if the message was for one person, whom the error may name. @default - it was for all receivers */
  readonly personalCode?: string;
  /** The delay that the receiver asked for. @default - none */
  readonly asked?: Duration;
  /** Whether the receiver reported too many requests. @default false */
  readonly throttled?: boolean;
  /** Whether the receiver had no part in the failure: then it is not paused. @default false */
  readonly isOwnFault?: boolean;
  /** The code of the error, if the subscription is that of a key, which may not read what it says of the installation. @default - it may */
  readonly ownFaultCode?: string | undefined;
}

/** The health after an attempt; the same object if nothing changed. */
export function observe(before: Health, observation: Observation): Health {
  return noteAnnounced(before, judge(before, observation), observation.at);
}

function judge(before: Health, observation: Observation): Health {
  if (observation.outcome === 'accepted') return observeSuccess(before, observation);
  if (before.state === 'paused' || before.state === 'disabled') return before;
  const failing = withFailure(before, observation);
  if (observation.outcome === 'gone') {
    return { ...failing, state: 'disabled', disabledAt: observation.at, gone: true };
  }
  const span = between(failing.failingSince ?? observation.at, observation.at);
  if (before.warnedAt !== null && between(before.warnedAt, observation.at) >= MIN_WARNING && span >= DISABLE_AFTER) {
    return { ...failing, state: 'disabled', disabledAt: observation.at, probe: observation.delivery };
  }
  if (before.warnedAt === null && span >= WARN_AFTER) return { ...failing, state: 'failing', warnedAt: observation.at };
  const isLasting = span >= FAILING_AFTER && (failing.circuit?.failures ?? 0) >= FAILING_FAILURES;
  if (before.state === 'ok' && (isLasting || observation.outcome === 'gave-up'))
    return { ...failing, state: 'failing' };
  return failing;
}

function observeSuccess(before: Health, { at, endedAt }: Observation): Health {
  const { circuit, state } = before;
  const isNews = before.failingSince !== null || state === 'failing' || state === 'disabled';
  // The pause was caused while this attempt was in flight.
  if (!isNews || (isOpen(before) && circuit !== null && !endsPause(circuit, at, endedAt))) return before;
  // After a single failure no other delivery waits longer than a few seconds.
  const catchUp = circuit?.failures === 1 && circuit.pausedUntil === null ? null : endedAt;
  const healthy: Health = { ...HEALTHY, muted: before.muted, ...keepLasting(before) };
  // A successful test does not resume a paused subscription.
  return state === 'paused' ? { ...healthy, state } : { ...healthy, catchUp };
}

/** After a slow rendering the template is left out for ten minutes, so this many take half an hour. */
const MAX_SLOW_TEMPLATES = 3;

const SLOW_TEMPLATE =
  'its template keeps taking longer than 250 ms, or 3 s within a minute, which holds up other messages: simplify it, then resume the subscription';

/** Those that no receiver has a part in. */
const OWN_REASONS: readonly string[] = [SLOW_TEMPLATE, UNSTABLE];

/** The health after the template of a message was rendered; the same object if nothing changed. A template that stays slow pauses it. */
export function observeTemplate(before: Health, outcome: 'rendered' | 'slow' | undefined): Health {
  const { slowTemplates = 0, ...rest } = before;
  if (outcome === undefined || (outcome === 'rendered' && slowTemplates === 0)) return before;
  if (outcome === 'rendered') return rest;
  if (slowTemplates + 1 < MAX_SLOW_TEMPLATES || !isOpen(before)) return { ...before, slowTemplates: slowTemplates + 1 };
  const { fullReason: _, ...others } = rest;
  return { ...others, state: 'paused', reason: SLOW_TEMPLATE };
}

/** What people asked for, and what was announced to them, stays when the health is reset. */
export function keepLasting({ snoozes, announced }: Health): Pick<Health, 'snoozes' | 'announced'> {
  return { ...(snoozes === undefined ? {} : { snoozes }), ...(announced === undefined ? {} : { announced }) };
}

/** Counts the failure. The same object if it ran at the same time as one that is already counted. */
function withFailure(before: Health, observation: Observation): Health {
  const { at: startedAt, endedAt, asked, throttled = false, isOwnFault = false } = observation;
  const { fullReason: _, ...rest } = before;
  const circuit = isOwnFault ? before.circuit : addFailure(before.circuit, { startedAt, endedAt, asked, throttled });
  if (before.failingSince !== null && circuit === before.circuit) return before;
  // A later instant means that the clock was put back.
  const isPast = before.failingSince !== null && before.failingSince <= startedAt;
  return { ...rest, failingSince: isPast ? before.failingSince : startedAt, ...reasonsOf(observation), circuit };
}

/**
 * The reason is in events and in lists, which people and keys read that may not see the readers of the subscription, or what a fault of our
 * own says of the installation.
 */
function reasonsOf({ reason, personalCode, ownFaultCode }: Observation): Pick<Health, 'reason' | 'fullReason'> {
  if (ownFaultCode !== undefined && reason !== null)
    return { reason: `${OWN_FAULT} (${ownFaultCode})`, fullReason: reason };
  if (personalCode === undefined || reason === null) return { reason };
  return { reason: `${PERSONAL_FAILURE} (${personalCode})`, fullReason: reason };
}

const PERSONAL_FAILURE = 'a message to one person failed';
const OWN_FAULT = 'Tidings itself could not send';

/** Whether the full reason is for those only who see the whole installation. */
export const isOwnFaultReason = ({ reason }: Pick<Health, 'reason'>): boolean =>
  reason?.startsWith(`${OWN_FAULT} (`) === true;

/**
 * The last error, for those who may not see the readers of a subscription.
 * @param isPersonal whether each person gets messages of their own: what version 1.0.0 stored of them may name the reader
 */
export function reasonForAll({ reason, fullReason }: Health, isPersonal: boolean): string | null {
  const isSafe = !isPersonal || reason === null || fullReason !== undefined;
  return isSafe || OWN_REASONS.includes(reason) ? reason : PERSONAL_FAILURE;
}

/** Whether deliveries may be attempted. */
export function isOpen({ state }: Pick<Health, 'state'>): boolean {
  return state === 'ok' || state === 'failing';
}

/** Why deliveries wait for their receiver. */
export interface ReceiverPause {
  readonly until: Instant;
  /** The last error. */
  readonly reason: string | null;
}

/** Null unless attempts are paused now. */
export function pauseOf(health: Health, now: Instant): ReceiverPause | null {
  const until = isOpen(health) ? pauseEnd(health.circuit, now) : undefined;
  return until === undefined ? null : { until, reason: health.reason };
}

/** Fields that are null most of the time and were added later are left out while they are. */
export function toRecord(name: string, { circuit, catchUp, announced, ...health }: Health): Fields {
  return {
    id: name,
    name,
    ...health,
    ...(circuit === null ? {} : { circuit: { ...circuit } }),
    ...(catchUp === null ? {} : { catchUp }),
    ...(announced === undefined ? {} : { announced: { ...announced } }),
  };
}

export function fromRecord(record: Fields | undefined): Health {
  if (record === undefined) return HEALTHY;
  const { id: _, name: __, ...health } = record;
  // Only toRecord writes these records.
  return { ...HEALTHY, ...(health as Partial<Health>) };
}
