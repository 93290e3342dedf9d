/**
 * Finds out why a complete sweep did not show some records. Only the API's own 404 proves a deletion, and a brake
 * prevents a wrong role or filter from looking like a mass deletion.
 */

import { GiveUp } from '../model/errors.ts';
import { MAX_MISSING_IDS, type ScanState } from '../model/scan.ts';
import { between, HOUR } from '../model/time.ts';
import type { ManifestKey } from '../ports/manifest-store.ts';
import { commitDeleted, commitRows } from './commit-rows.ts';
import type { ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';

export interface MissingOutcome {
  readonly deleted: number;
  /** The deletions held back by the brake; null when there are none. */
  readonly held: ScanState['held'];
}

/** The brake holds when more records than both of these disappear at once: that is more likely a fault. */
const BRAKE_SHARE = 0.05;
const BRAKE_COUNT = 10;

/** After this long the brake is released, if a sample of the records is really deleted. */
const BRAKE_RELEASE = HOUR;
const SAMPLE_SIZE = 10;

/** Records requested per scan, one request each. The rest stays dirty and is requested by the next sweep. */
const MAX_REQUESTS = 50;

export interface Missing {
  readonly ids: readonly string[];
  /** How many others are missing. */
  readonly more: number;
}

export async function settleMissing(ports: ScanPorts, context: ScanContext, missing: Missing): Promise<MissingOutcome> {
  const ids = missing.ids.slice(0, MAX_MISSING_IDS);
  if (ids.length === 0) return { deleted: 0, held: null };
  const snapshots = await ports.snapshots.getMany(context.source, context.resource.name, ids);
  const candidates = [...snapshots.values()].filter(({ deletedAt }) => deletedAt === null);
  const unread = missing.ids.length - ids.length + missing.more;
  const { held, maxRequests } = applyBrake(candidates.length + unread, context);
  let deleted = 0;
  for (const snapshot of candidates.slice(0, maxRequests)) {
    const requestedAt = ports.clock.now();
    const row = await fetchRecord(ports, context, snapshot.key.id);
    await context.assertLeaseHeld();
    const now = ports.clock.now();
    if (row === 'unknown') continue;
    if (row === 'deleted') {
      if (!(await commitDeleted(ports, context, snapshot, now))) continue;
      deleted += 1;
      await clearDirty(ports, context, snapshot.key.id);
      continue;
    }
    // The record exists: the list changed during the scan, or does not show everything. The next sweep clarifies.
    await commitRows(ports, context, [row], { requestedAt, now });
    if (held !== null) break;
  }
  // Ids that are already deleted, or never existed, are not expected again.
  for (const id of ids) {
    const snapshot = snapshots.get(id);
    if (snapshot === undefined || snapshot.deletedAt !== null) await clearDirty(ports, context, id);
  }
  return { deleted, held: held !== null && deleted >= Math.min(SAMPLE_SIZE, candidates.length) ? null : held };
}

/** Whether the brake holds, and how many records to request. Held deletions are sampled after a while. */
function applyBrake(
  missing: number,
  { state, startedAt }: ScanContext,
): { held: ScanState['held']; maxRequests: number } {
  const isMass = missing > BRAKE_COUNT && missing > (state.count ?? 0) * BRAKE_SHARE;
  if (!isMass) return { held: null, maxRequests: MAX_REQUESTS };
  if (state.held === null) return { held: { count: missing, since: startedAt }, maxRequests: 0 };
  const held = { count: missing, since: state.held.since };
  return { held, maxRequests: between(held.since, startedAt) >= BRAKE_RELEASE ? MAX_REQUESTS : 0 };
}

/** The record, or why there is none: `unknown` when the token may not read it. */
export async function fetchRecord({ api }: ScanPorts, { resource, signal }: ScanContext, id: string) {
  try {
    return (await api.get(resource.name, id, signal)) ?? 'deleted';
  } catch (error) {
    // Forbidden does not prove absence.
    if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN') return 'unknown';
    throw error;
  }
}

async function clearDirty({ manifests }: ScanPorts, { source, resource }: ScanContext, id: string): Promise<void> {
  const key: ManifestKey = { source, resource: resource.name, scope: 'all' };
  await manifests.clearDirty(key, [id]);
}
