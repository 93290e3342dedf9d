/** Finds out who calls: by the key in the header `Authorization`, in constant time. */

import { type ApiKey, effectiveScopes, isTokenOf, keyIdOf, LAST_USED_STEP } from '../../../core/model/api-key.ts';
import { between } from '../../../core/model/time.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';

/** Compared with if there is no such key, so that the time does not tell whether there is one. */
const NO_KEY: Pick<ApiKey, 'hash'> = { hash: '0'.repeat(64) };

type KeyPorts = Pick<ApiPorts, 'apiKeys' | 'clock'>;

/** Throws 401 without a valid key. @param authorization the header */
export async function authenticate(ports: KeyPorts, authorization: string | undefined): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const id = keyIdOf(token);
  if (id === undefined) throw unauthorized('expected the header Authorization: Bearer tdk_…');
  const key = await findKey(ports, id, token);
  const { name, events, quotas, lastUsedAt } = key;
  const now = ports.clock.now();
  if (lastUsedAt === undefined || Math.abs(between(lastUsedAt, now)) >= LAST_USED_STEP)
    await ports.apiKeys.markUsed(id, now);
  const assertValid = async () => {
    await findKey(ports, id, token);
  };
  return { kind: 'key', id, name, scopes: effectiveScopes(key), events, quotas, assertValid };
}

async function findKey({ apiKeys, clock }: KeyPorts, id: string, token: string): Promise<ApiKey> {
  const key = await apiKeys.get(id);
  const isValid = isTokenOf(key ?? NO_KEY, token);
  if (key === undefined || !isValid) throw unauthorized('this key does not exist, or was removed');
  if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) throw unauthorized('this key has expired');
  return key;
}

function unauthorized(detail: string): Problem {
  return new Problem(401, 'TIDINGS_API_UNAUTHORIZED', { detail, headers: { 'www-authenticate': 'Bearer' } });
}
