/** Unsubscribes a reader of mails, and subscribes them again, with an audit entry. Who may do so is decided by the caller. */

import { changeHealth, type HealthPorts, readHealth } from '../delivery/receivers/subscription-state.ts';
import { isMuted, mute, type Reader } from '../delivery/signing/unsubscribe.ts';
import { type AuditPorts, auditedChange, type ChangeAuthor } from '../ports/audit-store.ts';

/**
 * Returns false if it was so already, which is no change and has no entry.
 * @param ports without `audit`: a function in AWS without the management API may not write the trail
 */
export async function setReaderWanted(
  ports: HealthPorts & Partial<Pick<AuditPorts, 'audit' | 'randomBytes'>>,
  author: ChangeAuthor,
  { subscription, address }: Reader,
  wanted: boolean,
): Promise<boolean> {
  const { muted } = await readHealth(ports, subscription);
  if (isMuted(muted, address) !== wanted) return false;
  const change = () => changeHealth(ports, subscription, 'person', (before) => mute(before, address, wanted));
  const { audit, randomBytes, clock } = ports;
  if (audit === undefined || randomBytes === undefined) {
    await change();
    return true;
  }
  const action = wanted ? 'reader.resubscribed' : 'reader.unsubscribed';
  const entry = { action, target: `subscription/${subscription}`, details: { address } };
  await auditedChange({ audit, randomBytes, clock }, author, entry, change);
  return true;
}
