/** Opens the management API with the options of the config. The caller decides whether it is served. */

import type { Hono } from 'hono';
import type { Rate } from '../core/model/subscription.ts';
import { type Duration, SECOND } from '../core/model/time.ts';
import type { BucketSize } from '../core/model/token-bucket.ts';
import { apiSection } from '../runtime/config/serves-api.ts';
import { type ApiAppOptions, apiApp } from './api/http/api-app.ts';

export function openManagementApi(options: Omit<ApiAppOptions, 'rate' | 'cors'>): Hono {
  const { rate, cors } = apiSection(options.api.config) ?? {};
  return apiApp({
    ...options,
    ...(rate === undefined ? {} : { rate: bucketOf(rate) }),
    cors,
  });
}

const MAX_BURST = 100;

/** A second's worth at least, so that a page that loads several lists is not refused. */
function bucketOf({ count, per }: Rate): BucketSize {
  const interval: Duration = per / count;
  return { interval, burst: Math.min(MAX_BURST, Math.max(1, count, Math.ceil(SECOND / interval))) };
}
