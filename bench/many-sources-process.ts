/** Polls one account as many sources, as `serve` does, and prints the proportional memory of the process in kilobytes. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { parseTree } from '../runtime/config/load.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { serve } from '../runtime/embedded/serve.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { readUsage } from './process-usage.ts';

const [, , baseUrl = '', token = '', count = '1'] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'tidings-many-sources-'));
const names = Array.from({ length: Number(count) }, (_, index) => `account-${index}`);
const sources = names.map((name) => ({ name, baseUrl, token, quota: { perMinute: 10_000 } }));
const config = parseTree('bench', { sources, network: { allowHttp: true } }, {});
const database = openDatabase(join(folder, 'tidings.db'));
const clock = systemClock;
const embedded = await openEmbedded({ config, database, environment: {}, clock, holder: 'bench', random: Math.random });
const left = new Set(names.flatMap((name) => ['task', 'project', 'person'].map((resource) => `${name}/${resource}`)));
const stop = new AbortController();
const scanned = Promise.withResolvers<void>();
const running = serve(
  embedded,
  {
    scanned({ source, resource }) {
      left.delete(`${source}/${resource}`);
      if (left.size === 0) scanned.resolve();
    },
  },
  stop.signal,
);
await scanned.promise;
/** Some cycles in which nothing changes. */
await setTimeout(5000);
const { pss = 0, rss = 0 } = readUsage([process.pid]) ?? {};
process.stdout.write(String(Math.round((pss || rss) / 1024)));
stop.abort();
await running;
await embedded.close();
rmSync(folder, { recursive: true, force: true });
