/** Adds a change to the audit trail. */

import type { AuditEntry } from '../../core/model/audit.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';

/** Call it after the change: an entry says what happened. */
export async function recordChange(
  { audit, clock, randomBytes }: Pick<ApiPorts, 'audit' | 'clock' | 'randomBytes'>,
  { kind, id, name }: Caller,
  change: Pick<AuditEntry, 'action' | 'target' | 'details'>,
): Promise<void> {
  await audit.append({
    id: `aud_${Buffer.from(randomBytes(12)).toString('hex')}`,
    at: clock.now(),
    by: { kind, id, ...(name === undefined ? {} : { name }) },
    ...change,
  });
}
