/** The person at the command line, as the author of changes. */

import { randomBytes } from 'node:crypto';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { type AuditedAction, type AuditStore, recordChange } from '../core/ports/audit-store.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import type { Context } from './context.ts';

/** The person at the command line, who may do everything. */
export function operatorOf({ environment: { USER, USERNAME } }: Pick<Context, 'environment'>): Caller {
  return { kind: 'command', id: USER || USERNAME || 'operator', scopes: ['admin'] };
}

export function recordCommand(
  { audit }: { readonly audit: AuditStore },
  context: Pick<Context, 'environment' | 'clock'>,
  change: AuditedAction,
): Promise<void> {
  return recordChange({ audit, clock: context.clock, randomBytes }, operatorOf(context), change);
}

/** The stores with everything that verbs take. */
export function verbPorts<Stores extends object>(stores: Stores, { clock }: Pick<Context, 'clock'>) {
  return { ...stores, channels: channelRegistry, clock, randomBytes };
}
