/** Makes, lists and removes keys. A token is returned once and never stored. */

import { type ApiKey, hashToken, makeToken, type Scope, TOKEN_BYTES } from '../../core/model/api-key.ts';
import { parseInstant } from '../../core/model/time.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { invalid, notFound } from './problem.ts';
import { recordChange } from './record-change.ts';

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly events?: readonly string[];
  readonly expiresAt?: string;
}

export type KeyPorts = Pick<ApiPorts, 'apiKeys' | 'audit' | 'clock' | 'randomBytes'>;

export async function createKey(api: KeyPorts, caller: Caller, { name, scopes, events, expiresAt }: KeyRequest) {
  const now = api.clock.now();
  const until = expiresAt === undefined ? undefined : parseInstant(expiresAt);
  if (until !== undefined && until <= now)
    throw invalid([{ pointer: '/expiresAt', detail: 'expected a time in the future' }]);
  const { id, token } = makeToken(api.randomBytes(TOKEN_BYTES));
  const key: ApiKey = {
    id,
    name,
    hash: hashToken(token),
    scopes: [...new Set(scopes)],
    ...(events === undefined ? {} : { events }),
    createdAt: now,
    createdBy: caller.name ?? caller.id,
    ...(until === undefined ? {} : { expiresAt: until }),
  };
  await api.apiKeys.save(key);
  const details = { name, scopes: key.scopes, ...(events === undefined ? {} : { events }) };
  await recordChange(api, caller, { action: 'key.created', target: `key/${id}`, details });
  return { ...viewKey(key), token };
}

export async function listKeys(api: Pick<ApiPorts, 'apiKeys'>) {
  return { data: (await api.apiKeys.list()).map(viewKey) };
}

/** Its subscriptions stay: an operator can remove them. */
export async function removeKey(api: KeyPorts, caller: Caller, id: string): Promise<void> {
  const key = await api.apiKeys.get(id);
  if (key === undefined || !(await api.apiKeys.remove(id))) throw notFound(`key '${id}'`);
  await recordChange(api, caller, { action: 'key.removed', target: `key/${id}`, details: { name: key.name } });
}

function viewKey({ hash: _, events, lastUsedAt, expiresAt, ...key }: ApiKey) {
  return { ...key, events: events ?? null, lastUsedAt: lastUsedAt ?? null, expiresAt: expiresAt ?? null };
}
