/** People get one copy of each message, however many jobs are queued for its delivery and however many sandboxes run. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QUEUE_GRACE } from '../../core/model/delivery.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { delivery, event } from '../samples.ts';
import { seededRandom } from '../truth/seeded-random.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const READERS = Array.from({ length: 15 }, (_, n) => `reader-${n}`);

/** Longer than all sandboxes need to receive their batches. */
const RESPONSE_MS = 400;

let world: World;
const chance = seededRandom(1);
const mails: string[] = [];
const server = createServer(async (request, response) => {
  const { Destination } = (await json(request)) as SendEmailCommandInput;
  mails.push(Destination?.ToAddresses?.join() ?? '');
  await wait(RESPONSE_MS);
  response.setHeader('content-type', 'application/json');
  response.end('{"MessageId":"ses-1"}');
});

beforeEach(async () => {
  mails.length = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const to = (name: string) => ({ email: { to: [`${name}@example.com`] } });
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      subscriptions: READERS.map((name) => ({ name, events: ['task.*'], to: to(name) })),
    },
  });
  captureOutput();
  await world.functions.setup();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await new Promise((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
});

/** One delivery for each reader, due now. */
async function owe(status: 'pending' | 'waiting'): Promise<void> {
  const [createdAt, dueAt] = [world.clock.now(), world.clock.now()];
  const deliveries = READERS.map((name) => delivery('1', name, { createdAt, dueAt, status }));
  await world.stores.events.record([{ event: event('1'), deliveries }]);
}

/** A new sandbox of every function. */
function openSandbox() {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { clientSettings } = world.options;
  return openFunctions({
    ...world.options,
    random: chance.unit,
    clientSettings: { ...clientSettings, mail: { ...clientSettings?.secrets, endpoint } },
  });
}

async function receiveAll(): Promise<readonly (readonly SQSRecord[])[]> {
  const batches: (readonly SQSRecord[])[] = [];
  for (;;) {
    const batch = await world.queues.receive();
    if (batch.length === 0) return batches;
    batches.push(batch);
  }
}

/** Every batch in a sandbox of its own, all at once. */
const deliverAll = (batches: readonly (readonly SQSRecord[])[]) =>
  Promise.all(batches.map((batch) => openSandbox().deliver(batch)));

function expectOneCopyEach(): void {
  expect(new Set(mails).size).toBe(READERS.length);
  expect(mails).toHaveLength(READERS.length);
}

describe.each(['pending', 'waiting'] as const)('a %s message to each of 15 readers', (status) => {
  it('is sent once, although tick queued it six times while deliver was away', async () => {
    await owe(status);
    for (let ticks = 0; ticks < 6; ticks++) {
      await openSandbox().tick();
      world.clock.advance(QUEUE_GRACE + SECOND);
    }
    await deliverAll(await receiveAll());
    // The last step of the clock made all of those jobs stale.
    for (let rounds = 0; rounds < 3; rounds++) {
      await openSandbox().tick();
      await deliverAll(await receiveAll());
      world.clock.advance(MINUTE);
    }
    expectOneCopyEach();
  });

  it('is sent once, although two ticks ran at once', async () => {
    await owe(status);
    await Promise.all([openSandbox().tick(), openSandbox().tick()]);
    await deliverAll(await receiveAll());
    expectOneCopyEach();
  });

  it('is sent once, although SQS delivers every job to two sandboxes', async () => {
    await owe(status);
    await openSandbox().tick();
    const batches = await receiveAll();
    await deliverAll([...batches, ...batches]);
    expectOneCopyEach();
  });

  it('is sent once, although its job is received again while the attempt is in flight', async () => {
    await owe(status);
    await openSandbox().tick();
    const batches = await receiveAll();
    const first = deliverAll(batches);
    await vi.waitFor(() => expect(mails.length).toBeGreaterThanOrEqual(READERS.length), { timeout: 30_000 });
    await deliverAll(batches);
    await first;
    expectOneCopyEach();
  });
});
