/**
 * The daily quota and the pace per minute.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { ask, startStill } from './api-client.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startStill({ tasks: 10, quota: 3 });
});
afterEach(() => simulator.stop());

const quota = async () => (await ask(simulator, '/quota/')).json;

describe('quota', () => {
  it('is an object without listcount, and asking for it costs nothing', async () => {
    for (let n = 0; n < 5; n++) await quota();
    expect(await quota()).toEqual({
      personid: '1',
      status: 'OK',
      code: 200,
      quota: { quota: '3', used: '0', next_reset: '2026-11-15 00:00:00', exceeded: 'f' },
    });
  });

  it('counts answers and refusals of a known person, then answers 400 with code 11 to everybody', async () => {
    await ask(simulator, '/task/');
    await ask(simulator, '/task/?page=1');
    await ask(simulator, '/task/', { token: 'nobody' });
    await ask(simulator, '/person/', { as: 'Executive' });
    expect((await quota()).quota).toMatchObject({ used: '3', exceeded: 't' });
    for (const as of ['Administrator', 'Resource'] as const) {
      const response = await ask(simulator, '/task/', { as });
      expect([response.status, response.json.error.code]).toEqual([400, 11]);
    }
    expect((await quota()).quota).toMatchObject({ used: '3' });
  });

  it('starts again at midnight GMT, not at midnight of the account', async () => {
    for (let n = 0; n < 3; n++) await ask(simulator, '/task/');
    simulator.account.clock.set('2026-11-14T23:30:00Z');
    expect((await ask(simulator, '/task/')).status).toBe(400);
    simulator.account.clock.set('2026-11-15T00:00:00Z');
    expect((await ask(simulator, '/task/')).status).toBe(200);
    expect((await quota()).quota).toMatchObject({ used: '1', next_reset: '2026-11-16 00:00:00' });
  });

  it('has an older shape with numbers and the business day', async () => {
    simulator.setQuirks({ quotaShape: 'older' });
    expect((await quota()).quota).toEqual({ quota: 3, used: 0, business_day: '2026-11-14', exceeded: 'f' });
  });

  it('is 6000 a day when nothing is said', async () => {
    const usual = await startStill({ tasks: 10, quota: 6000 });
    expect((await ask(usual, '/quota/')).json.quota).toMatchObject({ quota: '6000' });
    await usual.stop();
  });
});

describe('pace', () => {
  it('more than so many in a minute answer 400 with code 12, until the minute has passed', async () => {
    simulator.quota.perMinute = 2;
    const codes = async (times: number) => {
      const found: number[] = [];
      for (let n = 0; n < times; n++) found.push((await ask(simulator, '/task/')).json.error?.code ?? 0);
      return found;
    };
    expect(await codes(4)).toEqual([0, 0, 12, 12]);
    expect((await quota()).quota).toMatchObject({ used: '2' });
    simulator.account.clock.advance(60_000);
    expect(await codes(1)).toEqual([0]);
  });
});
