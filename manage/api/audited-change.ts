/**
 * Makes a change together with its entry in the audit trail. The entry is written first, so that no change lacks one, whenever
 * the process ends; one that ended in between leaves the outcome `started`.
 */

import type { AuditEntry } from '../../core/model/audit.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { Problem } from './http/problem.ts';
import { auditEntry } from './record-change.ts';

type Change = Pick<AuditEntry, 'action' | 'target' | 'details'>;

/** @param detailsOf further facts that only the result has. @default - those of the change */
export async function auditedChange<T>(
  ports: Pick<ApiPorts, 'audit' | 'clock' | 'randomBytes'>,
  caller: Caller,
  change: Change,
  make: () => Promise<T>,
  detailsOf?: (result: T) => AuditEntry['details'],
): Promise<T> {
  const { audit } = ports;
  const entry = auditEntry(ports, caller, change);
  await audit.append({ ...entry, outcome: 'started' });
  let result: T;
  try {
    result = await make();
  } catch (error) {
    // A problem is found before anything is changed. After any other error this is not known.
    if (error instanceof Problem) await audit.append({ ...entry, outcome: 'refused' });
    throw error;
  }
  const details = detailsOf?.(result) ?? change.details;
  try {
    await audit.append({ ...entry, ...(details === undefined ? {} : { details }) });
  } catch {
    // The change was made and has its entry. The response may show a secret once, so it must not be lost.
  }
  return result;
}
