/** What a caller can do with a subscription besides changing it: test, pause, rotate, replay and preview. */

import { channelRegistry, signingSecretOf } from '../../../adapters/channels/registry.ts';
import { generationOf } from '../../../adapters/secrets/master-secret.ts';
import { openTest, replay } from '../../../core/delivery/replay.ts';
import { eventTypeOf, sayEvent } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { backtest } from '../../../core/filters/backtest.ts';
import { compileGlob } from '../../../core/filters/match.ts';
import { deliveryId } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { type Subscription, signingSecrets } from '../../../core/model/subscription.ts';
import { DAY, type Instant, plus, SECOND } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { rotateSecret } from '../../../core/subscriptions/rotate.ts';
import { awaitAttempt } from '../../../runtime/inspect/await-attempt.ts';
import { preview } from '../../../runtime/inspect/preview.ts';
import { renderMessage } from '../../../runtime/inspect/render.ts';
import { auditedChange } from '../audited-change.ts';
import { knownTypes } from '../event-types.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, isWithin } from '../http/caller.ts';
import { parsePeriodStart } from '../http/period.ts';
import { invalid, notFound, Problem } from '../http/problem.ts';
import { declaredProblem } from './subscription-problems.ts';
import type { SubscriptionView } from './subscription-schemas.ts';
import {
  findChangeable,
  findSubscriptionFor,
  getSubscription,
  setActive,
  type TaggedSubscription,
} from './subscriptions.ts';

/** How long a test waits for its attempt. API Gateway waits up to 30 s. */
const TEST_WAIT = 10 * SECOND;

export async function testSubscription(api: ApiPorts, caller: Caller, name: string, { type }: { type?: string }) {
  const subscription = await findChangeable(api, caller, name);
  const ports = { ...api, channels: channelRegistry };
  const entry = { action: 'subscription.tested', target: `subscription/${name}` };
  const delivery = await auditedChange(api, caller, entry, async () => {
    const opened = await openTest(ports, subscription, type);
    if (opened !== undefined) return opened;
    const detail = `expected a type that subscription '${name}' matches: ${subscription.events.join(', ')}`;
    throw invalid([{ pointer: '/type', detail }]);
  });
  await api.queue.send([{ kind: 'attempt', delivery: delivery.id, attempt: 1, group: name }], api.clock.now());
  const never = new AbortController().signal;
  const attempted = await awaitAttempt(api, delivery.id, { stop: never, wait: TEST_WAIT });
  const [event = null] = await api.events.getMany(delivery.events);
  return { delivery: attempted?.delivery ?? delivery, event, attempted: attempted !== undefined };
}

/** Also of a subscription of the config: pausing is a part of operating it. */
export async function pauseSubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  active: boolean,
): Promise<TaggedSubscription> {
  await findChangeable(api, caller, name);
  await setActive(api, caller, name, active);
  return getSubscription(api, caller, name);
}

/**
 * The next generation of the derived secret. For a day both secrets sign.
 * @param request of the `Idempotency-Key`: repeated, it rotates once. @default - none
 */
export async function rotateSubscription(api: ApiPorts, caller: Caller, name: string, request?: string) {
  const subscription = await findChangeable(api, caller, name);
  if (subscription.declared) throw declaredProblem(name);
  if (signingSecretOf(subscription) === undefined) {
    throw new Problem(409, 'TIDINGS_SUBSCRIPTION_UNSIGNED', {
      detail: `subscription '${name}' has no signing secret: only HTTP endpoints are signed`,
    });
  }
  const now = api.clock.now();
  const current = currentSecret(subscription, now);
  if (request !== undefined && idOf(current) === request) {
    // The process ended after it had rotated the secret, and before it could record its response.
    return { secret: await api.secrets.resolve(current), bothUntil: subscription.rotation?.until ?? now };
  }
  const id = request ?? idOf(current) ?? Buffer.from(api.randomBytes(9)).toString('hex');
  const reference = await api.secrets.derive(id, generationOf(current) + 1);
  let until: Instant = now;
  const rotate = async () => {
    const isThere = await api.subscriptions.update(name, (stored) => {
      if (stored.declared) throw declaredProblem(name);
      const configured = signingSecretOf(stored) ?? '';
      if (currentSecret(stored, now) !== current) {
        throw new Problem(409, 'TIDINGS_API_CHANGED', {
          detail: `the secret of '${name}' is being rotated by another request`,
        });
      }
      const rotated = rotateSecret(stored, configured, reference, now);
      until = rotated.rotation?.until ?? now;
      return rotated;
    });
    if (!isThere) throw notFound(`subscription '${name}'`);
  };
  await auditedChange(api, caller, { action: 'subscription.rotated', target: `subscription/${name}` }, rotate);
  return { secret: await api.secrets.resolve(reference), bothUntil: until };
}

/** Whether its messages are signed, with a secret that can be replaced. */
export function signsMessages({ to, declared }: Pick<SubscriptionView, 'to' | 'declared'>): boolean {
  return !declared && Object.hasOwn(to, 'http');
}

function currentSecret(subscription: Subscription, now: Instant): string {
  const configured = signingSecretOf(subscription) ?? '';
  return signingSecrets(subscription, configured, now)[0] ?? configured;
}

const idOf = (reference: string) => /^derived:[0-9a-f]{8}:([\w-]+):\d+$/.exec(reference)?.[1];

export interface ReplayRequest {
  readonly since?: string;
  readonly until?: string;
  readonly type?: string;
  readonly event?: string;
  readonly dryRun?: boolean;
}

/** One call replays up to this many: it has to end before API Gateway does. */
const MAX_REPLAYED = 10_000;

/** @param request of the `Idempotency-Key`: repeated, it sends each event once. @default - none */
export async function replaySubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  what: ReplayRequest,
  request?: string,
) {
  const subscription = await findChangeable(api, caller, name);
  const events = await selectEvents(api, caller, subscription, what);
  const { dryRun = false } = what;
  if (!dryRun && events.length > MAX_REPLAYED) {
    const detail = `expected a period with at most ${MAX_REPLAYED} matching events, got ${events.length}: replay it in parts`;
    throw invalid([{ pointer: '/since', detail }]);
  }
  if (!dryRun && events.length > 0) {
    const details = { count: events.length };
    const entry = { action: 'subscription.replayed', target: `subscription/${name}`, details };
    const ports = { ...api, channels: channelRegistry };
    await auditedChange(api, caller, entry, () => replay(ports, subscription, events, { request }));
  }
  return { count: events.length, dryRun };
}

/** The ends of the period of a request. */
export function resolveReplayPeriod({ since = '', until }: Pick<ReplayRequest, 'since' | 'until'>, now: Instant) {
  return {
    since: parsePeriodStart(since, now) ?? now,
    until: (until === undefined ? undefined : parsePeriodStart(until, now)) ?? now,
  };
}

async function selectEvents(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  { event, since, until, type = '*' }: ReplayRequest,
): Promise<readonly TidingsEvent[]> {
  if ((event === undefined) === (since === undefined)) {
    throw invalid([{ pointer: '/since', detail: 'expected either event, or since with its options' }]);
  }
  if (event !== undefined) {
    const found = await api.events.get(event);
    if (found === undefined || !isWithin(caller, found.type)) throw notFound(`event '${event}'`);
    return [found];
  }
  const now = api.clock.now();
  const period = resolveReplayPeriod({ since, until }, now);
  if (period.since > now) throw invalid([{ pointer: '/since', detail: 'expected a time in the past' }]);
  if (period.until < period.since)
    throw invalid([{ pointer: '/until', detail: `expected a time after ${period.since}` }]);
  const wanted = compileGlob(type);
  const { received } = await backtest(api.events, subscription, period);
  return received.filter((one) => wanted(one.type) && isWithin(caller, one.type));
}

export async function previewSubscription(api: ApiPorts, caller: Caller, name: string, { until }: { until?: string }) {
  const subscription = await findSubscriptionFor(api, caller, name);
  const now = api.clock.now();
  const period = {
    from: now,
    until: (until === undefined ? undefined : parsePeriodStart(until, now)) ?? plus(now, DAY),
  };
  if (period.until < now) throw invalid([{ pointer: '/until', detail: 'expected a time in the future' }]);
  const { events } = await preview(api, api.config, period, now);
  const own = events.filter(({ to }) => to.includes(name));
  return {
    ...period,
    events: own.map(({ at, event }) => ({ at, type: event.type, subject: event.subject, line: sayEvent(event) })),
    message: await renderExample(api, subscription),
  };
}

/** A message about an example of the first type that it matches. */
async function renderExample(api: ApiPorts, subscription: Subscription): Promise<Record<string, unknown> | null> {
  const globs = subscription.events.map(compileGlob);
  const types = knownTypes(api.config).filter(({ type }) => globs.some((matches) => matches(type)));
  const [example] = types.flatMap((eventType) =>
    eventTypeOf(eventType.type) === undefined ? [] : (exampleEvent(eventType) ?? []),
  );
  if (example === undefined) return null;
  const now = api.clock.now();
  const message: OutboundMessage = {
    subscription,
    events: [example],
    delivery: deliveryId('preview', subscription.name),
    at: now,
    timeZone: subscription.timeZone ?? 'UTC',
  };
  return { ...(await renderMessage(message, { links: api.config.links })) };
}
