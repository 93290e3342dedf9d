/**
 * The names of subscriptions by keys that see only their own. Each such key has names of its own, so that a name that another
 * uses is neither taken nor stored to it.
 */

import { createHash, createHmac } from 'node:crypto';
import { isConfigSection } from '../../../runtime/config/values.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, canSee, isOwn, seesAll } from '../http/caller.ts';
import type { Call, Route } from '../http/route.ts';

const MAX_NAME_LENGTH = 64;
const SUFFIX_LENGTH = 8;

type NamePorts = Pick<ApiPorts, 'subscriptions' | 'secrets'>;

/** The name under which the caller's subscription is stored, or would be. Callers that see all use the name as it is. */
export async function storedNameOf(ports: NamePorts, caller: Caller, name: string): Promise<string> {
  if (seesAll(caller)) return name;
  const { subscriptions } = ports;
  const stored = await subscriptions.get(name);
  const isVisible = stored !== undefined && canSee(caller, stored);
  if (isVisible && isOwn(caller, stored)) return name;
  // First its own: the program that declares it would change that of another key, which could be made for this.
  for (let turn = 1; ; turn += 1) {
    const own = await ownName(ports, caller, name, turn);
    const taken = await subscriptions.get(own);
    if (taken === undefined) return (await findFormer(ports, caller, name)) ?? (isVisible ? name : own);
    if (isOwn(caller, taken)) return own;
    // Another may have seen the name, and taken it when it was free.
    if (turn === MAX_TURNS) return isVisible ? name : own;
  }
}

const MAX_TURNS = 10;

/** The caller's subscription whose suffix an earlier version made, or a master secret that was replaced. */
async function findFormer({ subscriptions }: NamePorts, caller: Caller, name: string): Promise<string | undefined> {
  const known = withSuffix(name, createHash('sha256').update(`${caller.kind} ${caller.id} ${name}`).digest('hex'));
  // Of a name that was shortened the rest may belong to another one.
  const hasSuffix = (stored: string) =>
    stored.length === name.length + 1 + SUFFIX_LENGTH && stored.startsWith(`${name}-`) && SUFFIX.test(stored);
  const found = (await subscriptions.listNamed(withSuffix(name, ''))).filter((one) => isOwn(caller, one));
  return found.find((one) => one.name === known)?.name ?? found.find((one) => hasSuffix(one.name))?.name;
}

const SUFFIX = /-[0-9a-f]{8}$/;

/** The names in a request as they are stored. */
export async function resolveNames<C extends Pick<Call, 'caller' | 'params' | 'body'>>(
  api: NamePorts,
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

/** The name with a suffix that only this API can make: another key could take a name that it knows in advance. */
async function ownName(
  { secrets }: NamePorts,
  { kind, id }: Pick<Caller, 'kind' | 'id'>,
  name: string,
  turn: number,
): Promise<string> {
  const secret = await secrets.resolve(await secrets.derive('subscription-names', turn));
  return withSuffix(name, createHmac('sha256', secret).update(`${kind} ${id} ${name}`).digest('hex'));
}

const withSuffix = (name: string, hex: string) =>
  `${name.slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH - 1)}-${hex.slice(0, SUFFIX_LENGTH)}`;
