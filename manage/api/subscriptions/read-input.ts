/** Reads the subscription of a request as its caller may: with the event types and channels of its key. */

import type { Subscription } from '../../../core/model/subscription.ts';
import { isConfigSection } from '../../../runtime/config/values.ts';
import { visibleTypes } from '../event-types.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { type Caller, isWithin, seesAll } from '../http/caller.ts';
import { Problem } from '../http/problem.ts';
import { workInSteps } from '../http/work-budget.ts';
import { assertChannelScope } from './prepare-subscription.ts';
import { type InputOptions, readSubscriptionInput, type SubscriptionInput } from './subscription-input.ts';

/** @param known the subscription that is changed. @default - a new one */
export async function readInput(
  api: ApiPorts,
  caller: Caller,
  name: string,
  body: unknown,
  known?: Subscription,
): Promise<SubscriptionInput> {
  try {
    return await workInSteps(api, caller, readSubscriptionInput(body, inputOptions(api, caller, name, known)));
  } catch (error) {
    // What a channel needs of the config is nothing for a key that may not use it, and does not see all.
    const isInvalid = error instanceof Problem && error.code === 'TIDINGS_API_INVALID';
    const to = isConfigSection(body) && isConfigSection(body.to) ? body.to : {};
    if (isInvalid && !seesAll(caller)) for (const channel of Object.keys(to)) assertChannelScope(caller, channel);
    throw error;
  }
}

export function inputOptions(api: ApiPorts, caller: Caller, name: string, known?: Subscription): InputOptions {
  const { mode } = api;
  // A custom event type beyond the key does not exist for it: no message names or confirms it.
  const customEvents = api.config.customEvents.filter(({ type }) => isWithin(caller, type));
  const config = { ...api.config, customEvents };
  return { config, mode, name, types: visibleTypes(config, caller), stored: known?.to };
}
