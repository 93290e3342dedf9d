/**
 * Finds out what became of records that a complete sweep did not show. Only the API's own 404 makes one deleted,
 * and a brake keeps a role or a filter gone wrong from looking like the end of the account.
 */

import { GiveUp } from '../model/errors.ts';
import type { ScanState } from '../model/scan.ts';
import { MAX_MISSING_IDS } from '../model/scan.ts';
import { between, HOUR } from '../model/time.ts';
import type { ManifestKey } from '../ports/manifest-store.ts';
import { commitGone, commitRows, type ScanContext } from './commit-rows.ts';
import type { ScanPorts } from './scan-list.ts';

export interface MissingOutcome {
  readonly deleted: number;
  /** What the brake holds back; null when it does not. */
  readonly held: ScanState['held'];
}

/** More than this share, and more than this many, and it is taken for a fault until it has lasted. */
const BRAKE_SHARE = 0.05;
const BRAKE_COUNT = 10;

/** A disappearance that lasts this long, and whose sample is truly gone, was meant. */
const BRAKE_RELEASE = HOUR;
const SAMPLE = 10;

/** Members asked for in one scan at the most: each is a request. The rest stays doubtful, and is asked for next time. */
const ASKED_AT_ONCE = 50;

export interface MissingOptions {
  readonly look: ScanContext;
  readonly state: ScanState;
  /** Called before anything is written: throws when another poller took over. */
  readonly assertLeaseHeld: () => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface Missing {
  readonly ids: readonly string[];
  /** How many there are besides. */
  readonly more: number;
}

export async function settleMissing(
  ports: ScanPorts,
  { state, assertLeaseHeld: mayGoOn, signal, ...order }: MissingOptions,
  missing: Missing,
): Promise<MissingOutcome> {
  const ids = missing.ids.slice(0, MAX_MISSING_IDS);
  if (ids.length === 0) return { deleted: 0, held: null };
  const { source, resource } = order.look;
  const snapshots = await ports.snapshots.getMany(source, resource.name, ids);
  const candidates = [...snapshots.values()].filter(({ deletedAt }) => deletedAt === null);
  const unread = missing.ids.length - ids.length + missing.more;
  const { held, ask } = brake(candidates.length + unread, state, order.look);
  let deleted = 0;
  for (const snapshot of candidates.slice(0, ask)) {
    const askedAt = ports.clock.now();
    const row = await memberOf(ports, order.look, snapshot.key.id, signal);
    await mayGoOn();
    const look = { ...order.look, askedAt, now: ports.clock.now() };
    if (row === 'unknown') continue;
    if (row === 'gone') {
      if (!(await commitGone(ports, look, snapshot))) continue;
      deleted += 1;
      await settle(ports, look, snapshot.key.id);
      continue;
    }
    // It is there: the list moved under us, or does not show everything. The next sweep will say which.
    await commitRows(ports, look, [row]);
    if (held !== null) break;
  }
  // What is gone already, or was never there, need not be expected any longer.
  for (const id of ids) {
    const snapshot = snapshots.get(id);
    if (snapshot === undefined || snapshot.deletedAt !== null) await settle(ports, order.look, id);
  }
  return { deleted, held: held !== null && deleted >= Math.min(SAMPLE, candidates.length) ? null : held };
}

/** How many members to ask for, and whether the brake is on. A held disappearance is tried with a sample after a while. */
function brake(missing: number, state: ScanState, look: ScanContext): { held: ScanState['held']; ask: number } {
  const total = state.count ?? 0;
  const mass = missing > BRAKE_COUNT && missing > total * BRAKE_SHARE;
  if (!mass) return { held: null, ask: ASKED_AT_ONCE };
  if (state.held === null) return { held: { count: missing, since: look.before }, ask: 0 };
  const held = { count: missing, since: state.held.since };
  return { held, ask: between(held.since, look.before) >= BRAKE_RELEASE ? ASKED_AT_ONCE : 0 };
}

async function memberOf({ api }: ScanPorts, { resource }: ScanContext, id: string, signal: AbortSignal | undefined) {
  try {
    return (await api.get(resource.name, id, signal)) ?? 'gone';
  } catch (error) {
    // Not allowed to know is not absence.
    if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN') return 'unknown';
    throw error;
  }
}

async function settle({ manifests }: ScanPorts, { source, resource }: ScanContext, id: string): Promise<void> {
  const key: ManifestKey = { source, resource: resource.name, scope: 'all' };
  await manifests.clearDirty(key, [id]);
}
