/** The audit entry of a subscription that Tidings itself has paused. The event about it is `subscription.disabled`. */

import { type AuditPorts, recordChange } from '../ports/audit-store.ts';

export async function recordPause(ports: AuditPorts, name: string, reason: string): Promise<void> {
  await recordChange(
    ports,
    { kind: 'service', id: 'tidings' },
    { action: 'subscription.paused', target: `subscription/${name}`, details: { because: reason } },
  );
}
