/** Makes, lists and removes keys. A token is returned once and never stored. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  type ApiKey,
  hashToken,
  hasScope,
  type KeyQuotas,
  makeToken,
  type Scope,
  TOKEN_BYTES,
} from '../../core/model/api-key.ts';
import { HIDDEN_CHARACTER } from '../../core/model/hidden-characters.ts';
import { formatRate, parseRate } from '../../core/model/rate.ts';
import { parseInstant } from '../../core/model/time.ts';
import { type AuditPorts, auditedChange } from '../../core/ports/audit-store.ts';
import type { RemovalPorts } from '../../core/subscriptions/verb-ports.ts';
import { removeSubscription } from '../../core/subscriptions/verbs.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { unfinished } from './http/open-requests.ts';
import { invalid, notFound, Problem } from './http/problem.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { keyInputSchema, type keyQuotasSchema, keySchema, newKeySchema } from './http/schemas.ts';

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly events?: readonly string[];
  readonly expiresAt?: string;
  readonly quotas?: QuotasInput;
}

type QuotasInput = z.infer<typeof keyQuotasSchema>;

type KeyPorts = Pick<ApiPorts, 'apiKeys' | 'audit' | 'clock' | 'randomBytes'>;

/** @param bytes of the token: the same ones make the same key. @default - random */
export async function createKey(
  api: KeyPorts,
  caller: Caller,
  { name, scopes, events, expiresAt, quotas }: KeyRequest,
  bytes: Uint8Array = api.randomBytes(TOKEN_BYTES),
) {
  const now = api.clock.now();
  const until = expiresAt === undefined ? undefined : parseInstant(expiresAt);
  if (until !== undefined && until <= now)
    throw invalid([{ pointer: '/expiresAt', detail: 'expected a time in the future' }]);
  // It could make a key without event types for itself.
  if (events !== undefined && hasScope(scopes, 'admin')) {
    throw invalid([
      { pointer: '/events', detail: 'expected no event types for the scope admin, which sees everything' },
    ]);
  }
  const [hidden] = HIDDEN_CHARACTER.exec(name) ?? [];
  if (hidden !== undefined) {
    const code = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    throw invalid([{ pointer: '/name', detail: `expected a name in visible characters, got U+${code} in it` }]);
  }
  const { id, token } = makeToken(bytes);
  const key: ApiKey = {
    id,
    name,
    hash: hashToken(token),
    scopes: [...new Set(scopes)],
    events,
    createdAt: now,
    createdBy: caller.name ?? caller.id,
    expiresAt: until,
    quotas: quotas && readQuotas(quotas),
  };
  const details = { name, scopes: key.scopes, events, quotas };
  const entry = { action: 'key.created', target: `key/${id}`, details };
  await auditedChange(api, caller, entry, () => api.apiKeys.save(key));
  return { ...viewKey(key, 0), token };
}

/** The bytes of the token for a request with an `Idempotency-Key`: only this installation can derive them. */
async function keyBytesOf({ secrets }: Pick<ApiPorts, 'secrets'>, request: string): Promise<Uint8Array> {
  const secret = await secrets.resolve(await secrets.derive(`key-${request}`, 1));
  return createHash('sha512').update(secret).digest().subarray(0, TOKEN_BYTES);
}

export async function listKeys({ apiKeys, subscriptions }: Pick<ApiPorts, 'apiKeys' | 'subscriptions'>) {
  const counts = Map.groupBy(await subscriptions.list(), ({ owner }) => owner);
  return { data: (await apiKeys.list()).map((key) => viewKey(key, counts.get(key.id)?.length ?? 0)) };
}

/** Its subscriptions stay and go on sending: they are removed on their own. */
export async function removeKey(
  api: Pick<ApiPorts, 'apiKeys'> & AuditPorts,
  caller: Caller,
  id: string,
): Promise<void> {
  const key = await api.apiKeys.get(id);
  if (key === undefined) throw notFound(`key '${id}'`);
  const entry = { action: 'key.removed', target: `key/${id}`, details: { name: key.name } };
  await auditedChange(api, caller, entry, async () => {
    if (!(await api.apiKeys.remove(id))) throw notFound(`key '${id}'`);
  });
}

const KEY_ID = /^[0-9a-f]{16}$/;

/** How many are removed at a time: in AWS each takes several calls. */
const REMOVED_AT_ONCE = 10;

/** Removes the subscriptions that a key made, also if the key is gone. Returns their names. Throws 503 if there is no time for all. */
export async function removeSubscriptionsOf(
  api: RemovalPorts & Pick<ApiPorts, 'mayGoOn'>,
  caller: Caller,
  id: string,
): Promise<readonly string[]> {
  // A channel of Slack is an owner, too: people there would not hear of it.
  if (!KEY_ID.test(id)) throw notFound(`key '${id}'`);
  const names = (await api.subscriptions.list(true)).filter(({ owner }) => owner === id).map(({ name }) => name);
  const remove = (name: string) =>
    removeSubscription(api, caller, name, {
      assertAllowed: ({ owner }) => {
        if (owner === id) return;
        const detail = `subscription '${name}' was removed and made again by another: repeat the request`;
        throw new Problem(409, 'TIDINGS_API_CHANGED', { detail });
      },
      details: { key: id },
    });
  for (let first = 0; first < names.length; first += REMOVED_AT_ONCE) {
    if (api.mayGoOn?.() === false) throw unfinished(`${first} of ${names.length} subscriptions were removed`);
    await Promise.all(names.slice(first, first + REMOVED_AT_ONCE).map(remove));
  }
  return names;
}

function viewKey({ hash: _, events, lastUsedAt, expiresAt, quotas, ...key }: ApiKey, subscriptions: number) {
  return {
    ...key,
    events: events ?? null,
    lastUsedAt: lastUsedAt ?? null,
    expiresAt: expiresAt ?? null,
    quotas: quotas === undefined ? null : viewQuotas(quotas),
    subscriptions,
  };
}

/** Undefined if nothing is given. */
function readQuotas({
  requests,
  changes,
  previews,
  replays,
  deliveries,
  units,
  ...amounts
}: QuotasInput): KeyQuotas | undefined {
  const rates = Object.entries({ requests, changes, previews, replays, deliveries, units }).filter(
    ([, text]) => text !== undefined,
  );
  const quotas = { ...amounts, ...Object.fromEntries(rates.map(([name, text]) => [name, parseRate(text ?? '')])) };
  return Object.keys(quotas).length === 0 ? undefined : quotas;
}

function viewQuotas({ requests, changes, previews, replays, deliveries, units, ...amounts }: KeyQuotas): QuotasInput {
  const rates = Object.entries({ requests, changes, previews, replays, deliveries, units }).flatMap(([name, rate]) =>
    rate === undefined ? [] : [[name, formatRate(rate)]],
  );
  return { ...amounts, ...Object.fromEntries(rates) };
}

export const keyRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/keys',
    operation: 'listKeys',
    summary: 'List the keys',
    tag: 'keys',
    scopes: ['admin'],
    responses: {
      200: { description: 'The keys, oldest first.', schema: z.strictObject({ data: z.array(keySchema) }) },
    },
    run: async (api) => ok(await listKeys(api)),
  }),
  defineRoute({
    method: 'post',
    path: '/keys',
    operation: 'createKey',
    summary: 'Make a key',
    tag: 'keys',
    scopes: ['admin'],
    body: keyInputSchema,
    examples: {
      'a key that subscribes': { name: 'billing-service', scopes: ['subscribe'], events: ['invoice.*'] },
      'a key with quotas of its own': {
        name: 'importer',
        scopes: ['read'],
        quotas: { requests: '1200/m', subscriptions: 10 },
      },
    },
    responses: {
      201: {
        description: 'The key. Its token is shown once.',
        schema: newKeySchema,
        links: { deleteKey: { id: '$response.body#/id' } },
      },
    },
    run: async (api, { caller, body, request }) => {
      const bytes = request === undefined ? undefined : await keyBytesOf(api, request);
      return { status: 201, body: await createKey(api, caller, body, bytes) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/keys/{id}',
    operation: 'deleteKey',
    summary: 'Remove a key',
    description: 'It is refused at once. Its subscriptions stay and go on sending until they are removed.',
    tag: 'keys',
    scopes: ['admin'],
    responses: { 204: { description: 'It was removed.' } },
    errors: [404],
    run: async (api, { caller, params: { id = '' } }) => {
      await removeKey(api, caller, id);
      return { status: 204 };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/keys/{id}/subscriptions',
    operation: 'deleteKeySubscriptions',
    summary: 'Remove the subscriptions that a key made',
    description: 'Also those of a key that was removed: remove a leaked key first, so that it makes no more of them.',
    tag: 'keys',
    scopes: ['admin'],
    responses: {
      200: {
        description: 'The names of the removed subscriptions.',
        schema: z.strictObject({ removed: z.array(z.string()) }),
      },
    },
    errors: [404, 409],
    run: async (api, { caller, params: { id = '' } }) => ok({ removed: await removeSubscriptionsOf(api, caller, id) }),
  }),
];
