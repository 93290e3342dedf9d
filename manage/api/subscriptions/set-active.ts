/** Pauses and resumes a subscription for a caller. A resume that takes long is a long request, and stops in time for its response. */

import { pauseSubscription, resumeSubscription } from '../../../core/subscriptions/verbs.ts';
import { assertDeliveriesWithin } from '../deliveries-within.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import type { Caller } from '../http/caller.ts';
import { unfinished } from '../http/open-requests.ts';
import { runWithinBudget } from '../http/work-budget.ts';

/**
 * Pauses it, or resumes it: what was held is sent then.
 * @param hasBegun whether the request has changed something already. @default false
 */
export async function setActive(
  api: ApiPorts,
  caller: Caller,
  name: string,
  active: boolean,
  hasBegun = false,
): Promise<void> {
  if (!active) {
    await pauseSubscription(api, caller, name);
    return;
  }
  await assertDeliveriesWithin(api, caller, name);
  if (api.beginLong !== undefined && (await waitsForMany(api, name))) await api.beginLong();
  let isStopped = false;
  const mayGoOn = () => {
    isStopped = api.mayGoOn?.() === false;
    return !isStopped;
  };
  // Thousands of deliveries may be held. A key may resume again and again: one at a time, and what it takes counts.
  const released = await runWithinBudget(
    api,
    caller,
    (pace) => resumeSubscription({ ...api, pace }, caller, name, mayGoOn),
    { mayWait: true, mayTakeLong: true, hasBegun },
  );
  if (isStopped) throw unfinished(`it is active, and ${released} held deliveries were released`);
}

/** Deliveries that a resume releases in about a second. */
const FEW_DELIVERIES = 200;

/** Whether a resume takes long. */
async function waitsForMany({ deliveries }: Pick<ApiPorts, 'deliveries'>, subscription: string): Promise<boolean> {
  const lists = (['held', 'pending'] as const).map((status) =>
    deliveries.listIds({ status, subscription, limit: FEW_DELIVERIES }),
  );
  return (await Promise.all(lists)).some(({ length }) => length === FEW_DELIVERIES);
}
