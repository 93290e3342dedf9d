/** Reads, makes, changes and removes subscriptions for a caller. Subscriptions of the config are never changed here. */

import * as z from 'zod';
import { channelRegistry, signingSecretOf } from '../../../adapters/channels/registry.ts';
import { pause, resume } from '../../../core/delivery/hold.ts';
import { HEALTHY } from '../../../core/delivery/receivers/health.ts';
import { changeHealth, readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { isExpired, type Subscription } from '../../../core/model/subscription.ts';
import { removeSubscription } from '../../../runtime/apply-declared.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import { auditedChange } from '../audited-change.ts';
import { visibleTypes } from '../event-types.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { assertMayChange, type Caller, canSee, seesAll } from '../http/caller.ts';
import { invalid, notFound } from '../http/problem.ts';
import { readValue } from '../http/read-request.ts';
import { nameSchema } from '../http/schemas.ts';
import { mergePatch } from './merge-patch.ts';
import { prepareSubscription } from './prepare-subscription.ts';
import { storedNameOf } from './stored-name.ts';
import { type InputOptions, readSubscriptionInput } from './subscription-input.ts';
import { changedMeanwhile, declaredProblem, nameTaken } from './subscription-problems.ts';
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
  /** The signing secret, in the response that makes it only; null if the channel does not sign. */
  readonly secret?: string | null;
}

/** Throws 404 for a subscription that does not exist for the caller. */
export async function findSubscriptionFor(api: ApiPorts, caller: Caller, name: string): Promise<Subscription> {
  const found = await api.subscriptions.get(name);
  if (found === undefined || !canSee(caller, found) || isExpired(found, api.clock.now())) {
    throw notFound(`subscription '${name}'`);
  }
  return found;
}

/** The same, if the caller may also change it, pause it or send to it. */
export async function findChangeable(api: ApiPorts, caller: Caller, name: string): Promise<Subscription> {
  const found = await findSubscriptionFor(api, caller, name);
  assertMayChange(caller, found);
  return found;
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
  const data = await Promise.all(all.slice(0, limit).map((one) => viewSubscription(api, one)));
  return { data, next: all.length > limit ? (data.at(-1)?.name ?? null) : null };
}

const hasUrl = ({ to }: Subscription, url: string | undefined) =>
  url === undefined || (to.channel === 'http' && (to.settings as { readonly url?: string }).url === url);

export async function getSubscription(api: ApiPorts, caller: Caller, name: string): Promise<TaggedSubscription> {
  return tagged(api, await findSubscriptionFor(api, caller, name));
}

async function tagged(api: ApiPorts, subscription: Subscription): Promise<TaggedSubscription> {
  const view = await viewSubscription(api, subscription);
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
  const name =
    given === undefined
      ? `sub_${request ?? Buffer.from(api.randomBytes(10)).toString('hex')}`
      : await storedNameOf(api, caller, readValue(namedSchema, { name: given }).name);
  const known = await api.subscriptions.get(name);
  if (known === undefined || request === undefined || known.request !== request) {
    return make(api, caller, name, withStoredName(body, name), request);
  }
  // The process ended after it had made the subscription, and before it could record its response.
  const isPaused = !isActive(await readHealth(api, name));
  if (isConfigSection(body) && body.active === false && !isPaused) await setActive(api, caller, name, false);
  return withSecret(api, known);
}

const namedSchema = z.object({ name: nameSchema });

const withStoredName = (body: unknown, name: string) => (isConfigSection(body) ? { ...body, name } : body);

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
  const known = await api.subscriptions.get(name);
  const isGone = known === undefined || isExpired(known, api.clock.now());
  if (!isGone && !canSee(caller, known)) throw nameTaken(name);
  if (isGone) {
    if (ifMatch !== undefined) throw changedMeanwhile(name);
    return make(api, caller, name, body);
  }
  const input = readSubscriptionInput(withName(body, name), inputOptions(api, caller, name, known));
  const changed = await prepareSubscription(api, caller, input, known);
  return change(api, caller, known, { changed, active: input.active, ifMatch });
}

/** Changes the given keys; null removes one. */
export async function patchSubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  patch: unknown,
  ifMatch?: string,
): Promise<TaggedSubscription> {
  const known = await findChangeable(api, caller, name);
  if (known.declared) throw declaredProblem(name);
  const options = inputOptions(api, caller, name, known);
  const input = readSubscriptionInput(mergePatch(known, withName(patch, name)), options);
  const changed = await prepareSubscription(api, caller, input, known);
  return change(api, caller, known, { changed, active: input.active, ifMatch });
}

interface Changes {
  readonly changed: Subscription;
  /** @default - as it is */
  readonly active?: boolean;
  readonly ifMatch?: string;
}

async function change(
  api: ApiPorts,
  caller: Caller,
  known: Subscription,
  { changed, active, ifMatch }: Changes,
): Promise<MadeSubscription> {
  const { name } = known;
  assertMayChange(caller, known);
  const health = await readHealth(api, name);
  const fields = changedKeys(known, changed);
  const update = async () => {
    const isThere = await api.subscriptions.update(name, (stored) => {
      if (stored.declared) throw declaredProblem(name);
      assertMayChange(caller, stored);
      assertMatches(ifMatch, stored, isActive(health), name);
      if (fields.length === 0) return stored;
      // A secret that was rotated since it was read stays rotated.
      return { ...changed, ...(stored.rotation === undefined ? {} : { rotation: stored.rotation }) };
    });
    if (!isThere) throw notFound(`subscription '${name}'`);
  };
  const entry = { action: 'subscription.changed', target: `subscription/${name}`, details: { fields } };
  await (fields.length === 0 ? update() : auditedChange(api, caller, entry, update));
  const after = (await api.subscriptions.get(name)) ?? changed;
  if (active !== undefined && active !== isActive(health)) await setActive(api, caller, name, active);
  return { ...(await tagged(api, after)), isNew: false };
}

/** The names of the keys that differ. */
function changedKeys(before: Subscription, after: Subscription): readonly string[] {
  const [old, now]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const keys = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...keys].filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key])).sort();
}

async function make(
  api: ApiPorts,
  caller: Caller,
  name: string,
  body: unknown,
  request?: string,
): Promise<MadeSubscription> {
  const input = readSubscriptionInput(withName(body, name), inputOptions(api, caller, name));
  const now = api.clock.now();
  const known = await api.subscriptions.get(name);
  if (known !== undefined && !isExpired(known, now)) {
    throw known.declared && seesAll(caller) ? declaredProblem(name) : nameTaken(name);
  }
  const made = {
    ...(await prepareSubscription(api, caller, input)),
    ...(request === undefined ? {} : { request }),
  };
  const details = { events: made.events, to: made.to.channel };
  const entry = { action: 'subscription.created', target: `subscription/${name}`, details };
  await auditedChange(api, caller, entry, async () => {
    // Before it is added: nothing is sent to a name that is free.
    await startHealthy(api, name);
    if (!(await api.subscriptions.add(made, (stored) => !stored.declared && isExpired(stored, now)))) {
      throw nameTaken(name);
    }
  });
  if (input.active === false) await setActive(api, caller, name, false);
  return withSecret(api, made);
}

async function withSecret(api: ApiPorts, made: Subscription): Promise<MadeSubscription> {
  const reference = signingSecretOf(made);
  const secret = reference === undefined ? null : await api.secrets.resolve(reference);
  return { ...(await tagged(api, made)), isNew: true, secret };
}

/** A subscription with the name of a removed one starts with a clean health. Readers who unsubscribed stay so. */
async function startHealthy(api: ApiPorts, name: string): Promise<void> {
  await changeHealth(api, name, 'baseline', (before) => {
    const isClean = before.state === 'ok' && before.failingSince === null && before.removedAt === undefined;
    return isClean ? before : { ...HEALTHY, muted: before.muted };
  });
}

/** Pauses or resumes it. */
export async function setActive(api: ApiPorts, caller: Caller, name: string, active: boolean): Promise<void> {
  const ports = { ...api, channels: channelRegistry };
  const target = `subscription/${name}`;
  if (active) {
    const entry = { action: 'subscription.resumed', target };
    await auditedChange(
      api,
      caller,
      entry,
      () => resume(ports, name),
      (released) => ({ released }),
    );
  } else {
    await auditedChange(api, caller, { action: 'subscription.paused', target }, () => pause(ports, name));
  }
}

/** Has no effect on one that does not exist for the caller. */
export async function deleteSubscription(api: ApiPorts, caller: Caller, name: string, ifMatch?: string): Promise<void> {
  const known = await api.subscriptions.get(name);
  if (known === undefined || !canSee(caller, known)) return;
  assertMayChange(caller, known);
  const active = isActive(await readHealth(api, name));
  const remove = () =>
    removeSubscription(api, name, (stored) => {
      if (stored.declared) throw declaredProblem(name);
      assertMayChange(caller, stored);
      assertMatches(ifMatch, stored, active, name);
    });
  const entry = { action: 'subscription.removed', target: `subscription/${name}` };
  await auditedChange(api, caller, entry, remove, ({ deliveries }) => ({ unsent: deliveries }));
}

/** The name is part of the path. */
function withName(body: unknown, name: string): unknown {
  if (!isConfigSection(body)) return body;
  if (body.name === undefined || body.name === name) return { ...body, name };
  throw invalid([{ pointer: '/name', detail: `expected nothing here, or '${name}', the name in the path` }]);
}

export function inputOptions(api: ApiPorts, caller: Caller, name: string, known?: Subscription): InputOptions {
  const { config, mode } = api;
  const references = known === undefined ? new Set<string>() : referencesOf(known);
  return { config, mode, name, types: visibleTypes(config, caller), references };
}

/** The references in its settings: sealed values and the signing secret. */
function referencesOf({ to }: Subscription): ReadonlySet<string> {
  const found = new Set<string>();
  JSON.stringify(to.settings, (_, value: unknown) => {
    if (typeof value === 'string' && /^(derived|sealed):/.test(value)) found.add(value);
    return value;
  });
  return found;
}

function assertMatches(ifMatch: string | undefined, stored: Subscription, active: boolean, name: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(stored, active))) throw changedMeanwhile(name);
}
