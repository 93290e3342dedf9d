/** The temporary subscription of `listen --forward`: it is renewed, made again once it is gone, and ends by itself. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runForward } from '../../cli/forward.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { terminal } from '../../runtime/terminal/terminal.ts';
import { type ApiWorld, startApiWorld, startReceiver } from '../manage/api-world.ts';
import { snapshot } from '../samples.ts';

let world: ApiWorld;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let api: Server;
beforeEach(async () => {
  [world, receiver] = await Promise.all([startApiWorld(), startReceiver()]);
  // Signatures are checked against the real clock.
  world.advance(Date.now() - Date.parse(world.clock.now()));
  api = await serveApi(0);
});
afterEach(async () => {
  api.closeAllConnections();
  api.close();
  await Promise.all([world.stop(), receiver.stop()]);
});

async function serveApi(port: number): Promise<Server> {
  const server = createServer(getRequestListener(world.app.fetch));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A listener in this process that renews every 100 ms, on the clock of the API. */
async function startListener() {
  const stop = new AbortController();
  const lines: string[] = [];
  const errors: string[] = [];
  const write = (to: string[]) => ({ write: (text: string) => to.push(text) });
  const ended = runForward(
    {
      forward: new URL(receiver.url),
      events: ['task.*'],
      port: 0,
      host: '127.0.0.1',
      location: { api: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, key: world.admin, data: '' },
      renewEvery: 100,
      retryAfter: 100,
      onRequest: () => {},
      say: (line) => lines.push(line),
    },
    {
      terminal: terminal(write([]), write(errors), {}),
      environment: {},
      clock: world.clock,
      pid: 1,
      random: () => 0,
      stop: stop.signal,
      version: '0.0.0',
      readEnvironment: () => ({}),
    },
  );
  await vi.waitFor(() => expect(lines.at(-1)).toContain('subscription'), 20_000);
  const name = /subscription {4}([\w-]+)/.exec(lines.at(-1) ?? '')?.[1] ?? '';
  const expiry = async () => (await world.embedded.subscriptions.get(name))?.expiresAt ?? '';
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { name, lines, errors, expiry, end };
}

/** A task changes. Returns the number of requests that the local receiver got. */
async function changeTask(id: string): Promise<number> {
  const { snapshots } = world.embedded;
  await snapshots.commit([{ snapshot: snapshot(id, { cause: 'baseline' }), expected: 0 }]);
  const record = { id, title: 'Another title', status: 'Open', dateclosed: null };
  const changed = snapshot(id, { version: 2, committedAt: world.clock.now(), record });
  await snapshots.commit([{ snapshot: changed, expected: 1 }]);
  await announceFeed(world.embedded);
  await world.pump();
  return receiver.received.length;
}

it('is renewed for as long as the command runs', async () => {
  const { expiry, end, name } = await startListener();
  for (let quarter = 0; quarter < 8; quarter += 1) {
    const before = await expiry();
    world.advance(4 * MINUTE);
    await vi.waitFor(async () => expect((await expiry()) > before).toBe(true), 20_000);
  }
  expect(await changeTask('7')).toBeGreaterThan(0);
  await end();
  expect(await world.embedded.subscriptions.get(name)).toBeUndefined();
});

it('ends by itself after the command was killed: events are sent to it no more, and the API shows it no more', async () => {
  const { name, end } = await startListener();
  // As a killed process leaves it: nobody renews or removes it.
  const left = await world.embedded.subscriptions.get(name);
  api.closeAllConnections();
  api.close();
  world.advance(10 * MINUTE + SECOND);
  expect(left?.expiresAt).toBeDefined();
  expect((await world.ask('GET', `/subscriptions/${name}`)).status).toBe(404);
  const before = receiver.received.length;
  expect(await changeTask('8')).toBe(before);
  await end();
});

it('is made again, with its secret, once it is gone', async () => {
  const { name, lines, expiry, end } = await startListener();
  await world.embedded.subscriptions.remove(name);
  await vi.waitFor(() => expect(lines.some((line) => line.includes('it is made again'))).toBe(true), 20_000);
  await vi.waitFor(() => expect(lines.filter((line) => line.startsWith('signing secret'))).toHaveLength(2), 20_000);
  expect(await expiry()).not.toBe('');
  expect(await changeTask('9')).toBeGreaterThan(0);
  await end();
});

it('survives a restart of the API, and says when it cannot be removed', async () => {
  const { name, errors, expiry, end } = await startListener();
  const { port } = api.address() as AddressInfo;
  api.closeAllConnections();
  api.close();
  await vi.waitFor(() => expect(errors.join('')).toContain('could not be renewed'), 20_000);
  const before = await expiry();
  world.advance(2 * MINUTE);
  api = await serveApi(port);
  await vi.waitFor(async () => expect((await expiry()) > before).toBe(true), 20_000);
  api.closeAllConnections();
  api.close();
  await end();
  expect(errors.join('')).toContain(`the subscription ${name} could not be removed`);
  expect(errors.join('')).toContain('it ends by itself within 10 minutes');
});
