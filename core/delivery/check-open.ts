/** Lets the deliveries of open subscriptions pass, and holds the others. */

import type { Delivery } from '../model/delivery.ts';
import { hold, type PausePorts } from './hold.ts';
import { isOpen } from './receivers/health.ts';
import type { Health } from './receivers/health-state.ts';
import { changeHealth, readHealth } from './receivers/subscription-state.ts';
import type { Held, Stale } from './unattempted.ts';

/**
 * Returns the health of the subscription if the delivery may be attempted; otherwise holds the delivery. While a
 * subscription is disabled, one delivery probes it from time to time: without an open probe, the next delivery becomes it.
 */
export async function checkOpen(ports: PausePorts, delivery: Delivery): Promise<Health | Held | Stale> {
  const { id, subscription, mark } = delivery;
  const health = await readHealth(ports, subscription);
  if (mark === 'test' || isOpen(health) || health.probe === id) return health;
  const after = health.state === 'disabled' && !health.gone ? await becomeProbe(ports, delivery, health) : health;
  return after.probe === id || isOpen(after) ? after : hold(ports, delivery);
}

async function becomeProbe(ports: PausePorts, { id, subscription }: Delivery, health: Health): Promise<Health> {
  const probe = health.probe === null ? undefined : await ports.deliveries.get(health.probe);
  if (typeof probe?.dueAt === 'string') return health;
  return changeHealth(ports, subscription, 'delivery', (before) =>
    before.state === 'disabled' && before.probe === health.probe ? { ...before, probe: id } : before,
  );
}
