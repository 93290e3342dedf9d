/** All routes of the management API: what each needs, takes and returns. */

import { auditRoutes } from './audit.ts';
import { deliveryRoutes } from './deliveries.ts';
import { eventTypeRoutes } from './event-types.ts';
import { eventRoutes } from './events.ts';
import { filterFieldRoutes } from './filter-fields.ts';
import { filterRoutes } from './filters.ts';
import { forecastRoutes } from './forecast.ts';
import type { Route } from './http/route.ts';
import { keyRoutes } from './keys.ts';
import { meRoutes } from './me.ts';
import { recordRoutes } from './records.ts';
import { sourceSettingsRoutes } from './source-routes.ts';
import { sourceRoutes } from './sources.ts';
import { subscriptionRoutes } from './subscriptions/subscription-routes.ts';

export const routes: readonly Route[] = [
  ...eventTypeRoutes,
  ...eventRoutes,
  ...forecastRoutes,
  ...recordRoutes,
  ...filterRoutes,
  ...filterFieldRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  ...sourceRoutes,
  ...sourceSettingsRoutes,
  ...keyRoutes,
  ...meRoutes,
  ...auditRoutes,
];
