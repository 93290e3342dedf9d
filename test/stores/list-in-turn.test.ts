/** Lists of what is open are read one after the other, by digests in `serve` and in AWS. */

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { openAwsContext } from '../../runtime/aws/context.ts';
import { CONFIG, LEDGER_TABLE, SNAPSHOTS_TABLE } from '../../runtime/aws/environment.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { packConfig } from '../../runtime/config/packed.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { listInTurn } from '../../runtime/list-in-turn.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { snapshot } from '../samples.ts';

/** Reads three lists at once, and returns the names of the lists in the order in which their records came. */
async function readThree(listOpen: SnapshotStore['listOpen'], stopAfter = Number.POSITIVE_INFINITY): Promise<string> {
  let order = '';
  const read = async (name: string) => {
    let count = 0;
    for await (const _ of listOpen('main', 'task')) {
      order += name;
      count += 1;
      if (count >= stopAfter) break;
    }
  };
  await Promise.all(['a', 'b', 'c'].map(read));
  return order;
}

const pages: SnapshotStore['listOpen'] = async function* () {
  for (const id of ['1', '2', '3']) {
    await new Promise((next) => setImmediate(next));
    yield snapshot(id);
  }
};

describe('lists of what is open', () => {
  it('are read one after the other', async () => {
    expect(await readThree(pages)).toBe('abcabcabc');
    expect(await readThree(listInTurn(pages))).toBe('aaabbbccc');
  });

  it('go on after one that was left early, or failed', async () => {
    expect(await readThree(listInTurn(pages), 1)).toBe('abc');
    let calls = 0;
    const failing = listInTurn(async function* (source, resource) {
      calls += 1;
      if (calls === 1) throw new Error('no store');
      yield* pages(source, resource);
    });
    await expect(readThree(failing)).rejects.toThrow('no store');
    expect(await readThree(failing)).toBe('aaabbbccc');
  });

  it('are so in the embedded mode', async () => {
    const source = { baseUrl: 'http://127.0.0.1:9', token: 'token', timeZone: 'UTC' };
    const embedded = await openEmbedded({
      config: parseTree('test', { source, subscriptions: [] }, {}),
      database: openDatabase(':memory:'),
      ...{ environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 },
    });
    const open = Array.from({ length: 250 }, (_, id) => snapshot(String(id), { stage: { overdue: true } }));
    await embedded.snapshots.commit(open.map((one) => ({ snapshot: one, expected: 0 })));
    expect(await readThree(embedded.snapshots.listOpen)).toBe(['a', 'b', 'c'].map((one) => one.repeat(250)).join(''));
    await embedded.close();
  });

  it('are so in the functions', async () => {
    const tables = await startLocalTables();
    const names = await tables.create();
    const source = { baseUrl: 'https://work.example.com', token: 'ssm:/token', timeZone: 'UTC' };
    const { snapshots } = openAwsContext({
      environment: {
        [SNAPSHOTS_TABLE]: names.snapshots,
        [LEDGER_TABLE]: names.ledger,
        [CONFIG]: packConfig(parseTree('test', { source, subscriptions: [] }, {}, 'aws')),
      },
      clients: { dynamodb: tables.client },
    });
    const open = Array.from({ length: 150 }, (_, id) => snapshot(String(id), { stage: { overdue: true } }));
    await snapshots.commit(open.map((one) => ({ snapshot: one, expected: 0 })));
    expect(await readThree(snapshots.listOpen)).toBe(['a', 'b', 'c'].map((one) => one.repeat(150)).join(''));
    await tables.stop();
  });
});
