/**
 * The ids of the task statuses that count as closed, learned from tasks: a status that is renamed later stays closed.
 * The config names statuses, because people know their names and not their ids.
 */

import type { Fields } from '../../model/record.ts';
import type { ScanState } from '../../model/scan.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { StageRules } from '../../snapshot/stage.ts';

/** Ids by the configured name that each status had when it was first seen. */
export type ClosedStatusIds = Readonly<Record<string, readonly string[]>>;

export interface ClosedStatuses {
  /** The rules with the ids learned so far. */
  rules(): StageRules;
  learn(tasks: readonly Fields[]): void;
  ids(): ClosedStatusIds;
}

export function trackClosedStatuses(rules: StageRules, learnedIds: ClosedStatusIds = {}): ClosedStatuses {
  let ids = learnedIds;
  let current = withClosedStatusIds(rules, ids);
  return {
    rules: () => current,
    ids: () => ids,
    learn(tasks) {
      for (const { status, statusid } of tasks) {
        if (typeof status !== 'string' || typeof statusid !== 'string') continue;
        if (!rules.closedStatuses.includes(status) || ids[status]?.includes(statusid) === true) continue;
        ids = { ...ids, [status]: [...(ids[status] ?? []), statusid] };
        current = withClosedStatusIds(rules, ids);
      }
    },
  };
}

export function withClosedStatusIds(rules: StageRules, statusIds: ClosedStatusIds = {}): StageRules {
  const closedStatusIds = rules.closedStatuses.flatMap((name) => statusIds[name] ?? []);
  return closedStatusIds.length === 0 ? rules : { ...rules, closedStatusIds };
}

/**
 * The state with an entry for each configured name. After an upgrade, or with a new name in the config, the ids are
 * read from the snapshots, once and only until each name has one.
 */
export async function completeClosedStatuses(
  snapshots: Pick<SnapshotStore, 'list'>,
  rules: StageRules,
  state: ScanState,
): Promise<ScanState> {
  const { source, resource, baselinedAt, closedStatusIds: statusIds = {} } = state;
  const unknown = rules.closedStatuses.filter((name) => !Object.hasOwn(statusIds, name));
  if (resource !== 'task' || baselinedAt === null || unknown.length === 0) return state;
  const statuses = trackClosedStatuses(rules, statusIds);
  for await (const { record } of snapshots.list(source, resource)) {
    statuses.learn([record]);
    if (unknown.every((name) => Object.hasOwn(statuses.ids(), name))) break;
  }
  const none = Object.fromEntries(unknown.map((name) => [name, []]));
  return { ...state, closedStatusIds: { ...none, ...statuses.ids() } };
}
