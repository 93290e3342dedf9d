/** A subscription as the API shows it: in the form of the config, without secrets, with its state. */

import { createHash } from 'node:crypto';
import { describeReceiver } from '../../../adapters/channels/registry.ts';
import { isOwnFaultReason, pauseOf, reasonForAll } from '../../../core/delivery/receivers/health.ts';
import type { Health } from '../../../core/delivery/receivers/health-state.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { isMuted } from '../../../core/delivery/signing/unsubscribe.ts';
import { canonicalJson } from '../../../core/model/json.ts';
import { formatRate } from '../../../core/model/rate.ts';
import { type Subscription, toStored } from '../../../core/model/subscription.ts';
import { formatDuration } from '../../../core/model/time.ts';
import { traitsOf } from '../../../core/ports/channel.ts';
import { isSecret, type Path } from '../../../runtime/config/problems.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, seesAll, seesRecords } from '../http/caller.ts';
import type { SubscriptionView } from './subscription-schemas.ts';

/** In place of a secret value. */
const HIDDEN = '(hidden)';

type ViewPorts = Pick<ApiPorts, 'snapshots' | 'channels' | 'clock'>;

export async function viewSubscription(
  ports: ViewPorts,
  caller: Caller,
  subscription: Subscription,
): Promise<SubscriptionView> {
  const health = await readHealth(ports, subscription.name);
  const unsubscribed = listUnsubscribed(ports, caller, subscription, health);
  const reason = reasonFor(ports, caller, subscription, health);
  return { ...toView(subscription, health, ports), reason, unsubscribed: [...unsubscribed] };
}

/** What a mail server says of a message to one person names them. A fault of our own may name what the installation is made of. */
function reasonFor({ channels }: ViewPorts, caller: Caller, { to }: Subscription, health: Health): string | null {
  if (isOwnFaultReason(health)) return seesAll(caller) ? (health.fullReason ?? health.reason) : health.reason;
  if (seesRecords(caller, 'person')) return health.fullReason ?? health.reason;
  return reasonForAll(health, traitsOf(channels, to).personal?.(to.settings) !== undefined);
}

/** A caller that may not see people sees the addresses that the subscription itself lists. */
export function listUnsubscribed(
  { channels }: Pick<ViewPorts, 'channels'>,
  caller: Caller,
  { to }: Subscription,
  { muted }: Health,
): readonly string[] {
  if (seesRecords(caller, 'person')) return muted;
  const listed = traitsOf(channels, to).addresses?.(to.settings) ?? [];
  return muted.filter((address) => isMuted(listed, address));
}

function toView(
  subscription: Subscription,
  health: Health,
  { clock }: Pick<ViewPorts, 'clock'>,
): Omit<SubscriptionView, 'unsubscribed' | 'reason'> {
  const { owner, madeBy, createdAt, expiresAt, declared, removeWhenGone, rotation, to } = subscription;
  const { url } = to.settings as { readonly url?: unknown };
  const now = clock.now();
  return {
    id: subscription.name,
    active: isActive(health),
    ...toConfigForm(subscription, (text) => (text.startsWith('derived:') ? undefined : HIDDEN)),
    ...(to.channel === 'http' && typeof url === 'string' ? { url } : {}),
    address: describeReceiver(subscription),
    state: health.state,
    failingSince: health.failingSince,
    pausedUntil: pauseOf(health, now)?.until ?? null,
    declared,
    owner: owner ?? null,
    madeBy: madeBy === undefined ? null : { name: madeBy.name, channel: madeBy.channelName ?? null },
    createdAt: createdAt ?? null,
    expiresAt: expiresAt ?? null,
    removeWhenGone: removeWhenGone ?? false,
    bothSecretsUntil: rotation !== undefined && rotation.until > now ? rotation.until : null,
  };
}

/** Whether messages are sent: it is neither paused nor disabled. */
export function isActive({ state }: Pick<Health, 'state'>): boolean {
  return state !== 'paused' && state !== 'disabled';
}

/** The keys of the config. @param showSecret what is shown in place of a secret; undefined leaves the key out */
export function toConfigForm(subscription: Subscription, showSecret: (text: string) => string | undefined) {
  const { name, events, where, to, gather, digest, quiet, dayStartsAt, timeZone, rate, concurrency, template } =
    subscription;
  return {
    name,
    events: [...events],
    where,
    to: { [to.channel]: showSecrets(to.settings, showSecret) as Record<string, unknown> },
    ...(gather === undefined ? {} : { gather: formatDuration(gather) }),
    ...(digest === undefined ? {} : { digest: { ...digest } }),
    ...(quiet === undefined ? {} : { quiet: { ...quiet } }),
    dayStartsAt,
    timeZone,
    ...(rate === undefined ? {} : { rate: formatRate(rate) }),
    concurrency,
    ...(template === undefined ? {} : { template: { ...template } }),
  };
}

function showSecrets(value: unknown, show: (text: string) => string | undefined, path: Path = []): unknown {
  if (typeof value === 'string') return isSecret(path) ? show(value) : value;
  if (Array.isArray(value)) return value.map((item, index) => showSecrets(item, show, [...path, index]));
  if (!isConfigSection(value)) return value;
  const shown = Object.entries(value).map(([key, item]) => [key, showSecrets(item, show, [...path, key])] as const);
  return Object.fromEntries(shown.filter(([, item]) => item !== undefined));
}

/** Changes with everything that the API can change: the subscription itself and whether it is active. */
export function etagOf(subscription: Subscription, active: boolean): string {
  const text = canonicalJson({ ...toStored(subscription), active });
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 24)}"`;
}
