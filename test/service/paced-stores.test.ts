/** Requests that make thousands of calls to the stores: others run in between, and the data file is free in between. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../adapters/sqlite/database.ts';
import { replay } from '../../core/delivery/replay.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { openApiPorts } from '../../service/open-api-ports.ts';
import { event, subscription } from '../samples.ts';

let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-paced-'));
  database = openDatabase(join(folder, 'tidings.db'));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function openPorts() {
  const tree = { source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' } };
  return openApiPorts({ config: parseTree('test', tree, {}), environment: {}, database, written: () => {} });
}

/** Calls `look` whenever the thread is free until the work has ended. */
async function lookDuring(work: Promise<unknown>, look: () => void): Promise<void> {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      look();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  await work;
  isOver = true;
  await looking;
}

describe('a replay of thousands of events', () => {
  const events = Array.from({ length: 4000 }, (_, index) => event(`evt_${index}`));

  it('lets other requests run, and leaves the data file to the service every few milliseconds', async () => {
    const api = openPorts();
    const service = openDatabase(database.file);
    let turns = 0;
    let writable = 0;
    await lookDuring(replay(api, subscription('hook'), events), () => {
      turns += 1;
      if (service.isWritable()) writable += 1;
    });
    service.close();
    expect(await api.deliveries.listIds({ status: 'pending', subscription: 'hook' })).toHaveLength(events.length);
    // 40 pages. In one go there is one turn, before it starts.
    expect(turns).toBeGreaterThan(10);
    expect(writable).toBeGreaterThan(5);
  });

  it('reads them in turns too', async () => {
    const api = openPorts();
    await replay(api, subscription('hook'), events);
    const ids = await api.deliveries.listIds({ status: 'pending', subscription: 'hook' });
    const readAll = async () => {
      for (const id of ids) await api.deliveries.get(id);
    };
    let turns = 0;
    await lookDuring(readAll(), () => {
      turns += 1;
    });
    expect(turns).toBeGreaterThan(3);
  });
});
