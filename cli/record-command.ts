/** Adds a change that a person made at the command line to the audit trail, with the name of their account. */

import { randomBytes } from 'node:crypto';
import type { AuditStore } from '../core/ports/audit-store.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { recordChange } from '../manage/api/record-change.ts';
import type { Context } from './context.ts';

/** The person at the command line, who may do everything. */
export function operatorOf({ environment: { USER, USERNAME } }: Pick<Context, 'environment'>): Caller {
  return { kind: 'command', id: USER || USERNAME || 'operator', scopes: ['admin'] };
}

export function recordCommand(
  { audit }: { readonly audit: AuditStore },
  context: Pick<Context, 'environment' | 'clock'>,
  change: Parameters<typeof recordChange>[2],
): Promise<void> {
  return recordChange({ audit, clock: context.clock, randomBytes }, operatorOf(context), change);
}
