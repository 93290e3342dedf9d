/** Opens the management API with the options of the config. */

import type { Hono } from 'hono';
import type { Rate } from '../core/model/subscription.ts';
import { type Duration, SECOND } from '../core/model/time.ts';
import type { BucketSize } from '../core/model/token-bucket.ts';
import { type ApiAppOptions, apiApp } from './api/api-app.ts';

/** Undefined if the config turns it off. */
export function openApi(options: Omit<ApiAppOptions, 'rate' | 'cors'>): Hono | undefined {
  const { api: section } = options.api.config.manage ?? {};
  if (section === 'off' || (section === undefined && options.api.home === 'aws')) return undefined;
  const { rate, cors } = section ?? {};
  return apiApp({
    ...options,
    ...(rate === undefined ? {} : { rate: bucketOf(rate) }),
    ...(cors === undefined ? {} : { cors }),
  });
}

const MAX_BURST = 100;

/** A second's worth at least, so that a page that loads several lists is not refused. */
function bucketOf({ count, per }: Rate): BucketSize {
  const interval: Duration = per / count;
  return { interval, burst: Math.min(MAX_BURST, Math.max(1, count, Math.ceil(SECOND / interval))) };
}
