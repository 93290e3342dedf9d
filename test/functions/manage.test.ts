/** The manage app as a function: the same responses as embedded, in Lambda's format. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { unsubscribeToken } from '../../core/delivery/signing/unsubscribe.ts';
import { startSilentProxy } from '../adapters/dynamodb/silent-proxy.ts';
import { SECRET } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;

beforeEach(async () => {
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      subscriptions: [{ name: 'team', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } }],
    },
  });
  output = captureOutput();
  await world.functions.setup();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

type Event = Parameters<World['functions']['manage']>[0];

async function ask(
  method: string,
  path: string,
  { manage } = world.functions,
): Promise<{ statusCode: number; body: string }> {
  const requestContext = { http: { method, path, sourceIp: '::1', userAgent: '' } };
  const event = { version: '2.0', rawPath: path, rawQueryString: '', headers: { host: 'x' }, requestContext };
  return manage(event as unknown as Event);
}

describe('manage', () => {
  it('reports the health of the scans', async () => {
    await world.functions.poll();
    const { statusCode, body } = await ask('GET', '/health');
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      status: 'ok',
      scans: [{ source: 'main', resource: 'task', failures: 0, lastGoodScanAt: expect.any(String) }],
    });
  });

  it('unsubscribes a recipient with the link in the mail alone', async () => {
    const token = unsubscribeToken({ subscription: 'team', address: 'ann@example.com' }, SECRET);
    expect(await ask('GET', `/unsubscribe/${token}`)).toMatchObject({ statusCode: 200 });
    expect((await readHealth(world, 'team')).muted).toEqual([]);
    expect(await ask('POST', `/unsubscribe/${token}`)).toMatchObject({ statusCode: 200 });
    expect((await readHealth(world, 'team')).muted).toEqual(['ann@example.com']);
  });

  it('has no other pages and accepts no foreign links', async () => {
    expect(await ask('GET', '/')).toMatchObject({ statusCode: 404 });
    expect(await ask('GET', '/unsubscribe/e30.AAAA')).toMatchObject({ statusCode: 404 });
  });

  it('throws when it fails, so that Lambda counts the error, and logs one line', async () => {
    const environment = { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'gone' };
    const lost = openFunctions({ ...world.options, environment });
    const token = unsubscribeToken({ subscription: 'team', address: 'ann@example.com' }, SECRET);
    for (const path of ['/health', `/unsubscribe/${token}`]) {
      output.clear();
      await expect(ask('GET', path, lost)).rejects.toThrow(/gone/);
      expect(output.lines('failed')).toMatchObject([
        { level: 'ERROR', error: { code: expect.stringMatching(/^TIDINGS_/) } },
      ]);
      // Only that line: by default Hono would log the whole error.
      expect(output.text().trim().split('\n')).toHaveLength(1);
    }
  });

  it('reports within a second that the tables do not answer', async () => {
    const proxy = await startSilentProxy(world.tables.endpoint);
    const dynamodb = world.tables.connect({ endpoint: proxy.endpoint });
    try {
      const clients = { ...world.options.clients, dynamodb };
      const stalled = openFunctions({ ...world.options, clients });
      proxy.silence('GetItem', 'never', 100);
      const { statusCode, body } = await ask('GET', '/health', stalled);
      expect(statusCode).toBe(503);
      expect(JSON.parse(body)).toMatchObject({
        readAt: null,
        reasons: [expect.stringMatching(/^data: the stores have not answered for \d+ s$/)],
      });
    } finally {
      dynamodb.destroy();
      await proxy.stop();
    }
  });
});
