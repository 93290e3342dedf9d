/** What /health calls failing: failed scans, late scans and late deliveries. */

import { beforeEach, describe, expect, it } from 'vitest';
import { workResourceOf } from '../../adapters/sources/work/resources.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import { fixedClock, HOUR, type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { manageApp } from '../../manage/app.ts';
import { delivery, event, NOON } from '../samples.ts';

const task = { resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } };
const sources = [{ name: 'main', resources: [task], quota: { reserve: 0.2 } }];
const ago = (duration: number) => plus(NOON, -duration);

let stores: DatabaseStores;

beforeEach(() => {
  stores = sqliteStores(openDatabase(':memory:'));
});

async function saveScan(change: Partial<ScanState>): Promise<void> {
  const scanned = { baselinedAt: ago(48 * HOUR), lastSweepAt: ago(HOUR), cursor: ago(HOUR) };
  await stores.scanStates.save({ ...initialScanState('main', 'task'), ...scanned, ...change, version: 1 });
}

async function saveDelivery(dueAt: Instant): Promise<void> {
  await stores.events.record([{ event: event('evt_1'), deliveries: [{ ...delivery('evt_1', 'ops'), dueAt }] }]);
}

async function health(startedAt?: Instant) {
  const app = manageApp({ ...stores, clock: fixedClock(NOON), sources, startedAt });
  const response = await app.request('/health');
  return { code: response.status, ...((await response.json()) as { status: string; reasons: string[] }) };
}

describe('/health', () => {
  it('is ok while scans and deliveries are on time', async () => {
    await saveScan({ lastGoodScanAt: ago(4 * MINUTE), lastTriedAt: ago(4 * MINUTE) });
    await saveDelivery(ago(MINUTE));
    expect(await health()).toMatchObject({ code: 200, status: 'ok', reasons: [], oldestDueDelivery: ago(MINUTE) });
  });

  it('is failing after three failed scans', async () => {
    await saveScan({ lastGoodScanAt: ago(4 * MINUTE), lastTriedAt: ago(MINUTE), failures: 3 });
    expect(await health()).toMatchObject({ code: 503, reasons: ['main/task: 3 scans failed in a row'] });
  });

  it('is failing when scans stopped without a failure', async () => {
    await saveScan({ lastGoodScanAt: ago(3 * HOUR), lastTriedAt: ago(3 * HOUR) });
    expect(await health()).toMatchObject({ code: 503, reasons: ['main/task: scan is 175m late'] });
  });

  it('is failing when the first scan never ended', async () => {
    await saveScan({ baselinedAt: null, lastGoodScanAt: null, lastSweepAt: null, lastTriedAt: ago(HOUR) });
    expect(await health()).toMatchObject({ code: 503, reasons: ['main/task: scan is 1h late'] });
  });

  it('allows an hour while a sweep is in progress', async () => {
    const progress = {
      startedAt: ago(HOUR),
      index: 3,
      offset: 900,
      last: '900',
      seen: 900,
      missing: [],
      complete: true,
    };
    await saveScan({ lastGoodScanAt: ago(50 * MINUTE), lastTriedAt: ago(50 * MINUTE), progress });
    expect(await health()).toMatchObject({ code: 200 });
  });

  it('is failing when a due delivery is not queued', async () => {
    await saveScan({ lastGoodScanAt: ago(MINUTE), lastTriedAt: ago(MINUTE) });
    await saveDelivery(ago(2 * HOUR));
    expect(await health()).toMatchObject({ code: 503, reasons: ['deliveries: the oldest is 2h late'] });
  });

  it('measures from the start of the process what came due before it', async () => {
    await saveScan({ lastGoodScanAt: ago(3 * HOUR), lastTriedAt: ago(3 * HOUR) });
    await saveDelivery(ago(2 * HOUR));
    expect(await health(ago(MINUTE))).toMatchObject({ code: 200 });
    expect(await health(ago(20 * MINUTE))).toMatchObject({
      code: 503,
      reasons: ['main/task: scan is 20m late', 'deliveries: the oldest is 20m late'],
    });
  });

  it('is failing when no scan ever started', async () => {
    expect(await health(ago(MINUTE))).toMatchObject({ code: 200 });
    expect(await health(ago(HOUR))).toMatchObject({ code: 503, reasons: ['main/task: scan is 1h late'] });
  });

  it('answers within a second when a store does not, with what it read last', async () => {
    await saveScan({ lastGoodScanAt: ago(4 * MINUTE), lastTriedAt: ago(4 * MINUTE) });
    let isStalled = false;
    let calls = 0;
    const agenda: DatabaseStores['agenda'] = {
      ...stores.agenda,
      due: (...query) => {
        calls += 1;
        return isStalled ? new Promise(() => {}) : stores.agenda.due(...query);
      },
    };
    const app = manageApp({ ...stores, agenda, clock: fixedClock(NOON), sources });
    expect((await app.request('/health')).status).toBe(200);
    isStalled = true;
    for (let request = 0; request < 3; request++) {
      const response = await app.request('/health');
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({
        status: 'failing',
        readAt: NOON,
        reasons: [expect.stringMatching(/^data: the stores have not answered for \d+ s$/)],
        scans: [{ resource: 'task' }],
      });
    }
    // Requests of an impatient monitor do not pile up.
    expect(calls).toBe(2);
  });
});
