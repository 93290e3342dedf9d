/** The setup function of a deployment: applies the subscriptions of the config, idempotently. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause } from '../../core/delivery/hold.ts';
import { readFreshHealth } from '../../core/delivery/receivers/subscription-state.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { fixedClock } from '../../core/model/time.ts';
import { delivery, event, NOON, subscription } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { OPS, openFunctions, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;

const http = { url: 'http://127.0.0.1:9/hook', secret: '${OPS}' };

beforeEach(async () => {
  world = await startWorld({ config: { subscriptions: [{ name: 'ops', events: ['task.*'], to: { http } }] } });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

const names = async () => (await world.stores.subscriptions.list()).map(({ name }) => name);

describe('setup', () => {
  it('applies the declared subscriptions, and changes nothing when it runs again', async () => {
    await world.functions.setup();
    await world.functions.setup();
    expect(await world.stores.subscriptions.get('ops')).toMatchObject({
      declared: true,
      to: { channel: 'http', settings: { secret: OPS } },
    });
    expect(output.lines('applied the declared subscriptions')).toMatchObject([
      { added: ['ops'], changed: [], removed: [] },
      { added: [], changed: [], removed: [] },
    ]);
  });

  it('opens the next digest of a new subscription, whose time may come before the next check of tick', async () => {
    await world.stop();
    const slack = { webhook: '${OPS}' };
    const team = { name: 'team', events: ['task.overdue'], digest: { at: '08:30' }, timeZone: 'UTC', to: { slack } };
    world = await startWorld({ config: { subscriptions: [team] } });
    await world.functions.setup();
    await world.functions.setup();
    const [digest, ...others] = await world.stores.deliveries.list({ limit: 10 });
    expect(digest).toMatchObject({ subscription: 'team', status: 'waiting', standing: [{ source: 'main' }] });
    expect(digest?.dueAt).toMatch(/T08:30:00.000Z$/);
    expect(others).toEqual([]);
  });

  it('removes subscriptions that are no longer declared, and keeps those added by command', async () => {
    await world.stores.subscriptions.applyDeclared([subscription('old')]);
    await world.stores.subscriptions.save(subscription('by-hand', { declared: false }));
    await world.functions.setup();
    expect(output.lines('applied the declared subscriptions')).toMatchObject([{ added: ['ops'], removed: ['old'] }]);
    expect(await names()).toEqual(['by-hand', 'ops']);
  });

  it('keeps signing with the old secret when the config changes it', async () => {
    await world.stores.subscriptions.applyDeclared([
      subscription('ops', { to: { channel: 'http', settings: { ...http, secret: 'ssm:/tidings/old' } } }),
    ]);
    await world.functions.setup();
    const { rotation } = (await world.stores.subscriptions.get('ops')) ?? {};
    expect(rotation).toMatchObject({ secret: OPS, previous: 'ssm:/tidings/old' });
    await world.functions.setup();
    expect(output.lines('applied the declared subscriptions')).toMatchObject([{ changed: ['ops'] }, { changed: [] }]);
  });

  it('moves the backlog and the health of a renamed subscription', async () => {
    await world.stop();
    const renamed = { name: 'ops', renamedFrom: 'old', events: ['task.*'], to: { http } };
    world = await startWorld({ config: { subscriptions: [renamed] } });
    const { stores } = world;
    await stores.subscriptions.applyDeclared([subscription('old')]);
    const deliveries = ['pending', 'waiting', 'held', 'failed'].map((status, index): Delivery => {
      const dueAt = index < 2 ? NOON : null;
      return { ...delivery(String(index), 'old'), status: status as Delivery['status'], dueAt };
    });
    await stores.events.record(deliveries.map((one, index) => ({ event: event(String(index)), deliveries: [one] })));
    await pause({ ...stores, clock: fixedClock(NOON) }, 'old');
    await world.functions.setup();
    expect(output.lines('moved the deliveries of a renamed subscription')).toMatchObject([
      { from: 'old', to: 'ops', deliveries: 4 },
    ]);
    const moved = await Promise.all(deliveries.map(({ id }) => stores.deliveries.get(id, true)));
    expect(moved).toEqual(deliveries.map((one) => ({ ...one, subscription: 'ops', incarnation: 'declared' })));
    expect(await readFreshHealth(stores, 'ops')).toMatchObject({ state: 'paused' });
    expect(await names()).toEqual(['ops']);
    await world.functions.setup();
    expect(output.lines('moved the deliveries of a renamed subscription')).toHaveLength(1);
  });

  it('reports what a removed subscription leaves unsent', async () => {
    const { stores } = world;
    await stores.subscriptions.applyDeclared([subscription('old')]);
    await stores.events.record([{ event: event('1'), deliveries: [delivery('1', 'old')] }]);
    await world.functions.setup();
    expect(output.lines('a removed subscription leaves deliveries unsent')).toMatchObject([
      { subscription: 'old', deliveries: 1 },
    ]);
    expect(await readFreshHealth(stores, 'old')).toMatchObject({ dropped: 1 });
  });

  it('throws when the table does not exist, so that the deployment fails', async () => {
    const lost = openFunctions({
      ...world.options,
      environment: { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' },
    });
    await expect(lost.setup()).rejects.toThrow(/not-there/);
  });
});
