/** Reads, makes, changes and removes subscriptions for a caller. Subscriptions of the config are never changed here. */

import * as z from 'zod';
import { signingSecretOf } from '../../../adapters/channels/registry.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { knownTypes } from '../../../core/events/custom-events.ts';
import { createByteBudget, MAX_RESPONSE_BYTES, takeFitting } from '../../../core/model/byte-budget.ts';
import { isExpired, type Subscription } from '../../../core/model/subscription.ts';
import { takeTurns } from '../../../core/model/take-turns.ts';
import { between, SECOND } from '../../../core/model/time.ts';
import { changeSubscription, removeSubscription } from '../../../core/subscriptions/verbs.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import { assertDeliveriesWithin } from '../deliveries-within.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { assertMayChange, assertMayStop, type Caller, canSee, isOwn, seesAll } from '../http/caller.ts';
import { invalid, notFound, Problem } from '../http/problem.ts';
import { takeResumed } from '../http/quotas.ts';
import { readValue } from '../http/read-request.ts';
import { nameSchema } from '../http/schemas.ts';
import { addWithinQuota, changeWithinQuota, releaseRemoved } from '../http/storage-quota.ts';
import { assertWorkLeft } from '../http/work-budget.ts';
import { addForCaller } from './add-for-caller.ts';
import {
  assertExpected,
  assertReceiverStays,
  changedMeanwhile,
  declaredProblem,
  isBasisChanged,
  nameTaken,
} from './expected-state.ts';
import { mergePatch } from './merge-patch.ts';
import { prepareSubscription } from './prepare-subscription.ts';
import { readInput } from './read-input.ts';
import { setActive } from './set-active.ts';
import { storedNameOf } from './stored-name.ts';
import type { SubscriptionView } from './subscription-schemas.ts';
import { etagOf, isActive, viewSubscription } from './subscription-view.ts';

/** A subscription with the tag that `If-Match` is compared with. */
export interface TaggedSubscription {
  readonly view: SubscriptionView;
  readonly etag: string;
}

export interface MadeSubscription extends TaggedSubscription {
  /** False if it existed before. */
  readonly isNew: boolean;
  /** The signing secret, in the response that makes it only; null if the channel does not sign. @default - it was rotated since */
  readonly secret?: string | null;
}

/** Throws 404 for a subscription that does not exist for the caller. */
export async function findSubscriptionFor(api: ApiPorts, caller: Caller, name: string): Promise<Subscription> {
  const subscription = await api.subscriptions.get(name);
  if (subscription === undefined || !canSee(caller, subscription) || isExpired(subscription, api.clock.now())) {
    throw notFound(`subscription '${name}'`);
  }
  return subscription;
}

/** The same, if the caller may also change it or send to it: it may see all that the subscription sends, and all that waits for it. */
export async function findChangeable(api: ApiPorts, caller: Caller, name: string): Promise<Subscription> {
  const subscription = await findSubscriptionFor(api, caller, name);
  assertMayChange(caller, subscription);
  await assertDeliveriesWithin(api, caller, name);
  return subscription;
}

/** Throws if the caller may not pause or remove it. Its own it may stop, whatever waits. */
export async function assertStoppable(api: ApiPorts, caller: Caller, subscription: Subscription): Promise<void> {
  assertMayStop(caller, subscription);
  if (!isOwn(caller, subscription)) await assertDeliveriesWithin(api, caller, subscription.name);
}

export interface ListSubscriptionsQuery {
  /** Only those of this endpoint. @default - all */
  readonly url?: string;
  /** The name after which the page starts. @default - from the first on */
  readonly after?: string;
  readonly limit: number;
}

export async function listSubscriptions(api: ApiPorts, caller: Caller, query: ListSubscriptionsQuery) {
  const { url, after = '', limit } = query;
  const now = api.clock.now();
  const all = (await api.subscriptions.list()).filter(
    (one) => one.name > after && canSee(caller, one) && !isExpired(one, now) && hasUrl(one, url),
  );
  const views = await Promise.all(all.slice(0, limit).map((one) => viewSubscription(api, caller, one)));
  const data = takeFitting(views, createByteBudget(MAX_RESPONSE_BYTES));
  return { data, next: all.length > data.length ? (data.at(-1)?.name ?? null) : null };
}

/** Some of each owner, however many a key has, and how many there are in all. */
export async function sampleSubscriptions(api: ApiPorts, caller: Caller, limit: number) {
  const now = api.clock.now();
  const all = (await api.subscriptions.list()).filter((one) => canSee(caller, one) && !isExpired(one, now));
  const chosen = takeTurns(all, ({ owner, name }) => owner ?? ` ${name}`).slice(0, limit);
  return { data: await Promise.all(chosen.map((one) => viewSubscription(api, caller, one))), count: all.length };
}

const hasUrl = ({ to }: Subscription, url: string | undefined) =>
  url === undefined || (to.channel === 'http' && (to.settings as { readonly url?: string }).url === url);

export async function getSubscription(api: ApiPorts, caller: Caller, name: string): Promise<TaggedSubscription> {
  return tagged(api, caller, await findSubscriptionFor(api, caller, name));
}

async function tagged(api: ApiPorts, caller: Caller, subscription: Subscription): Promise<TaggedSubscription> {
  const view = await viewSubscription(api, caller, subscription);
  return { view, etag: etagOf(subscription, view.active) };
}

/** @param request of the `Idempotency-Key`: repeated, it makes the subscription once. @default - none */
export async function createSubscription(
  api: ApiPorts,
  caller: Caller,
  body: unknown,
  request?: string,
): Promise<MadeSubscription> {
  const given = isConfigSection(body) ? body.name : undefined;
  const isNameNew = given === undefined;
  const name = isNameNew
    ? `sub_${request ?? Buffer.from(api.randomBytes(10)).toString('hex')}`
    : await storedNameOf(api, caller, readValue(namedSchema, { name: given }).name);
  return make(api, caller, isConfigSection(body) ? { ...body, name } : body, { name, request, isNameNew });
}

const namedSchema = z.object({ name: nameSchema });

/**
 * Declares a subscription: makes it, or changes it to what the request says. Repeating the request changes nothing. Without
 * `active` it stays paused: the restart of the program that declares it must not undo what an operator did.
 */
export async function putSubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  body: unknown,
  ifMatch?: string,
): Promise<MadeSubscription> {
  const before = await api.subscriptions.get(name);
  const isMissing = before === undefined || isExpired(before, api.clock.now());
  if (isMissing && ifMatch !== undefined) throw changedMeanwhile(name);
  const made = isMissing ? await makeUnlessTaken(api, caller, body, name) : undefined;
  if (made !== undefined) return made;
  const stored = isMissing ? await api.subscriptions.get(name) : before;
  if (stored === undefined || !canSee(caller, stored)) throw nameTaken(name);
  assertMayChange(caller, stored);
  await assertDeliveriesWithin(api, caller, name);
  return change(api, caller, stored, withName(body, name), ifMatch);
}

/** Undefined if another request has made it meanwhile: several instances of a program may start at the same time. */
async function makeUnlessTaken(api: ApiPorts, caller: Caller, body: unknown, name: string) {
  try {
    return await make(api, caller, body, { name });
  } catch (error) {
    if (error instanceof Problem && error.code === 'TIDINGS_API_NAME_TAKEN') return undefined;
    throw error;
  }
}

/** Changes the given keys; null removes one. */
export async function patchSubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  patch: unknown,
  ifMatch?: string,
): Promise<TaggedSubscription> {
  const begun = api.clock.now();
  for (let tries = 1; ; tries++) {
    const stored = await findChangeable(api, caller, name);
    if (stored.declared) throw declaredProblem(name);
    try {
      return await change(api, caller, stored, mergePatch(stored, withName(patch, name)), ifMatch, stored);
    } catch (error) {
      const isLate = tries === MAX_PATCH_TRIES || Math.abs(between(begun, api.clock.now())) > MAX_PATCH_TIME;
      if (!isBasisChanged(error) || isLate) throw error;
    }
  }
}

const MAX_PATCH_TRIES = 20;

/** The endpoint may have been asked: it is not asked again and again. */
const MAX_PATCH_TIME = 5 * SECOND;

async function change(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  body: unknown,
  ifMatch: string | undefined,
  basis?: Subscription,
): Promise<MadeSubscription> {
  const { name } = subscription;
  const input = await readInput(api, caller, name, body, subscription);
  const wanted = await prepareSubscription(api, caller, input, subscription);
  // Again: to ask the endpoint takes up to 15 s.
  await assertDeliveriesWithin(api, caller, name);
  const active = isActive(await readHealth(api, name));
  const isSwitched = input.active !== undefined && input.active !== active;
  // Before anything is changed.
  if (isSwitched && input.active === true) {
    assertWorkLeft(api, caller);
    await takeResumed(api, caller);
  }
  const changed = await changeWithinQuota(api, caller, subscription, wanted, (change) =>
    changeSubscription(api, caller, name, change, {
      assertAllowed: (stored) => {
        // While its endpoint was asked it may have expired, and its filter is counted in no quota then.
        if (isExpired(stored, api.clock.now())) throw notFound(`subscription '${name}'`);
        assertMayChange(caller, stored);
        assertExpected(stored, { ifMatch, active, basis });
        if (basis === undefined && ifMatch === undefined) assertReceiverStays(caller, stored, wanted);
      },
      types: knownTypes(api.config).map(({ type }) => type),
    }),
  );
  if (changed === undefined) throw notFound(`subscription '${name}'`);
  if (isSwitched) await setActive(api, caller, name, input.active === true, true);
  return { ...(await tagged(api, caller, changed)), isNew: false };
}

interface MakeOptions {
  readonly name: string;
  /** Whether no other subscription ever had the name. @default false */
  readonly isNameNew?: boolean;
  /** @default - the request has no `Idempotency-Key` */
  readonly request?: string;
}

async function make(
  api: ApiPorts,
  caller: Caller,
  body: unknown,
  { name, request, isNameNew = false }: MakeOptions,
): Promise<MadeSubscription> {
  const input = await readInput(api, caller, name, withName(body, name));
  const stored = await api.subscriptions.get(name);
  // The process ended after it had made the subscription, and before it could record its response.
  const isRepeated = (one: Subscription) => request !== undefined && one.request === request;
  const refuse = (one: Subscription) =>
    one.declared && one.name === name && seesAll(caller) ? declaredProblem(name) : nameTaken(name);
  const isOwnRequest = stored !== undefined && isRepeated(stored);
  if (stored !== undefined && !isOwnRequest && !isExpired(stored, api.clock.now())) throw refuse(stored);
  // What one that expired or was removed left unsent would go to the new receiver.
  if (!isNameNew && !isOwnRequest) await assertDeliveriesWithin(api, caller, name);
  const wanted = isOwnRequest ? stored : { ...(await prepareSubscription(api, caller, input)), request };
  const at = (isOwnRequest ? stored.createdAt : undefined) ?? api.clock.now();
  const author = request === undefined ? caller : { ...caller, request: { id: request, at } };
  const add = () => addForCaller(api, author, wanted, { isRepeated, isPaused: input.active === false });
  const added = isOwnRequest ? await add() : await addWithinQuota(api, caller, wanted, add, stored);
  if (added.kind === 'taken') throw refuse(added.stored);
  const made = { ...(await tagged(api, caller, added.subscription)), isNew: true };
  // Repeated after a rotation, the request would show a secret that is not the one in use.
  return added.subscription.rotation === undefined
    ? { ...made, secret: await secretOf(api, added.subscription) }
    : made;
}

async function secretOf(api: ApiPorts, made: Subscription): Promise<string | null> {
  const reference = signingSecretOf(made);
  return reference === undefined ? null : api.secrets.resolve(reference);
}

/** Has no effect on one that does not exist for the caller. */
export async function deleteSubscription(api: ApiPorts, caller: Caller, name: string, ifMatch?: string): Promise<void> {
  const stored = await api.subscriptions.get(name);
  if (stored === undefined || !canSee(caller, stored)) return;
  await assertStoppable(api, caller, stored);
  const active = isActive(await readHealth(api, name));
  const { owner } = stored;
  let latest = stored;
  const removal = await removeSubscription(api, caller, name, {
    // A key knows what it drops. It could make and remove subscriptions to send people a message each time.
    reportsUnsent: !isOwn(caller, stored),
    assertAllowed: (found) => {
      // It may have got other event types or another owner since.
      if (!canSee(caller, found)) throw changedMeanwhile(name);
      assertMayStop(caller, found);
      assertExpected(found, { ifMatch, active });
      latest = found;
    },
  });
  if (removal?.isRemoved === true && owner !== undefined) await releaseRemoved(api, owner, latest);
}

/** The name is part of the path. */
function withName(body: unknown, name: string): unknown {
  if (!isConfigSection(body)) return body;
  if (body.name === undefined || body.name === name) return { ...body, name };
  throw invalid([{ pointer: '/name', detail: `expected nothing here, or '${name}', the name in the path` }]);
}
