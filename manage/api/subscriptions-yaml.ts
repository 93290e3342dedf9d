/**
 * Writes subscriptions as the `subscriptions` section of a `tidings.yaml`, without secrets: a secret that is no reference to
 * the operator's environment becomes a variable. Used by the console and the command line.
 */

import { stringify } from 'yaml';
import { isExpired, type Subscription } from '../../core/model/subscription.ts';
import type { ApiPorts } from './api-ports.ts';
import { type Caller, canSee } from './caller.ts';
import { toConfigForm } from './subscription-view.ts';
import { findSubscriptionFor } from './subscriptions.ts';

/** All subscriptions that the caller may see, or one of them. */
export async function exportSubscriptions(api: ApiPorts, caller: Caller, name?: string): Promise<string> {
  if (name !== undefined) return subscriptionsToYaml([await findSubscriptionFor(api, caller, name)]);
  const now = api.clock.now();
  const all = await api.subscriptions.list();
  return subscriptionsToYaml(all.filter((one) => canSee(caller, one) && !isExpired(one, now)));
}

/** A comment names the variables to set, where there are any. */
export function subscriptionsToYaml(subscriptions: readonly Subscription[]): string {
  const variables: string[] = [];
  const forms = subscriptions.map((subscription) => {
    const nameVariable = createVariableNames(subscription.name, variables);
    return toConfigForm(subscription, (text) => (isReference(text) ? text : nameVariable()));
  });
  const comment =
    variables.length === 0
      ? ''
      : [
          '# Secrets are not exported. Set these variables before you use this file:',
          ...variables.map((variable) => `#   ${variable}`),
          '',
        ].join('\n');
  return `${comment}${stringify({ subscriptions: forms }, { lineWidth: 120, defaultStringType: 'PLAIN' })}`;
}

/** A name of a secret outside of this installation. Values, and what only this installation can read, are not shown. */
function isReference(text: string): boolean {
  return /^\$\{[^}]+\}$/.test(text) || /^(file|ssm|secret):/.test(text);
}

/** `${OPS_SECRET}`, `${OPS_SECRET_2}` for the secrets of the subscription `ops`. */
function createVariableNames(subscription: string, taken: string[]): () => string {
  const base = `${subscription.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_SECRET`;
  return () => {
    let variable = base;
    for (let number = 2; taken.includes(variable); number += 1) variable = `${base}_${number}`;
    taken.push(variable);
    return `\${${variable}}`;
  };
}
