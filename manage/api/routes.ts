/** All routes of the management API: what each needs, takes and returns. */

import { deliveryRoutes } from './delivery-routes.ts';
import type { Route } from './http/route.ts';
import { readRoutes } from './read-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { subscriptionRoutes } from './subscriptions/subscription-routes.ts';

export const routes: readonly Route[] = [...readRoutes, ...subscriptionRoutes, ...deliveryRoutes, ...settingsRoutes];
