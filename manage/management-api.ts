/** Opens the management API with the options of the config. The caller decides whether it is served. */

import type { Hono } from 'hono';
import { apiSection } from '../runtime/config/serves-api.ts';
import { type ApiAppOptions, apiApp } from './api/http/api-app.ts';

export function openManagementApi(options: Omit<ApiAppOptions, 'rate' | 'cors'>): Hono {
  return apiApp({ ...options, cors: apiSection(options.api.config)?.cors });
}
