/** The setup function of a deployment: applies the subscriptions of the config, idempotently. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { subscription } from '../samples.ts';
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

  it('throws when the table does not exist, so that the deployment fails', async () => {
    const lost = openFunctions({
      ...world.options,
      environment: { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' },
    });
    await expect(lost.setup()).rejects.toThrow(/not-there/);
  });
});
