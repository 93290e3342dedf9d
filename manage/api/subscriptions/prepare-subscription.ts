/**
 * Turns a checked request into the subscription to store: within what the key allows, with a derived signing secret and
 * encrypted secret values, and with the consent of the endpoint.
 */

import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { hasScope } from '../../../core/model/api-key.ts';
import { TidingsError } from '../../../core/model/errors.ts';
import { isSameValue, jsonObjectOf } from '../../../core/model/json.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { traitsOf } from '../../../core/ports/channel.ts';
import { hasSameReceiver } from '../../../core/subscriptions/same-receiver.ts';
import { findSizeProblem } from '../../../core/subscriptions/storable.ts';
import { assertDeliverable } from '../../../runtime/channels.ts';
import { permissionsOf } from '../../../runtime/config/aws-references.ts';
import { isSecret, type Path, pathText } from '../../../runtime/config/problems.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, isWithin, seesRecords, seesSubscriptionEvents } from '../http/caller.ts';
import { type FieldError, invalid, Problem } from '../http/problem.ts';
import { SIGNING_SECRET, type SubscriptionInput } from './subscription-input.ts';
import { verifyEndpoint } from './verify-endpoint.ts';

/** @param stored the stored one that is changed. @default - a new one */
export async function prepareSubscription(
  api: ApiPorts,
  caller: Caller,
  input: SubscriptionInput,
  stored?: Subscription,
): Promise<Subscription> {
  const { subscription } = input;
  assertWithinKey(caller, input);
  assertChannel(api, caller, subscription);
  assertReadersStayHidden(caller, subscription, stored);
  const now = api.clock.now();
  if (subscription.expiresAt !== undefined && subscription.expiresAt <= now) {
    throw invalid([{ pointer: '/expiresAt', detail: 'expected a time in the future' }]);
  }
  if (stored !== undefined) assertSecretsStay(input, stored);
  const settings = await resolvePlaceholders(api, subscription, input.secrets, stored);
  const prepared: Subscription = {
    ...subscription,
    to: { ...subscription.to, settings },
    owner: caller.kind === 'key' ? caller.id : undefined,
    ...(seesSubscriptionEvents(caller) ? {} : { ofOwnerOnly: true as const }),
  };
  // Before its endpoint is asked.
  const detail = findSizeProblem(prepared, stored);
  if (detail !== undefined) throw new Problem(413, 'TIDINGS_API_TOO_LARGE', { detail });
  const isNewReceiver = stored === undefined || !hasSameReceiver(stored, prepared);
  const isOperator = hasScope(caller.scopes, 'operate');
  if (input.verify === 'none' && !isOperator) {
    const detail =
      'expected ping or cloudevents: only a key with the scope operate may leave out the consent of the endpoint';
    throw new Problem(403, 'TIDINGS_API_SCOPE', { detail, errors: [{ pointer: '/verify', detail }] });
  }
  const byDefault = isOperator ? 'none' : 'ping';
  return isNewReceiver ? verifyEndpoint(api, prepared, input.verify ?? byDefault) : prepared;
}

/**
 * Stored secrets go to the URL they were given for. Otherwise a caller could have the credentials of another's receiver, or
 * those of the operator, sent to a receiver of its own.
 */
function assertSecretsStay({ subscription, secrets, pointerOf }: SubscriptionInput, stored: Subscription): void {
  if (isSameValue(destinationOf(subscription), destinationOf(stored))) return;
  const { channel, settings } = subscription.to;
  // A value of the request has a placeholder, which is one of `secrets`. Other texts in the place of a secret are references.
  const isKept = (value: unknown, path: Path): boolean => {
    if (typeof value === 'string') return isSecret(path) && !secrets.has(value);
    return Object.entries(Object(value)).some(([key, item]) => isKept(item, [...path, key]));
  };
  // The signing secret is not sent.
  const kept = Object.entries(settings).filter(([key, value]) => key !== 'secret' && isKept(value, [key]));
  if (kept.length === 0) return;
  throw invalid(
    kept.map(([key]) => ({
      pointer: pointerOf(`to.${channel}.${key}`),
      detail: `expected ${key} again: stored secrets are not sent to another URL`,
    })),
  );
}

/** Where the secrets of the settings go. A webhook is a secret itself. */
function destinationOf({ to: { channel, settings } }: Subscription): object {
  const { url, api } = settings as { readonly url?: unknown; readonly api?: unknown };
  return { channel, url, api };
}

function assertWithinKey(
  caller: Caller,
  { subscription: { events }, pointerOf }: Pick<SubscriptionInput, 'subscription' | 'pointerOf'>,
): void {
  const errors = events.flatMap((glob, index): FieldError[] =>
    isWithin(caller, glob)
      ? []
      : [
          {
            pointer: pointerOf(`events[${index}]`),
            detail: `expected event types within ${caller.events?.join(', ')}, got '${glob}'`,
          },
        ],
  );
  if (errors.length === 0) return;
  const detail = `this key may only subscribe to ${caller.events?.join(', ')}`;
  throw new Problem(403, 'TIDINGS_API_EVENTS', { detail, errors });
}

/** Keys that only subscribe may name endpoints, not the mail addresses and chats of others. */
export function assertChannelScope({ scopes }: Caller, channel: string): void {
  if (channel === 'http' || hasScope(scopes, 'operate')) return;
  const detail = `expected url or to.http: ${channel} needs a key with the scope operate`;
  throw new Problem(403, 'TIDINGS_API_SCOPE', { detail, errors: [{ pointer: `/to/${channel}`, detail }] });
}

function assertChannel({ config, mode }: ApiPorts, caller: Caller, subscription: Subscription): void {
  const { channel } = subscription.to;
  assertChannelScope(caller, channel);
  try {
    assertDeliverable({ subscriptions: [subscription], mail: config.mail }, mode, () => '');
  } catch (error) {
    if (!(error instanceof TidingsError)) throw error;
    throw invalid([{ pointer: `/to/${channel}`, detail: error.message }]);
  }
  if (mode !== 'aws') return;
  const granted = permissionsOf(config);
  const missing = permissionsOf({ subscriptions: [subscription] }).filter(
    (one) => !granted.some((other) => isSameValue(one, other)),
  );
  if (missing.length === 0) return;
  const detail = `expected a receiver that the config grants deliver access to, ${missing.map(({ action, name }) => `${action} on ${name}`).join(', ')} is missing`;
  throw invalid([{ pointer: `/to/${channel}`, detail }]);
}

/**
 * A key that may not see people cannot name the server that is asked for the member with the mail address of each reader, nor people by
 * guessed addresses: whom a message mentions would confirm them. What is stored stays: an operator has chosen it.
 */
function assertReadersStayHidden(caller: Caller, { to }: Subscription, stored: Subscription | undefined): void {
  if (seesRecords(caller, PERSON)) return;
  const refuse = (key: string, expected: string) => {
    const detail = `expected ${expected}, which need a key that may see ${PERSON}.*`;
    throw new Problem(403, 'TIDINGS_API_EVENTS', { detail, errors: [{ pointer: `/to/${to.channel}/${key}`, detail }] });
  };
  const known = stored === undefined ? undefined : peopleIn(stored.to);
  const { lookup, addresses } = peopleIn(to);
  if (lookup !== undefined && lookup !== known?.lookup)
    refuse('api', 'no api: it would get the mail addresses of people');
  if (addresses.some((address) => known?.addresses.includes(address) !== true))
    refuse('mentions', 'names of people, not their mail addresses');
}

/** The server that a personal subscription asks for its readers, and the mail addresses that its settings name. */
function peopleIn({ channel, settings }: Subscription['to']) {
  const { personal, peopleKeys } = traitsOf(channelRegistry, { channel });
  const { api: lookup } = personal?.(settings) === undefined ? {} : (settings as { readonly api?: unknown });
  return { lookup, addresses: (peopleKeys?.(settings) ?? []).filter((key) => key.includes('@')) };
}

const PERSON = 'person';

/** Values of the request are sealed; the signing secret is derived, and stays the same when a subscription is changed. */
async function resolvePlaceholders(
  { secrets, randomBytes }: Pick<ApiPorts, 'secrets' | 'randomBytes'>,
  { to }: Subscription,
  values: ReadonlyMap<string, string>,
  stored: Subscription | undefined,
): Promise<object> {
  const kept =
    stored === undefined ? undefined : channelRegistry.get(stored.to.channel)?.signingSecret(stored.to.settings);
  // A value that is sealed already stays as it is: sealed again it would look changed.
  const seal = async (given: string, before: unknown) =>
    typeof before === 'string' && before.startsWith('sealed:') && (await secrets.resolve(before)) === given
      ? before
      : secrets.seal(given);
  const replace = async (value: unknown, before: unknown, path: Path = []): Promise<unknown> => {
    if (typeof value === 'string') {
      // Text of the request that looks like a placeholder is none.
      if (!isSecret(path)) return value;
      if (value === SIGNING_SECRET && pathText(path) === 'secret')
        return kept ?? secrets.derive(Buffer.from(randomBytes(9)).toString('hex'), 1);
      const given = values.get(value);
      return given === undefined ? value : seal(given, before);
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([key, item]) => {
      const former: unknown = typeof before === 'object' && before !== null ? Reflect.get(before, key) : undefined;
      return [key, await replace(item, former, [...path, key])] as const;
    });
    const replaced = await Promise.all(entries);
    return Array.isArray(value) ? replaced.map(([, item]) => item) : Object.fromEntries(replaced);
  };
  return jsonObjectOf(await replace(to.settings, stored?.to.settings));
}
