/**
 * The ids of the task statuses that count as closed, learned from tasks: a status that is renamed later stays closed.
 * The config names statuses, because people know their names and not their ids.
 */

import type { Fields } from '../../model/record.ts';
import type { ClosedStatusCandidates, ClosedStatusIds, ScanState } from '../../model/scan.ts';
import { between, DAY, type Duration, type Instant } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { StageRules } from '../../snapshot/stage.ts';

/** What is stored about closed statuses. */
export type ClosedStatusMemory = Pick<ScanState, 'closedStatusIds' | 'closedStatusCandidates'>;

export interface ClosedStatuses {
  /** The rules with the ids learned so far. */
  rules(): StageRules;
  /** Statuses of the baseline had their names before. One that is first seen with its name later is a candidate. */
  learn(tasks: readonly Fields[], at: Instant): void;
  /** After a sweep: a candidate that has kept its name for long enough is known by its id from now on. */
  confirm(at: Instant): void;
  memory(): ClosedStatusMemory;
}

/**
 * How long a status must keep the name of a closed one until it stays closed under any other name. Until then it is
 * closed by its name only: a status that has the name by mistake is open again as soon as the mistake is corrected.
 */
const KEEPS_NAME_FOR: Duration = DAY;

/** @param isBaseline the first sweep */
export function trackClosedStatuses(
  rules: StageRules,
  { closedStatusIds = {}, closedStatusCandidates = {} }: ClosedStatusMemory,
  isBaseline: boolean,
): ClosedStatuses {
  let ids: ClosedStatusIds = closedStatusIds;
  let candidates: ClosedStatusCandidates = closedStatusCandidates;
  let current = withClosedStatusIds(rules, ids);
  const add = (name: string, id: string) => {
    ids = { ...ids, [name]: [...(ids[name] ?? []), id] };
    current = withClosedStatusIds(rules, ids);
  };
  const drop = (id: string) => {
    const { [id]: _, ...rest } = candidates;
    candidates = rest;
  };
  return {
    rules: () => current,
    memory: () => ({
      closedStatusIds: ids,
      // Absent when there are none, as in states of earlier versions.
      closedStatusCandidates: Object.keys(candidates).length === 0 ? undefined : candidates,
    }),
    learn(tasks, at) {
      for (const { status, statusid } of tasks) {
        if (typeof status !== 'string' || typeof statusid !== 'string') continue;
        const candidate = candidates[statusid];
        if (candidate !== undefined && candidate.name !== status) drop(statusid);
        if (!rules.closedStatuses.includes(status) || ids[status]?.includes(statusid) === true) continue;
        if (isBaseline) add(status, statusid);
        else if (candidates[statusid] === undefined)
          candidates = { ...candidates, [statusid]: { name: status, since: at } };
      }
    },
    confirm(at) {
      for (const [id, { name, since }] of Object.entries(candidates)) {
        if (between(since, at) < KEEPS_NAME_FOR) continue;
        drop(id);
        add(name, id);
      }
    },
  };
}

export function withClosedStatusIds(rules: StageRules, statusIds: ClosedStatusIds = {}): StageRules {
  const closedStatusIds = rules.closedStatuses.flatMap((name) => statusIds[name] ?? []);
  return closedStatusIds.length === 0 ? rules : { ...rules, closedStatusIds };
}

/** The id of a closed status, to close a task with; undefined when no task with such a status was seen yet. */
export function findClosedStatusId(
  { closedStatusIds = {}, closedStatusCandidates = {} }: ClosedStatusMemory,
  names: readonly string[],
): string | undefined {
  const candidates = Object.entries(closedStatusCandidates).filter(([, { name }]) => names.includes(name));
  return [...names.flatMap((name) => closedStatusIds[name] ?? []), ...candidates.map(([id]) => id)][0];
}

/**
 * The state with an entry for each configured name and for no other: a status is forgotten with its name. After an upgrade, or
 * with a new name in the config, the ids are read from the snapshots, once.
 */
export async function completeClosedStatuses(
  snapshots: Pick<SnapshotStore, 'list'>,
  { closedStatuses }: StageRules,
  state: ScanState,
): Promise<ScanState> {
  if (state.resource !== 'task' || state.baselinedAt === null) return state;
  const isConfigured = (name: string) => closedStatuses.includes(name);
  const ids = Object.entries(state.closedStatusIds ?? {}).filter(([name]) => isConfigured(name));
  const candidates = Object.entries(state.closedStatusCandidates ?? {}).filter(([, { name }]) => isConfigured(name));
  const known = Object.fromEntries(ids);
  const unknown = closedStatuses.filter((name) => !Object.hasOwn(known, name));
  return {
    ...state,
    closedStatusIds: { ...known, ...(await readStatusIds(snapshots, state, unknown)) },
    closedStatusCandidates: candidates.length === 0 ? undefined : Object.fromEntries(candidates),
  };
}

/** Ids by the names that the snapshots show now. A deleted task may have the name that its status had at that time. */
async function readStatusIds(
  snapshots: Pick<SnapshotStore, 'list'>,
  { source, resource }: ScanState,
  names: readonly string[],
): Promise<ClosedStatusIds> {
  if (names.length === 0) return {};
  const ids = new Map(names.map((name) => [name, new Set<string>()]));
  for await (const { record, deletedAt } of snapshots.list(source, resource)) {
    const { status, statusid } = record;
    if (deletedAt === null && typeof statusid === 'string') ids.get(String(status))?.add(statusid);
  }
  return Object.fromEntries([...ids].map(([name, found]) => [name, [...found]]));
}
