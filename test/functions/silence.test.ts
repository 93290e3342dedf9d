/** The functions and the CLI with their own clients and a DynamoDB that stops responding: all calls time out. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../core/model/time.ts';
import { openAwsStores } from '../../runtime/aws/stores.ts';
import { type SilentProxy, startSilentProxy } from '../adapters/dynamodb/silent-proxy.ts';
import { type Account, leadTo, startAccount } from '../e2e/aws-account.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions } from './world.ts';

let account: Account;
let proxy: SilentProxy;

beforeEach(async () => {
  captureOutput();
  account = await startAccount('http://127.0.0.1:9/hook');
  const { tables, queues, secrets } = account.world;
  proxy = await startSilentProxy(tables.endpoint);
  leadTo({
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_SSM: secrets.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await account.stop();
  await proxy.stop();
});

/** A lost response takes 3 s, and the SDK's pause 0.1 s; the rest is room for a busy machine. */
const SOON = 60 * SECOND;

describe('a lost response of DynamoDB', () => {
  it('delays a poll for seconds, which then completes and releases its lease', async () => {
    const { options, clock, stores } = account.world;
    const { clients: _, ...own } = options;
    clock.advance(2 * SECOND);
    const { poll } = openFunctions(own);
    proxy.silence('UpdateItem', 'never');
    const start = performance.now();
    await poll();
    expect(performance.now() - start).toBeGreaterThan(2.9 * SECOND);
    expect(performance.now() - start).toBeLessThan(SOON);
    const lease = await stores.leases.acquire('poll/main/task', 'another poller', clock.now(), SECOND);
    expect(lease).toMatchObject({ holder: 'another poller' });
  });

  it('delays a command for seconds', async () => {
    const { clock } = account.world;
    const stores = await openAwsStores('Tidings', { environment: { ...process.env }, clock });
    proxy.silence('Query', 'never');
    const start = performance.now();
    expect(await stores.subscriptions.list()).toMatchObject([{ name: 'ops' }]);
    expect(performance.now() - start).toBeLessThan(SOON);
    await stores.close();
  });
});
