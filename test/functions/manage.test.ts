/** The manage app behind a function's URL: the same answers as everywhere, in Lambda's shape. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHealth } from '../../core/delivery/subscription-state.ts';
import { unsubscribeToken } from '../../core/delivery/unsubscribe.ts';
import { SECRET } from '../samples.ts';
import { listen } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      subscriptions: [{ name: 'team', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } }],
    },
  });
  listen();
  await world.functions.setup();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

type Event = Parameters<World['functions']['manage']>[0];

async function ask(method: string, path: string): Promise<{ statusCode: number; body: string }> {
  const requestContext = { http: { method, path, sourceIp: '::1', userAgent: '' } };
  const event = { version: '2.0', rawPath: path, rawQueryString: '', headers: { host: 'x' }, requestContext };
  return world.functions.manage(event as unknown as Event);
}

describe('manage', () => {
  it('tells how the scans go', async () => {
    await world.functions.poll();
    const { statusCode, body } = await ask('GET', '/health');
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      status: 'ok',
      scans: [{ source: 'main', resource: 'task', failures: 0, lastGoodScanAt: expect.any(String) }],
    });
  });

  it('lets a reader of mails leave, with the link of the mail alone', async () => {
    const token = unsubscribeToken({ subscription: 'team', address: 'ann@example.com' }, SECRET);
    expect(await ask('GET', `/unsubscribe/${token}`)).toMatchObject({ statusCode: 200 });
    expect((await readHealth(world, 'team')).muted).toEqual([]);
    expect(await ask('POST', `/unsubscribe/${token}`)).toMatchObject({ statusCode: 200 });
    expect((await readHealth(world, 'team')).muted).toEqual(['ann@example.com']);
  });

  it('knows no other page and no link of others', async () => {
    expect(await ask('GET', '/')).toMatchObject({ statusCode: 404 });
    expect(await ask('GET', '/unsubscribe/e30.AAAA')).toMatchObject({ statusCode: 404 });
  });
});
