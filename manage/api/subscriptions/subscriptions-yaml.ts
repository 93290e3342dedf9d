/**
 * Writes subscriptions as the `subscriptions` section of a `tidings.yaml`, without secrets: a secret that is no reference to
 * the operator's environment becomes a variable. Used by the console and the command line.
 */

import { stringify } from 'yaml';
import { isExpired, type Subscription } from '../../../core/model/subscription.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, canSee } from '../http/caller.ts';
import { toConfigForm } from './subscription-view.ts';
import { findSubscriptionFor } from './subscriptions.ts';

/** All subscriptions that the caller may see, or one of them. */
export async function exportSubscriptions(api: ApiPorts, caller: Caller, name?: string): Promise<string> {
  if (name !== undefined) return subscriptionsToYaml([await findSubscriptionFor(api, caller, name)]);
  const now = api.clock.now();
  const all = await api.subscriptions.list();
  return subscriptionsToYaml(all.filter((one) => canSee(caller, one) && !isExpired(one, now)));
}

/** Comments name the variables to set, and who made each subscription. */
export function subscriptionsToYaml(subscriptions: readonly Subscription[]): string {
  const variables: string[] = [];
  if (subscriptions.length === 0) return 'subscriptions: []\n';
  const items = subscriptions.flatMap((subscription) => {
    const nameVariable = createVariableNames(subscription.name, variables);
    const form = toConfigForm(subscription, (text) => (isReference(text) ? text : nameVariable()));
    const lines = stringify([form], { lineWidth: 0 }).trimEnd().split('\n');
    return [...describeMaker(subscription), ...lines].map((line) => `  ${line}\n`);
  });
  const comment =
    variables.length === 0
      ? ''
      : [
          '# Secrets are not exported. Set these variables before you use this file:',
          ...variables.map((variable) => `#   ${variable}`),
          '',
        ].join('\n');
  return [comment, 'subscriptions:\n', ...items].join('');
}

function describeMaker({ madeBy, owner, createdAt }: Subscription): readonly string[] {
  const since = createdAt === undefined ? '' : ` since ${createdAt.slice(0, 10)}`;
  if (madeBy !== undefined) {
    const allowed = madeBy.allowedBy === undefined ? '' : `, allowed by ${madeBy.allowedBy}`;
    const query = madeBy.query === undefined ? '' : `: ${oneLine(madeBy.query)}`;
    return [`# made in Slack by ${oneLine(madeBy.name)} (${madeBy.id})${allowed}${since}${query}`];
  }
  return owner === undefined ? [] : [`# made through the API by key ${owner}${since}`];
}

/** A line break in a name would end the comment. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** The name of a secret that a config may contain. Values, and the references of the API, are not shown. */
function isReference(text: string): boolean {
  return /^\$\{[^}]+\}$/.test(text) || /^(file|ssm|secret|kept):/.test(text);
}

/** `${OPS_SECRET}`, `${OPS_SECRET_2}` for the secrets of the subscription `ops`. */
function createVariableNames(subscription: string, taken: string[]): () => string {
  const words = subscription.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  const base = `${/^\d/.test(words) ? 'S' : ''}${words}_SECRET`;
  return () => {
    let variable = base;
    for (let number = 2; taken.includes(variable); number += 1) variable = `${base}_${number}`;
    taken.push(variable);
    return `\${${variable}}`;
  };
}
