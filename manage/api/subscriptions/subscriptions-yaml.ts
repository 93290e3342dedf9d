/**
 * Writes subscriptions as the `subscriptions` section of a `tidings.yaml`, without secrets: a secret that is no reference to
 * the operator's environment becomes a variable. Used by the console and the command line.
 */

import { stringify } from 'yaml';
import { clip } from '../../../core/messages/clip.ts';
import { referencesIn } from '../../../core/model/reference.ts';
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

/**
 * Comments name the variables to set, who made each subscription, and which are left out: a config would put the value of a variable of the
 * operator into a text with its name, and send it to the receiver.
 */
export function subscriptionsToYaml(subscriptions: readonly Subscription[]): string {
  const variables: string[] = [];
  if (subscriptions.length === 0) return 'subscriptions: []\n';
  let kept = 0;
  const items = subscriptions.flatMap((subscription) => {
    const [variable] = variablesIn(toConfigForm(subscription, () => ''));
    if (variable !== undefined) {
      const found = clip(`\${${variable}}`, MAX_SHOWN);
      return [`  # '${subscription.name}' is left out: in a config its text ${found} would stand for a variable\n`];
    }
    kept += 1;
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
  return [comment, kept === 0 ? 'subscriptions: []\n' : 'subscriptions:\n', ...items].join('');
}

const MAX_SHOWN = 60;

/** In the texts of a value. Each is nested no deeper than a request may be. */
function variablesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return referencesIn(value);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(variablesIn) : [];
}

function describeMaker({ madeBy, owner, ofOwnerOnly, createdAt }: Subscription): readonly string[] {
  const since = createdAt === undefined ? '' : ` since ${createdAt.slice(0, 10)}`;
  if (madeBy !== undefined) {
    const allowed = madeBy.allowedBy === undefined ? '' : `, allowed by ${madeBy.allowedBy}`;
    const query = madeBy.query === undefined ? '' : `: ${oneLine(madeBy.query)}`;
    return [`# made in Slack by ${oneLine(madeBy.name)} (${madeBy.id})${allowed}${since}${query}`];
  }
  if (owner === undefined) return [];
  const limit = ofOwnerOnly === true ? ['# it got subscription.* events about subscriptions of this key only'] : [];
  return [`# made through the API by key ${owner}${since}`, ...limit];
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
