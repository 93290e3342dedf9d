/**
 * The walk of docs/api.md with a key alone, against the real functions: subscribe an endpoint, get the ping and a signed event,
 * break the endpoint, see the attempts, fix it, retry, replay two days, rotate, delete.
 */

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { captureOutput } from '../functions/lambda-call.ts';
import type { PipelineWorld } from '../functions/world.ts';
import { type ReceivedRequest, startReceiver } from '../manage/api-world.ts';
import { startAwsWorld } from './world.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

let world: PipelineWorld;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let token: string;
let tasks: string[];

beforeAll(async () => {
  receiver = await startReceiver();
  world = await startAwsWorld({
    config: {
      manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: { rate: '1000/s' } },
      subscriptions: [],
    },
  });
  tasks = world.simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  captureOutput();
  await world.functions.setup();
  const ports = {
    ...world.stores,
    clock: world.clock,
    randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
  };
  const operator = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  const request = { name: 'billing', scopes: ['subscribe', 'read'], events: ['task.*'] } as const;
  token = (await createKey(ports, operator, request)).token;
  // The baseline.
  await poll();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await receiver.stop();
});

type ManageEvent = Parameters<PipelineWorld['functions']['manage']>[0];

/** A request as API Gateway hands it over. */
async function ask(method: string, path: string, body?: unknown) {
  const [rawPath = '', rawQueryString = ''] = `/v1${path}`.split('?');
  const request = {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: {
      host: 'tidings.example.com',
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body), isBase64Encoded: false }),
    requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: 'curl' }, authorizer: {} },
  };
  const { statusCode: status, body: text } = (await world.functions.manage(request as unknown as ManageEvent)) as {
    readonly statusCode: number;
    readonly body: string;
  };
  return { status, body: text === '' ? undefined : JSON.parse(text) };
}

async function poll(): Promise<void> {
  world.clock.advance(2 * SECOND);
  await world.functions.poll();
  await world.functions.announce(await world.changes());
}

/** What Lambda does with the queue, until it is empty. */
async function deliver(): Promise<void> {
  await world.functions.tick();
  for (;;) {
    const records = await world.queues.receive();
    if (records.length === 0) return;
    const { batchItemFailures } = await world.functions.deliver(records);
    const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    await world.queues.settle(records, failed);
  }
}

/** Closes a task, and returns its subject. */
async function closeTask(): Promise<string> {
  const id = tasks.pop() ?? '';
  world.simulator.account.update('task', id, { statusid: CLOSED });
  await poll();
  await deliver();
  return `task/${id}`;
}

function verified({ body, headers }: ReceivedRequest, secret: string) {
  // The clock of the world is not that of the machine: the age of the signature is not checked.
  const at = Number(headers['webhook-timestamp']) * 1000;
  vi.spyOn(Date, 'now').mockReturnValue(at);
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
  } finally {
    vi.mocked(Date.now).mockRestore();
  }
}

describe('a key alone', () => {
  it('subscribes an endpoint, sees it fail, repairs it, rotates its secret and removes it', async () => {
    const wanted = { name: 'billing', url: receiver.url, query: 'task.closed' };
    const made = await ask('POST', '/subscriptions', wanted);
    expect(made).toMatchObject({ status: 201, body: { active: true, state: 'ok', events: ['task.closed'] } });
    const { name, secret } = made.body as { readonly name: string; readonly secret: string };
    const [ping] = receiver.received.splice(0);
    expect(verified(ping as ReceivedRequest, secret)).toMatchObject({ type: 'tidings.ping' });

    const first = await closeTask();
    const [signed, ...none] = receiver.received.splice(0);
    expect(none).toEqual([]);
    expect(verified(signed as ReceivedRequest, secret)).toMatchObject({ type: 'task.closed', subject: first });

    receiver.status = 500;
    const second = await closeTask();
    expect(receiver.received.splice(0)).toHaveLength(1);
    const { body: page } = await ask('GET', '/subscriptions/billing/deliveries?status=pending');
    expect(page.data).toMatchObject([
      {
        subscription: name,
        attempts: [{ number: 1, status: 500, outcome: 'retry', body: 'seen', requestId: expect.any(String) }],
      },
    ]);
    const [failed] = page.data as readonly { readonly id: string; readonly events: readonly string[] }[];
    const { body: explained } = await ask('GET', `/events/${failed?.events[0]}`);
    expect(explained).toMatchObject({
      event: { subject: second },
      deliveries: [{ id: failed?.id, status: 'pending' }],
    });

    receiver.status = 200;
    world.clock.advance(5 * MINUTE);
    expect((await ask('POST', `/deliveries/${failed?.id}/retry`)).status).toBe(202);
    await deliver();
    expect((await ask('GET', `/deliveries/${failed?.id}`)).body).toMatchObject({ status: 'settled' });
    expect(receiver.received.splice(0)).toHaveLength(1);

    const period = { since: '2d' };
    expect((await ask('POST', '/subscriptions/billing/replay', { ...period, dryRun: true })).body.count).toBe(2);
    expect((await ask('POST', '/subscriptions/billing/replay', period)).body.count).toBe(2);
    await deliver();
    const replayed = receiver.received.splice(0);
    expect(replayed.map(({ headers }) => headers['tidings-replay'])).toEqual(['true', 'true']);
    expect(replayed.map((one) => verified(one, secret).subject).sort()).toEqual([first, second].sort());

    const rotated = await ask('POST', '/subscriptions/billing/rotate');
    expect(rotated.status).toBe(200);
    const third = await closeTask();
    const [both] = receiver.received.splice(0) as [ReceivedRequest];
    for (const one of [secret, rotated.body.secret as string])
      expect(verified(both, one)).toMatchObject({ subject: third });

    expect((await ask('DELETE', '/subscriptions/billing')).status).toBe(204);
    expect((await ask('GET', '/subscriptions/billing')).status).toBe(404);
    await closeTask();
    expect(receiver.received).toEqual([]);
    const { entries } = await world.stores.audit.page({ limit: 20 });
    expect(entries.map(({ action }) => action)).toEqual([
      ...['subscription.removed', 'subscription.rotated', 'subscription.replayed', 'delivery.retried'],
      ...['subscription.created', 'key.created'],
    ]);
  });
});
