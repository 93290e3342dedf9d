/** TLS handshakes are limited for each owner: the check of a certificate chain can take long, and the server chooses it. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpChannels } from '../../../adapters/channels/http/channel.ts';
import { createHandshakeGate, type EndHandshake, type HandshakeGate } from '../../../adapters/http/handshake-gate.ts';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { createStallMeter } from '../../../adapters/http/stall-meter.ts';
import { event, NOON, SECRET, subscription } from '../../samples.ts';
import { CERTIFICATE, CERTIFICATE_KEY, RSA_CERTIFICATE, RSA_CERTIFICATE_KEY } from './certificate.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const GOOD = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
/** The client does not trust it. */
const BAD = { cert: RSA_CERTIFICATE, key: RSA_CERTIFICATE_KEY };

/** Answers 204, and closes. */
async function startTls(certificate: typeof GOOD): Promise<URL> {
  const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => server.close());
  return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

/** Sends an event as a subscription of this owner does. */
function openSender(timeout?: number) {
  const transport = openHttpTransport({
    allow: ['127.0.0.0/8'],
    ca: CERTIFICATE,
    ...(timeout === undefined ? {} : { timeout }),
  });
  stops.push(() => transport.close());
  const channels = httpChannels({
    http: transport,
    secrets: { resolve: async () => SECRET, keep: async (_, secret) => secret },
  });
  return async ({ href: url }: URL, owner?: string): Promise<number | string | undefined> => {
    const settings = { url, secret: SECRET };
    const sender = subscription('ops', {
      to: { channel: 'http', settings },
      ...(owner === undefined ? {} : { owner }),
    });
    const message = {
      subscription: sender,
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    } as const;
    return channels
      .channelFor(settings)
      .send(message)
      .then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
  };
}

describe('the handshakes of an owner', () => {
  it('are one at a time to a server that fails, and those of others and to its other servers go on', async () => {
    const send = openSender(3_000);
    const [bad, good, another] = [await startTls(BAD), await startTls(GOOD), await startTls(GOOD)];
    expect(await send(good, 'key')).toBe(204);
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => send(bad, 'key')));
    const count = (reason: RegExp) => outcomes.filter((outcome) => reason.test(String(outcome))).length;
    expect(count(/did not answer: self-signed certificate/)).toBe(1);
    expect(count(/its last TLS handshake failed a moment ago: self-signed certificate/)).toBe(39);
    expect(await send(good, 'key')).toBe(204);
    // Also to one that is new.
    expect(await send(another, 'key')).toBe(204);
    expect(await send(another, 'other key')).toBe(204);
    expect(await send(another)).toBe(204);
  });

  it('are made again a moment after eight servers have failed', async () => {
    const send = openSender();
    const bad = await Promise.all(Array.from({ length: 8 }, () => startTls(BAD)));
    // One after the other: what eight take together would count for each of them, and keep the places for longer.
    for (const one of bad) expect(String(await send(one, 'key'))).toMatch(/self-signed/);
    const good = await startTls(GOOD);
    await vi.waitFor(async () => expect(await send(good, 'key')).toBe(204), 60_000);
  }, 70_000);

  it('are all made as long as they succeed', async () => {
    const send = openSender();
    const good = await startTls(GOOD);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(good, 'key')));
    expect(outcomes).toEqual(Array.from({ length: 100 }, () => 204));
  });
});

describe('the gate', () => {
  const hosts = (count: number, name = 'host') => Array.from({ length: count }, (_, index) => `${name}${index}`);
  const FAILED = new Error('expired');
  let cpu = 0;
  beforeEach(() => {
    vi.useFakeTimers();
    cpu = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Any number may be in progress. */
  const open = () =>
    createHandshakeGate(
      createStallMeter(() => cpu),
      { all: 100, unproven: 100 },
    );
  const openAsInUse = () => createHandshakeGate(createStallMeter(() => cpu));
  const enterAll = (gate: HandshakeGate, servers: readonly string[]) =>
    Promise.all(servers.map((server) => gate.enter('key', server, 20_000)));
  const fail = (ends: readonly EndHandshake[], millis: number) => {
    for (const end of ends) {
      cpu += millis;
      end(FAILED);
    }
  };
  /** Whether a server gets a place within this time. */
  const isAdmitted = async (gate: HandshakeGate, server: string, within: number) => {
    const entering = gate.enter('key', server, within).then(
      (end) => end('resumed') === undefined,
      () => false,
    );
    await vi.advanceTimersByTimeAsync(within + 1);
    return entering;
  };

  it('keeps the places of failed handshakes for 3,000 times what they took', async () => {
    const gate = open();
    fail(await enterAll(gate, hosts(8)), 2);
    expect(await isAdmitted(gate, 'new', 5_000)).toBe(false);
    expect(await isAdmitted(gate, 'new', 1_000)).toBe(true);
  });

  it('counts no work of others beside a handshake that takes long', async () => {
    const gate = open();
    const ends = await enterAll(gate, hosts(8));
    for (let count = 0; count < 100; count++) {
      cpu += 4;
      await vi.advanceTimersByTimeAsync(5);
    }
    fail(ends, 0);
    expect(await isAdmitted(gate, 'new', 13_000)).toBe(true);
  });

  it('keeps them for a second at least, and for five minutes at most', async () => {
    const gate = open();
    fail(await enterAll(gate, hosts(8)), 0);
    expect(await isAdmitted(gate, 'new', 900)).toBe(false);
    expect(await isAdmitted(gate, 'new', 200)).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    fail(await enterAll(gate, hosts(8)), 100);
    expect(await isAdmitted(gate, 'newer', 299_000)).toBe(false);
    expect(await isAdmitted(gate, 'newer', 1_000)).toBe(true);
  });

  it('allows as many failures of hosts with costly certificates as before: eight in five minutes', async () => {
    const gate = open();
    let failures = 0;
    const entering = hosts(200).map((server) =>
      gate.enter('key', server, 300_000).then(
        (end) => {
          failures += 1;
          fail([end], 100);
        },
        () => {},
      ),
    );
    await vi.advanceTimersByTimeAsync(299_000);
    expect(failures).toBe(8);
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(entering);
    expect(failures).toBeLessThanOrEqual(16);
  });

  it('refuses a server whose handshake has failed, with its reason, and only until the next one', async () => {
    const gate = open();
    fail(await enterAll(gate, ['server']), 2);
    await expect(gate.enter('key', 'server', 20_000)).rejects.toMatchObject({
      code: 'TIDINGS_HTTP_UNREACHABLE',
      message: 'server was not connected to: its last TLS handshake failed a moment ago: expired',
    });
    expect(await isAdmitted(gate, 'another', 0)).toBe(true);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await isAdmitted(gate, 'server', 0)).toBe(true);
  });

  it('lets the one that has waited the longest in first', async () => {
    const gate = open();
    const ends = await enterAll(gate, hosts(8));
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await gate.enter('key', name, 20_000);
      order.push(name);
    });
    ends[0]?.('complete');
    await vi.advanceTimersByTimeAsync(300);
    ends[1]?.('complete');
    await vi.advanceTimersByTimeAsync(300);
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
  });

  it.each([
    ['complete', 16, 64],
    ['resumed', 16, 176],
  ] as const)('limits how many succeed in a second: %s', async (outcome, atOnce, inSecond) => {
    const gate = open();
    for (const end of await enterAll(gate, ['server'])) end('complete');
    await vi.advanceTimersByTimeAsync(300);
    let made = 0;
    for (let count = 0; count < 500; count++)
      void gate.enter('key', 'server', 5_000).then(
        (end) => {
          made += 1;
          end(outcome);
        },
        () => {},
      );
    await vi.advanceTimersByTimeAsync(0);
    expect(made).toBe(atOnce);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made).toBe(inSecond);
  });

  it('lets new servers in while those that have succeeded take all their places', async () => {
    const gate = open();
    for (const end of await enterAll(gate, ['server'])) end('complete');
    await vi.advanceTimersByTimeAsync(300);
    await enterAll(gate, Array(16).fill('server'));
    expect(await isAdmitted(gate, 'server', 1_000)).toBe(false);
    expect(await isAdmitted(gate, 'new', 0)).toBe(true);
  });

  it('tries a server that has succeeded before once more, and then one at a time', async () => {
    const gate = open();
    for (const end of await enterAll(gate, ['server'])) end('complete');
    fail(await enterAll(gate, Array(16).fill('server')), 2);
    const [end] = await enterAll(gate, ['server']);
    expect(await isAdmitted(gate, 'server', 500)).toBe(false);
    end?.('complete');
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await isAdmitted(gate, 'server', 0)).toBe(true);
    fail(await enterAll(gate, ['server']), 2);
    fail(await enterAll(gate, ['server']), 2);
    expect(await isAdmitted(gate, 'server', 0)).toBe(false);
  });

  it('lets two be in progress at a time, one of them to a server that has not succeeded', async () => {
    const gate = openAsInUse();
    for (const end of await enterAll(gate, ['server'])) end('complete');
    await vi.advanceTimersByTimeAsync(300);
    const [first] = await enterAll(gate, ['new']);
    expect(await isAdmitted(gate, 'newer', 1_000)).toBe(false);
    const [second] = await enterAll(gate, ['server']);
    expect(await isAdmitted(gate, 'server', 1_000)).toBe(false);
    first?.('complete');
    expect(await isAdmitted(gate, 'newer', 0)).toBe(true);
    second?.('complete');
  });

  it('lets others have their turn after one that took long, and keeps its place also if it succeeds', async () => {
    const gate = openAsInUse();
    for (const server of hosts(8)) {
      const [end] = await enterAll(gate, [server]);
      cpu += 200;
      end?.('complete');
      expect(await isAdmitted(gate, 'new', 900)).toBe(false);
      await vi.advanceTimersByTimeAsync(200);
    }
    // Eight places of 40 s each, taken in 9 s.
    expect(await isAdmitted(gate, 'new', 30_000)).toBe(false);
    expect(await isAdmitted(gate, 'new', 10_000)).toBe(true);
  });

  it('forgets the failure of a server that succeeds meanwhile', async () => {
    const gate = open();
    for (const end of await enterAll(gate, ['server'])) end('complete');
    const [first, second] = await enterAll(gate, ['server', 'server']);
    fail(first === undefined ? [] : [first], 2);
    fail(await enterAll(gate, ['server']), 2);
    expect(await isAdmitted(gate, 'server', 0)).toBe(false);
    second?.('complete');
    expect(await isAdmitted(gate, 'server', 0)).toBe(true);
  });
});
