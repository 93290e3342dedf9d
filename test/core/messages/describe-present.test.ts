/** Messages describe the present: of a record that was deleted since, they say only what stays true without it. */

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { describePresent } from '../../../core/messages/describe-present.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { event, snapshot } from '../../samples.ts';

const about = (type: string) => {
  const sample = event('7');
  return { ...sample, type, subject: `${type.split('.')[0]}/7`, data: { ...sample.data, version: 1 } };
};

async function keptTypes(types: readonly string[], change: Partial<Snapshot>): Promise<readonly string[]> {
  const snapshots = sqliteSnapshotStore(openDatabase(':memory:'));
  for (const resource of ['task', 'invoice']) {
    const first = snapshot('7');
    const key = { ...first.key, resource };
    await snapshots.commit([{ snapshot: { ...first, key, version: 1 }, expected: 0 }]);
    await snapshots.commit([{ snapshot: { ...first, key, version: 2, ...change }, expected: 1 }]);
  }
  const present = await describePresent({ snapshots }, types.map(about));
  return present.map(({ recorded }) => recorded.type);
}

const OF_LIVE_TASKS = ['task.due_date_changed', 'task.assigned', 'task.created', 'task.updated'];
const OF_ANY = ['task.deleted', 'task.closed', 'invoice.payment_received', 'invoice.payment_reversed', 'invoice.paid'];
const DELETED = { deletedAt: '2026-11-14T12:00:00.000Z', cause: 'poll' } as const;

describe('an event about a record that was deleted since', () => {
  it('is left out if somebody would have to act on it', async () => {
    expect(await keptTypes(OF_LIVE_TASKS, DELETED)).toEqual([]);
  });

  it('is kept if it stays true: a deletion, finished work, money', async () => {
    expect(await keptTypes(OF_ANY, DELETED)).toEqual(OF_ANY);
  });
});

describe('an event about a record that exists', () => {
  it.each([
    ['and is shown', {}],
    ['and is only out of sight', { ...DELETED, cause: 'baseline' }],
  ] as const)('%s is kept', async (_, change) => {
    expect(await keptTypes(OF_LIVE_TASKS, change)).toEqual(OF_LIVE_TASKS);
  });
});
