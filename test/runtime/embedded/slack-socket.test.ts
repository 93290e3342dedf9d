/** Socket Mode against a WebSocket server that speaks Slack's protocol. */

import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { runSlackSocket, type SlackPayload, type SlackSocketOptions } from '../../../runtime/embedded/slack-socket.ts';

const WAIT = { timeout: 20_000 };

let server: WebSocketServer;
let stop: AbortController;
let running: Promise<void>;
/** The sockets in the order in which they were opened, and what each received. */
let sockets: { readonly socket: WebSocket; readonly received: SlackPayload[] }[];

beforeEach(async () => {
  sockets = [];
  stop = new AbortController();
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => {
    const received: SlackPayload[] = [];
    sockets.push({ socket, received });
    socket.on('message', (data) => received.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ type: 'hello', num_connections: sockets.length }));
  });
});

afterEach(async () => {
  stop.abort();
  await running;
  for (const { socket } of sockets) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

function start(options: Partial<SlackSocketOptions> = {}) {
  const receive = vi.fn(async (payload: SlackPayload): Promise<SlackPayload> => ({ text: `got ${payload.text}` }));
  const sleep = async () => {};
  running = runSlackSocket({ openUrl: async () => url(), receive, sleep, ...options }, stop.signal);
  return { receive };
}

const at = (index: number) => {
  const found = sockets[index];
  if (found === undefined) throw new Error(`no socket ${index}`);
  return found;
};

const command = (id: string, text: string, accepts = true) =>
  JSON.stringify({ type: 'slash_commands', envelope_id: id, payload: { text }, accepts_response_payload: accepts });

describe('Socket Mode', () => {
  it('acknowledges an envelope with the answer, or with its id alone', async () => {
    start();
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(command('e1', 'list'));
    at(0).socket.send(command('e2', 'list', false));
    await vi.waitFor(() => expect(at(0).received).toHaveLength(2), WAIT);
    expect(at(0).received).toContainEqual({ envelope_id: 'e1', payload: { text: 'got list' } });
    expect(at(0).received).toContainEqual({ envelope_id: 'e2' });
  });

  it('opens the next socket before the old one is closed, and still answers on the old one', async () => {
    start();
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(JSON.stringify({ type: 'disconnect', reason: 'warning', debug_info: {} }));
    await vi.waitFor(() => expect(sockets).toHaveLength(2), WAIT);
    expect(at(0).socket.readyState).toBe(at(0).socket.OPEN);
    at(0).socket.send(command('late', 'on the old one'));
    at(1).socket.send(command('new', 'on the new one'));
    await vi.waitFor(() => expect([at(0).received.length, at(1).received.length]).toEqual([1, 1]), WAIT);
  });

  it('connects again when the socket drops in the middle of a command, which is not acknowledged', async () => {
    const first = Promise.withResolvers<SlackPayload>();
    const receive = vi.fn(async (payload: SlackPayload) => (receive.mock.calls.length === 1 ? first.promise : payload));
    start({ receive });
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(command('e1', 'subscribe'));
    await vi.waitFor(() => expect(receive).toHaveBeenCalledTimes(1), WAIT);
    at(0).socket.terminate();
    first.resolve({});
    await vi.waitFor(() => expect(sockets).toHaveLength(2), WAIT);
    expect(at(0).received).toEqual([]);
    // Slack repeats it.
    at(1).socket.send(command('e1', 'subscribe'));
    await vi.waitFor(
      () => expect(at(1).received).toEqual([{ envelope_id: 'e1', payload: { text: 'subscribe' } }]),
      WAIT,
    );
  });

  it('does not acknowledge what failed, and reports it', async () => {
    const errors: unknown[] = [];
    const receive = vi.fn(async (payload: SlackPayload) => {
      if (payload.text === 'bad') throw new Error('the store is locked');
      return {};
    });
    start({ receive, report: (error) => errors.push(error) });
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(command('e1', 'bad'));
    at(0).socket.send(command('e2', 'good'));
    await vi.waitFor(() => expect(at(0).received).toEqual([{ envelope_id: 'e2' }]), WAIT);
    expect(errors).toMatchObject([{ message: 'the store is locked' }]);
  });

  it('tries again when Slack gives no URL', async () => {
    const states: boolean[] = [];
    let tries = 0;
    start({
      openUrl: async () => {
        tries += 1;
        if (tries < 3) throw new Error('invalid_auth');
        return url();
      },
      onState: (isConnected) => states.push(isConnected),
    });
    await vi.waitFor(() => expect(states).toEqual([false, false, true]), WAIT);
  });

  it('replaces a socket on which Slack does not ping', async () => {
    start({ pingTimeout: 50 });
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(1), WAIT);
  });

  it.each([
    ['announces the end of', (socket: WebSocket) => socket.send(JSON.stringify({ type: 'disconnect' }))],
    ['closes', (socket: WebSocket) => socket.close()],
  ])('waits longer each time if Slack %s every socket at once', async (_, end) => {
    server.on('connection', end);
    const waits: number[] = [];
    const isPatient = Promise.withResolvers<void>();
    start({
      sleep: async (millis) => {
        waits.push(millis);
        if (millis === 30_000) isPatient.resolve();
        // The next socket is opened when the test ends.
        if (millis === 30_000) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
      },
    });
    await isPatient.promise;
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000]);
    expect(sockets).toHaveLength(6);
  });

  it('closes a socket with a message that no request is as long as', async () => {
    const { receive } = start();
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(command('e1', 'x'.repeat(1024 * 1024)));
    await vi.waitFor(() => expect(sockets).toHaveLength(2), WAIT);
    expect(receive).not.toHaveBeenCalled();
  });

  it('finishes the command in hand when it stops', async () => {
    const gate = Promise.withResolvers<SlackPayload>();
    start({ receive: () => gate.promise });
    await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT);
    at(0).socket.send(command('e1', 'list'));
    at(0).socket.ping();
    await new Promise((resolve) => at(0).socket.once('pong', resolve));
    stop.abort();
    gate.resolve({ text: 'done' });
    await running;
    await vi.waitFor(() => expect(at(0).received).toEqual([{ envelope_id: 'e1', payload: { text: 'done' } }]), WAIT);
  });
});
