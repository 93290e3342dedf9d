/** What monitors get from a running service while its data file is locked or its disk is full: an answer within a second, with the reason. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { manageApp } from '../../manage/app.ts';
import type { HealthReport } from '../../manage/health-report.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { serve } from '../../runtime/embedded/serve.ts';
import { openServiceMetrics } from '../../runtime/embedded/service-metrics.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import type { Listening } from '../../service/listen.ts';
import { listenInThread } from '../../service/threaded-server.ts';
import { event } from '../samples.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };

/** A monitor waits for a second. The rest allows for a busy machine. */
const MAX_MS = 3_000;

let folder: string;
let database: ReturnType<typeof openDatabase>;
let embedded: Embedded;
let server: Listening;
const stop = { signal: new AbortController(), serving: Promise.resolve() };

const file = () => join(folder, 'tidings.db');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-monitors-'));
  database = openDatabase(file());
  const source = { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' };
  const config = parseConfig('test.json', JSON.stringify({ source }), {});
  const options = { config, database, environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 };
  embedded = await openEmbedded(options);
  const metrics = openServiceMetrics({ version: '1', process: false });
  metrics.use(embedded);
  const app = manageApp({ ...embedded, sources: config.sources, metrics: metrics.render });
  server = await listenInThread({ fetch: app.fetch, port: 0, warn: () => {} });
  const signal = new AbortController();
  Object.assign(stop, { signal, serving: serve(embedded, {}, signal.signal).finally(embedded.close) });
});

afterEach(async () => {
  stop.signal.abort();
  await stop.serving;
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string) {
  const from = performance.now();
  const response = await fetch(`${server.url}${path}`, { signal: AbortSignal.timeout(20_000) });
  const text = await response.text();
  return { status: response.status, text, ms: performance.now() - from };
}

async function expectReason(reason: RegExp): Promise<void> {
  await vi.waitFor(async () => expect((await ask('/health')).text).toMatch(reason), PATIENCE);
  const health = await ask('/health');
  expect(health).toMatchObject({ status: 503 });
  expect(health.ms).toBeLessThan(MAX_MS);
  const { status, reasons } = JSON.parse(health.text) as HealthReport;
  expect({ status, reason: reasons[0] }).toEqual({ status: 'failing', reason: expect.stringMatching(reason) });
  const metrics = await ask('/metrics');
  expect(metrics).toMatchObject({ status: 503, text: expect.stringMatching(reason) });
  expect(metrics.text).toContain('tidings_build_info');
  expect(metrics.ms).toBeLessThan(MAX_MS);
}

const expectRecovery = () =>
  vi.waitFor(async () => {
    expect((await ask('/health')).text).not.toContain('the stores have not answered');
    expect(await ask('/metrics')).toMatchObject({ status: 200 });
  }, PATIENCE);

describe('/health and /metrics', () => {
  it('answer with 503 and the reason while another program locks the data file', async () => {
    expect(await ask('/metrics')).toMatchObject({ status: 200 });
    const other = new DatabaseSync(file());
    other.exec('BEGIN IMMEDIATE');
    await expectReason(/data: the stores have not answered for \d+ s: database is locked/);
    other.exec('ROLLBACK');
    other.close();
    await expectRecovery();
  });

  it('answer with 503 and the reason while the disk is full', async () => {
    expect(await ask('/metrics')).toMatchObject({ status: 200 });
    const pages = Number(database.row('PRAGMA page_count')?.[0]);
    database.row(`PRAGMA max_page_count = ${pages}`);
    const large = event('evt_1');
    const recording = embedded.events.record([
      { event: { ...large, data: { ...large.data, record: { title: 'x'.repeat(500_000) } } }, deliveries: [] },
    ]);
    await expectReason(/data: the stores have not answered for \d+ s: database or disk is full/);
    database.row('PRAGMA max_page_count = 1000000');
    await recording;
    await expectRecovery();
  });
});
