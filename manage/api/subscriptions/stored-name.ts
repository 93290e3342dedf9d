/**
 * The names of subscriptions by keys that see only their own. Each such key has names of its own, so that a name that another
 * uses is neither taken nor stored to it.
 */

import { createHash } from 'node:crypto';
import { isConfigSection } from '../../../runtime/config/values.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, canSee, seesAll } from '../http/caller.ts';
import type { Call, Route } from '../http/route.ts';

const MAX_NAME_LENGTH = 64;
const SUFFIX_LENGTH = 8;

/** The name under which the caller's subscription is stored, or would be. Callers that see all use the name as it is. */
export async function storedNameOf(
  { subscriptions }: Pick<ApiPorts, 'subscriptions'>,
  caller: Caller,
  name: string,
): Promise<string> {
  if (seesAll(caller)) return name;
  const stored = await subscriptions.get(name);
  return stored !== undefined && canSee(caller, stored) ? name : ownName(caller, name);
}

/** The names in a request as they are stored. */
export async function resolveNames<C extends Pick<Call, 'caller' | 'params' | 'body'>>(
  api: Pick<ApiPorts, 'subscriptions'>,
  { path }: Pick<Route, 'path'>,
  call: C,
): Promise<C> {
  const { caller, params, body } = call;
  if (path.startsWith('/subscriptions/{name}')) {
    const given = params.name ?? '';
    const name = await storedNameOf(api, caller, given);
    const isNamed = isConfigSection(body) && body.name === given;
    return { ...call, params: { ...params, name }, body: isNamed ? { ...body, name } : body };
  }
  if (path === '/deliveries/retry' && isConfigSection(body)) {
    return { ...call, body: { ...body, subscription: await storedNameOf(api, caller, String(body.subscription)) } };
  }
  return call;
}

/** The name with a suffix that depends on the key. */
function ownName({ kind, id }: Pick<Caller, 'kind' | 'id'>, name: string): string {
  const suffix = createHash('sha256').update(`${kind} ${id} ${name}`).digest('hex').slice(0, SUFFIX_LENGTH);
  return `${name.slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH - 1)}-${suffix}`;
}
