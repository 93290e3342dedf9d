/** Adds an entry to the audit trail. */

import type { AuditEntry } from '../../core/model/audit.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';

type AuditPorts = Pick<ApiPorts, 'audit' | 'clock' | 'randomBytes'>;

/** Call it after the change: an entry says what happened. */
export async function recordChange(
  ports: AuditPorts,
  caller: Caller,
  change: Pick<AuditEntry, 'action' | 'target' | 'details'>,
): Promise<void> {
  await ports.audit.append(auditEntry(ports, caller, change));
}

export function auditEntry(
  { clock, randomBytes }: Pick<AuditPorts, 'clock' | 'randomBytes'>,
  { kind, id, name }: Caller,
  change: Pick<AuditEntry, 'action' | 'target' | 'details'>,
): AuditEntry {
  return {
    id: `aud_${Buffer.from(randomBytes(12)).toString('hex')}`,
    at: clock.now(),
    by: { kind, id, ...(name === undefined ? {} : { name }) },
    ...change,
  };
}
