/** What a caller can do with a subscription besides changing it: test, pause, rotate and preview. */

import { generationOf } from '../../../adapters/secrets/master-secret.ts';
import type { PreparedTest } from '../../../core/delivery/replay.ts';
import { receiverSecretOf, type SigningKey, signingKey } from '../../../core/delivery/signing/sign.ts';
import { eventTypeOf, sayEvent } from '../../../core/events/catalogue.ts';
import { knownTypes } from '../../../core/events/custom-events.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { compileGlob } from '../../../core/filters/match.ts';
import { createByteBudget, MAX_RESPONSE_BYTES, takeFitting } from '../../../core/model/byte-budget.ts';
import { deliveryId } from '../../../core/model/delivery.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { DAY, type Instant, plus, SECOND } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { jobFor } from '../../../core/ports/queue.ts';
import {
  currentSecret,
  type RotateResult,
  rotateSubscription,
  sayTooManySecrets,
} from '../../../core/subscriptions/rotate.ts';
import { testSubscription } from '../../../core/subscriptions/verbs.ts';
import { awaitAttempt } from '../../../runtime/inspect/await-attempt.ts';
import { preview } from '../../../runtime/inspect/preview.ts';
import { renderMessage } from '../../../runtime/inspect/render.ts';
import { forecastFor } from '../forecast.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { assertMayChange, type Caller, isWithin, seesSubscriptionEvents, typeFilterFor } from '../http/caller.ts';
import { invalid, notFound, Problem } from '../http/problem.ts';
import { DELIVERY_BYTES, takeQuota, takeResumed } from '../http/quotas.ts';
import { parsePeriodStart } from '../http/read-request.ts';
import { runWithinBudget, workInTurn } from '../http/work-budget.ts';
import { viewDelivery } from '../view-delivery.ts';
import { declaredProblem } from './expected-state.ts';
import { setActive } from './set-active.ts';
import type { SubscriptionView } from './subscription-schemas.ts';
import {
  assertStoppable,
  findChangeable,
  findSubscriptionFor,
  getSubscription,
  type TaggedSubscription,
} from './subscriptions.ts';

/** How long a test waits for its attempt: it is answered within 10 s. API Gateway waits up to 30 s. */
const TEST_WAIT = 9 * SECOND;

export async function testForCaller(api: ApiPorts, caller: Caller, name: string, { type }: { type?: string }) {
  const subscription = await findChangeable(api, caller, name);
  // Before anything is sent.
  await api.beginLong?.();
  // One that an earlier version stored does not say what its owner may see.
  const confined = seesSubscriptionEvents(caller) ? subscription : { ...subscription, ofOwnerOnly: true as const };
  const assertAllowed = ({ event }: PreparedTest) => takeTested(api, caller, event);
  const delivery = await runWithinBudget(api, caller, (pace) =>
    testSubscription(api, caller, confined, { type, pace, assertAllowed }),
  );
  if (delivery === undefined) {
    const detail = `expected a type that subscription '${name}' matches: ${subscription.events.join(', ')}`;
    throw invalid([{ pointer: '/type', detail }]);
  }
  await api.queue.send([jobFor(delivery, subscription.owner)], api.clock.now());
  const never = new AbortController().signal;
  const attempted = await awaitAttempt(api, delivery.id, { stop: never, wait: TEST_WAIT });
  const [event = null] = await api.events.getMany(delivery.events);
  const shown = await viewDelivery(api, caller, attempted?.delivery ?? delivery);
  return { delivery: shown, event, attempted: attempted !== undefined };
}

/** The event of a test is stored too, and may be a large one. */
function takeTested(api: ApiPorts, caller: Caller, event: TidingsEvent): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  return takeQuota(api, caller, 'deliveries', 1 + Math.ceil(bytes / DELIVERY_BYTES));
}

/** Also of a subscription of the config: pausing is a part of operating it. */
export async function pauseForCaller(
  api: ApiPorts,
  caller: Caller,
  name: string,
  active: boolean,
): Promise<TaggedSubscription> {
  const subscription = await findSubscriptionFor(api, caller, name);
  if (active) assertMayChange(caller, subscription);
  else await assertStoppable(api, caller, subscription);
  if (active) await takeResumed(api, caller);
  await setActive(api, caller, name, active);
  return getSubscription(api, caller, name);
}

/**
 * The next generation of the derived secret. For a day both secrets sign.
 * @param request of the `Idempotency-Key`: repeated, it rotates once. @default - none
 */
export async function rotateForCaller(api: ApiPorts, caller: Caller, name: string, request?: string) {
  const subscription = await findChangeable(api, caller, name);
  const assertAllowed = ({ declared }: Subscription) => {
    if (declared) throw declaredProblem(name);
  };
  assertAllowed(subscription);
  const now = api.clock.now();
  const current = currentSecret(api.channels, subscription, now);
  if (request !== undefined && current !== undefined && idOf(current) === request) {
    // The process ended after it had rotated the secret, and before it could record its response.
    return rotated(await resolveForReceiver(api, current), subscription.rotation?.until ?? now);
  }
  const derive = async (reference: string) => {
    const id = request ?? idOf(reference) ?? Buffer.from(api.randomBytes(9)).toString('hex');
    return api.secrets.derive(id, generationOf(reference) + 1, await schemeOf(api, reference));
  };
  const result = await rotateSubscription(api, caller, name, derive, { assertAllowed });
  if (result.kind === 'rotated') return rotated(await resolveForReceiver(api, result.secret), result.until);
  throw rotationProblem(name, result.kind);
}

/** `bothUntil` is the name of version 1.0.0. */
const rotated = (secret: string, until: Instant) => ({ secret, bothSecretsUntil: until, bothUntil: until });

const resolveForReceiver = async ({ secrets }: Pick<ApiPorts, 'secrets'>, reference: string) =>
  receiverSecretOf(await secrets.resolve(reference));

/** The kind of a secret, which its successor keeps. One that cannot be read any more is replaced by HMAC. */
async function schemeOf({ secrets }: Pick<ApiPorts, 'secrets'>, reference: string): Promise<SigningKey['scheme']> {
  try {
    return signingKey(await secrets.resolve(reference)).scheme;
  } catch (error) {
    if (error instanceof GiveUp) return reference.endsWith(':v1a') ? 'v1a' : 'v1';
    throw error;
  }
}

function rotationProblem(name: string, kind: Exclude<RotateResult['kind'], 'rotated'>): Problem {
  switch (kind) {
    case 'missing':
      return notFound(`subscription '${name}'`);
    case 'changed':
      return new Problem(409, 'TIDINGS_API_CHANGED', {
        detail: `the secret of '${name}' is being rotated by another request`,
      });
    case 'too-many':
      return new Problem(409, 'TIDINGS_SUBSCRIPTION_ROTATIONS', { detail: sayTooManySecrets(name) });
    case 'unsigned':
      return new Problem(409, 'TIDINGS_SUBSCRIPTION_UNSIGNED', {
        detail: `subscription '${name}' has no signing secret: only HTTP endpoints are signed`,
      });
  }
}

/** Whether its messages are signed, with a secret that can be replaced. */
export function signsMessages({ to, declared }: Pick<SubscriptionView, 'to' | 'declared'>): boolean {
  return !declared && Object.hasOwn(to, 'http');
}

const idOf = (reference: string) => /^derived:[0-9a-f]{8}:([\w-]+):\d+(?::v1a)?$/.exec(reference)?.[1];

export async function previewSubscription(api: ApiPorts, caller: Caller, name: string, { until }: { until?: string }) {
  const subscription = await findSubscriptionFor(api, caller, name);
  const now = api.clock.now();
  const period = {
    from: now,
    until: (until === undefined ? undefined : parsePeriodStart(until, now)) ?? plus(now, DAY),
  };
  if (period.until < now) throw invalid([{ pointer: '/until', detail: 'expected a time in the future' }]);
  const { events, messages } = await runWithinBudget(api, caller, async (pace) => {
    const shows = typeFilterFor(caller);
    const previewed = await preview(api, api.config, period, now, { only: [subscription], shows, pace });
    return { ...previewed, messages: await forecastFor(api, caller, previewed, pace) };
  });
  const own = events.filter(({ to }) => to.includes(name));
  return {
    ...period,
    events: takeFitting(
      own.map(({ at, event }) => ({ at, type: event.type, subject: event.subject, line: sayEvent(event) })),
      createByteBudget(MAX_RESPONSE_BYTES),
    ),
    count: own.length,
    messages,
    message: await renderExample(api, caller, subscription),
  };
}

/** A message about an example of the first type that it matches. */
async function renderExample(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
): Promise<Record<string, unknown> | null> {
  const globs = subscription.events.map(compileGlob);
  const types = knownTypes(api.config).filter(
    ({ type }) => isWithin(caller, type) && globs.some((matches) => matches(type)),
  );
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
  return { ...(await workInTurn(api, caller, () => renderMessage(message, { links: api.config.links }))) };
}
