/** Decides whether a caller may use a route, from the scopes in the table of routes. Which items it sees is decided later. */

import { hasScope } from '../../../core/model/api-key.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

function isAllowed({ scopes }: Pick<Route, 'scopes'>, caller: Pick<Caller, 'scopes'>): boolean {
  return scopes.some((scope) => hasScope(caller.scopes, scope));
}

/** Throws 403 that names the scopes. */
export function assertAllowed(route: Pick<Route, 'scopes'>, caller: Caller): void {
  if (isAllowed(route, caller)) return;
  const has = caller.scopes.length === 0 ? 'none' : caller.scopes.join(', ');
  throw new Problem(403, 'TIDINGS_API_SCOPE', {
    detail: `expected a key with the scope ${route.scopes.join(' or ')}, got one with ${has}`,
  });
}
