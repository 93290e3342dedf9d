/** The client of stored tasks after their project got another one: open digests and filters decide by it who gets a message. */

import type { TidingsEvent } from '../../core/model/event.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Account } from '../../simulator/simulator.ts';

/** Tasks of the projects whose new client these events announce, and that are stored with another one. */
export async function findStaleClients(
  snapshots: Pick<SnapshotStore, 'list'>,
  account: Account,
  events: readonly TidingsEvent[],
): Promise<string[]> {
  const moved = events.filter(
    ({ type, data }) => type === 'project.updated' && data.changes.some(({ field }) => field === 'clientid'),
  );
  const projects = new Map(moved.map(({ subject, time }) => [subject.split('/')[1] ?? '', time]));
  if (projects.size === 0) return [];
  const stale: string[] = [];
  for await (const { key, record, deletedAt } of snapshots.list('main', 'task')) {
    const at = projects.get(String(record.projectid));
    const task = at === undefined || deletedAt !== null ? undefined : account.read('task', key.id);
    // A task that was moved or deleted since is shown by the next scan.
    if (task === undefined || task.projectid !== record.projectid || task.clientid === record.clientid) continue;
    stale.push(`task/${key.id} at ${at}: stored with client ${record.clientid}, has ${task.clientid}`);
  }
  return stale;
}
