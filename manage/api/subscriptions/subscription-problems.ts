/** The errors of changes to subscriptions. */

import { Problem } from '../http/problem.ts';

export function changedMeanwhile(name: string): Problem {
  return new Problem(412, 'TIDINGS_API_CHANGED', {
    detail: `subscription '${name}' is not as If-Match expects: read it again and repeat the change`,
  });
}

export function nameTaken(name: string): Problem {
  const detail = `expected a name that is not taken, got '${name}'`;
  return new Problem(409, 'TIDINGS_API_NAME_TAKEN', { detail, errors: [{ pointer: '/name', detail }] });
}

export function declaredProblem(name: string): Problem {
  return new Problem(409, 'TIDINGS_SUBSCRIPTION_DECLARED', {
    detail: `subscription '${name}' is declared in the config and is read-only here: change it there`,
  });
}
