/** Checks a subscription as making or changing it would, without storing it or asking its receiver. */

import type { Subscription } from '../../../core/model/subscription.ts';
import type { EventFilter } from '../../../runtime/config/validate-subscription.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import type { Caller } from '../http/caller.ts';
import { workInSteps } from '../http/work-budget.ts';
import { mergePatch } from './merge-patch.ts';
import { inputOptions, readInput } from './read-input.ts';
import { readFilterInput } from './subscription-input.ts';

/**
 * The subscription that the request stands for. Throws a problem with a pointer for each wrong field.
 * @param stored the subscription that the request changes. @default - a new one
 */
export async function checkSubscription(
  api: ApiPorts,
  caller: Caller,
  name: string,
  body: Readonly<Record<string, unknown>>,
  stored?: Subscription,
): Promise<Subscription> {
  const whole = stored === undefined ? body : mergePatch(stored, body);
  return (await readInput(api, caller, name, whole, stored)).subscription;
}

/** The same of a request that has no receiver. */
export function checkFilter(
  api: ApiPorts,
  caller: Caller,
  body: Readonly<Record<string, unknown>>,
): Promise<EventFilter> {
  return workInSteps(api, caller, readFilterInput(body, inputOptions(api, caller, 'filter')));
}
