/** Adds a change that a member of the workspace made to the audit trail. */

import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../core/model/audit.ts';
import type { SlackPorts } from './slack-ports.ts';

export interface SlackMember {
  readonly id: string;
  readonly name: string;
}

/** @param request what was processed: an entry has the same id however often it is processed */
export async function recordSlackChange(
  { audit, clock }: Pick<SlackPorts, 'audit' | 'clock'>,
  { id, name }: SlackMember,
  request: string,
  change: Pick<AuditEntry, 'action' | 'target' | 'details'>,
): Promise<void> {
  const key = createHash('sha256').update(`${request} ${change.action} ${change.target}`).digest('hex').slice(0, 24);
  await audit.append({
    id: `aud_${key}`,
    at: clock.now(),
    by: { kind: 'slack', id, ...(name === '' ? {} : { name }) },
    ...change,
  });
}
