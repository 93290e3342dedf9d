/** Retries the deliveries of a subscription that failed, were held or wait, page by page. */

import * as z from 'zod';
import { type RetryAllOptions, type RetryResult, retryAll } from '../../core/delivery/retry.ts';
import { plus } from '../../core/model/time.ts';
import { auditedChange } from '../../core/ports/audit-store.ts';
import { assertDeliveriesWithin } from './deliveries-within.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { maxDeliveries, takeQuota } from './http/quotas.ts';
import { parsePeriodStart } from './http/read-request.ts';
import { nameSchema, sinceSchema } from './http/schemas.ts';
import { runWithinBudget } from './http/work-budget.ts';
import { findChangeable } from './subscriptions/subscriptions.ts';

export interface RetryRequest extends Pick<RetryAllOptions, 'subscription' | 'position' | 'dryRun'> {
  /** @default failed */
  readonly status?: RetryAllOptions['status'];
  readonly since?: string;
}

/** One call counts about this many. */
const MAX_COUNTED = 10_000;

/** One call retries about this many. In AWS it has to end before API Gateway does: each takes 4 ms of the function. */
const MAX_RETRIED = { embedded: 10_000, aws: 2_000 } as const;

/** Retries deliveries of one subscription, oldest first, spread over time. Returns their number, and where the next call continues. */
export async function retryDeliveries(api: ApiPorts, caller: Caller, request: RetryRequest) {
  const { subscription, status = 'failed', since, position, dryRun = false } = request;
  await findChangeable(api, caller, subscription);
  await assertDeliveriesWithin(api, caller, subscription, [status]);
  const now = api.clock.now();
  const given = since === undefined ? '' : (parsePeriodStart(since, now) ?? now);
  // Older ones are deleted within the hour. One that is retried again and again would keep its event.
  const kept = plus(now, -api.config.retention);
  const from = given > kept ? given : kept;
  const asked = { subscription, status, position, since: from };
  const count = (limit?: number, maxRead?: number) =>
    runWithinBudget(api, caller, (pace) => retryAll(api, { ...asked, dryRun: true, limit, maxRead, pace }));
  if (dryRun) return { ...(await count(undefined, MAX_COUNTED)), dryRun };
  // Failed and held ones leave their list, those that have a time already stay in it.
  const most = MAX_RETRIED[api.mode];
  const maxRead = status === 'pending' || status === 'waiting' ? most : undefined;
  const limit = Math.min(most, maxDeliveries(api, caller));
  // Nothing to retry is no change, and has no entry in the audit trail.
  const some = await count(caller.kind === 'key' ? limit : 1, maxRead);
  if (some.count === 0) return { ...some, dryRun };
  await takeQuota(api, caller, 'deliveries', some.count);
  await api.beginLong?.();
  const entry = { action: 'deliveries.retried', target: `subscription/${subscription}` };
  const retry = () => retryAll(api, { ...asked, limit, maxRead, mayGoOn: api.mayGoOn });
  const retried = await auditedChange(api, caller, entry, retry, {
    detailsOf: ({ count }: RetryResult) => ({ count, status }),
  });
  return { ...retried, dryRun };
}

export const retrySchema = z
  .strictObject({
    subscription: nameSchema,
    status: z.enum(['failed', 'pending', 'held', 'waiting']).optional().describe('Default: failed.'),
    since: sinceSchema.optional().describe('Only deliveries since then. Default: all.'),
    position: z
      .int()
      .min(0)
      .optional()
      .describe('The `next` of the call before, so that both are spread as one. Default: 0.'),
    dryRun: z.boolean().optional().describe('Only counts. Default: false.'),
  })
  .meta({ id: 'RetryInput' });

export const retriedSchema = z
  .strictObject({
    count: z.int().describe('Deliveries that are retried. One that is due earlier anyway is not counted.'),
    dryRun: z.boolean(),
    next: z.int().nullable().describe('The `position` of the next call; null if nothing is left.'),
  })
  .meta({ id: 'Retried' });
