/** The limits of AWS: what the emulators enforce of them, and that the functions stay within. */

import { BatchWriteItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Attempt, openDelivery } from '../../core/model/delivery.ts';
import { createKey } from '../../manage/api/keys.ts';
import { startReceiver } from '../manage/api-world.ts';
import { delivery, event, NOON, snapshot, subscription } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { leaveUnprocessed } from './limits-check.ts';
import { startWorld, type World } from './world.ts';

/** Long enough that 200 of them exceed 6 MB. Quotes take two bytes in JSON, and three in JSON within JSON. */
const LONG_TEXT = 'A "quoted" word. '.repeat(2100);

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let key: string;

beforeAll(async () => {
  receiver = await startReceiver();
  world = await startWorld({
    simulator: { tasks: 60 },
    config: {
      manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: { rate: '1000/s' } },
      subscriptions: [{ name: 'ops', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
    },
  });
  captureOutput();
  const ports = { ...world.stores, clock: world.clock, randomBytes: (size: number) => Buffer.alloc(size, 7) };
  const caller = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  key = (await createKey(ports, caller, { name: 'test', scopes: ['admin'] })).token;
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await receiver.stop();
});

interface ListedPage {
  readonly data: readonly { readonly id?: string; readonly name?: string }[];
  readonly next: string | null;
  readonly more?: boolean;
}

interface Response {
  readonly statusCode: number;
  readonly body: string;
}

async function send(method: string, path: string, body?: unknown, headers: object = {}): Promise<Response> {
  const [rawPath = '', rawQueryString = ''] = `/v1${path}`.split('?');
  const call = {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: { host: 'x', authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body), isBase64Encoded: false }),
    requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' } },
  };
  return (await world.functions.manage(call as never)) as Response;
}

async function request<Body>(...call: Parameters<typeof send>): Promise<Body> {
  const { statusCode, body } = await send(...call);
  expect([statusCode, body.slice(0, statusCode === 200 ? 0 : 500)]).toEqual([200, '']);
  return JSON.parse(body) as Body;
}

/** Reads all pages. Returns the names or ids, and how many pages there were. */
async function readAll(path: string) {
  const names: string[] = [];
  for (let after = '', pages = 1; pages < 50; pages++) {
    const { data, next, more = next !== null } = await request<ListedPage>('GET', `${path}${after}`);
    names.push(...data.map(({ id, name }) => id ?? name ?? ''));
    if (!more) return { names, pages };
    after = `&after=${next}`;
  }
  throw new Error('the pages do not end');
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

/** An event of a description that changed, which has the texts before and after. */
const longEvent = (id: string, version = 2) => {
  const [from, to] = [`${LONG_TEXT}${id}`, `${LONG_TEXT}${Number(id) + 1}`];
  const data = { ...event(id).data, version, record: { id: '7', description: to }, previous: { description: from } };
  return event(id, {
    subject: 'task/7',
    time: world.clock.now(),
    data: { ...data, changes: [{ field: 'description', from, to }] },
  });
};

/** As many as a delivery keeps with the body of the response. */
const attempts = Array.from(
  { length: 12 },
  (_, n): Attempt => ({
    number: n + 1,
    at: NOON,
    ms: 1,
    outcome: 'retry',
    status: 500,
    body: LONG_TEXT.slice(0, 4000),
  }),
);

describe('a response of Lambda, at most 6 MB', () => {
  it('ends a page of events by its bytes, and the next one continues', async () => {
    const ids = numbers(200);
    for (const id of ids) await world.stores.events.record([{ event: longEvent(id, Number(id) + 1), deliveries: [] }]);
    const expected = ids.map((id) => `evt_${id}`);
    const oldest = await readAll('/events?limit=200');
    expect(oldest.names).toEqual(expected);
    expect(oldest.pages).toBeGreaterThan(1);
    expect((await readAll('/events?limit=200&order=newest&subject=task/7')).names).toEqual(expected.toReversed());
    expect((await readAll('/events?limit=200&order=newest&text=task')).names).toEqual(expected.toReversed());
  });

  it('has the newest versions of a record', async () => {
    const task = snapshot('7', { version: 201, record: { id: '7', description: LONG_TEXT } });
    await world.snapshots.commit([{ snapshot: task, expected: 0 }]);
    const { data } = await request<{
      readonly data: readonly { readonly history: readonly { version: number }[]; readonly more: boolean }[];
    }>('GET', '/records/task/7');
    expect(data[0]?.more).toBe(true);
    expect(data[0]?.history.at(-1)?.version).toBe(201);
    expect(data[0]?.history.length).toBeGreaterThan(5);
  });

  it('has large samples of a filter, also with an Idempotency-Key, which an item cannot keep', async () => {
    const filter = { events: ['task.*'], since: '1d' };
    for (const headers of [{}, { 'idempotency-key': 'once' }, { 'idempotency-key': 'once' }]) {
      const { matched, samples } = await request<{ matched: number; samples: readonly unknown[] }>(
        'POST',
        '/filters/test',
        filter,
        headers,
      );
      expect(matched).toBe(200);
      expect(samples).toHaveLength(10);
    }
  });

  it('ends pages of deliveries, subscriptions and changes by their bytes', async () => {
    const { stores } = world;
    const ids = numbers(120);
    const failed = ids.map((id) => delivery(`d${id}`, 'ops', { status: 'failed', dueAt: null, attempts }));
    const time = world.clock.now();
    await stores.events.record(failed.map((one, n) => ({ event: event(`d${n + 1}`, { time }), deliveries: [one] })));
    for (const path of ['/deliveries?limit=200', '/subscriptions/ops/deliveries?limit=200&status=failed']) {
      const { names, pages } = await readAll(path);
      expect(names).toEqual(failed.map(({ id }) => id).toReversed());
      expect(pages).toBeGreaterThan(1);
    }

    for (const id of ids)
      await stores.subscriptions.save(subscription(`long-${id}`, { declared: false, where: { data: [LONG_TEXT] } }));
    const subscriptions = await readAll('/subscriptions?limit=200');
    expect(subscriptions.names).toHaveLength(ids.length + 1);
    expect(subscriptions.pages).toBeGreaterThan(1);

    const by = { kind: 'key', id: '0123456789abcdef' } as const;
    const details = { reason: LONG_TEXT };
    const changes = ids.map((id) => ({
      id: `aud_${id}`,
      at: time,
      by,
      action: 'key.removed',
      target: 'key/1',
      details,
    }));
    for (const change of changes) await stores.audit.append(change);
    const audit = await readAll('/audit?limit=200');
    expect(audit.names.filter((id) => changes.some((change) => change.id === id))).toHaveLength(ids.length);
    expect(audit.pages).toBeGreaterThan(1);
  });

  const recordMany = async (id: string, kept: readonly Attempt[]) => {
    const carriers = numbers(150).map((n) =>
      delivery(id, `team-${n}`, { status: 'failed', dueAt: null, attempts: kept }),
    );
    await world.stores.events.record([{ event: event(id, { time: world.clock.now() }), deliveries: carriers }]);
  };

  it('has all deliveries of an event, some with their last attempt only', async () => {
    await recordMany('many', attempts);
    const { deliveries } = await request<{ deliveries: readonly { attempts: readonly Attempt[] }[] }>(
      'GET',
      '/events/evt_many',
    );
    expect(deliveries).toHaveLength(150);
    expect(deliveries[0]?.attempts).toEqual(attempts);
    const { body: _, ...last } = attempts.at(-1) ?? {};
    expect(deliveries.at(-1)?.attempts).toEqual([last]);
  });

  it('is a problem that says so, where a single answer is too large', async () => {
    await recordMany('large', [{ number: 1, at: NOON, ms: 1, outcome: 'retry', message: LONG_TEXT }]);
    const { statusCode, body } = await send('GET', '/events/evt_large');
    expect([statusCode, JSON.parse(body).code]).toEqual([500, 'TIDINGS_API_RESPONSE_TOO_LARGE']);
  });
});

describe('the requests to the tables', () => {
  it('are few, whatever period or cursor a caller asks for', async () => {
    let requests = 0;
    world.options.clients?.dynamodb?.middlewareStack.add(
      (next) => async (args) => {
        requests += 1;
        return next(args);
      },
      { step: 'initialize', name: 'countRequests' },
    );
    const cursorOf = (text: string) => Buffer.from(`listEvents ${text}`).toString('base64url');
    await send('POST', '/filters/test', { events: ['task.*'], since: '36500d' });
    await request('GET', '/events?since=36500d');
    for (const text of [
      '0000-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      `${NOON} x,a zzzzzzzz.zz-1,9999999999999.-x`,
      `${NOON}  2026-99-99T99:99:99.999Z`,
    ])
      await request('GET', `/events?after=${cursorOf(text)}`);
    world.options.clients?.dynamodb?.middlewareStack.remove('countRequests');
    // Each batch of events that is stored takes one.
    expect(requests).toBeLessThan(1000);
  });
});

describe('the tables', () => {
  const item = (bytes: number) => ({ pk: { S: 'limits' }, sk: { S: String(bytes) }, text: { S: 'x'.repeat(bytes) } });

  it('refuse an item over 400 KB', async () => {
    const { client } = world.tables;
    const TableName = world.names.ledger;
    const put = (bytes: number) => client.send(new PutItemCommand({ TableName, Item: item(bytes) }));
    await put(400 * 1024 - 50);
    await expect(put(400 * 1024 + 1)).rejects.toMatchObject({ name: 'ValidationException' });
    const update = new UpdateItemCommand({
      TableName,
      Key: { pk: { S: 'limits' }, sk: { S: 'longer' } },
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': { S: 'x'.repeat(400 * 1024 + 1) } },
    });
    await expect(client.send(update)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('keep the deliveries of an event to many subscriptions with long names beside a large record', async () => {
    const names = numbers(1800).map((id) => id.padEnd(64, 'x'));
    const { data, ...envelope } = longEvent('1800');
    const [from, to] = ['x'.repeat(150_000), 'y'.repeat(150_000)];
    const one = { ...envelope, data: { ...data, record: { text: to }, changes: [{ field: 'text', from, to }] } };
    const deliveries = names.map((name) => ({ ...openDelivery(one, name, NOON), dueAt: null }));
    await world.stores.events.record([{ event: one, deliveries }]);
    // A batch of the stream may come again.
    await world.stores.events.record([{ event: one, deliveries: deliveries.slice(0, 200) }]);
    const stored = await world.stores.deliveries.listByEvent(one.id);
    expect(new Set(stored.map(({ subscription }) => subscription))).toEqual(new Set(names));
    expect(stored).toHaveLength(names.length);
  });

  it('keep a subscription whose filter and template are nested more deeply than an item may be', async () => {
    let [where, body]: [unknown, unknown] = [['x'], 'x'];
    for (let n = 0; n < 40; n++) [where, body] = [{ a: where }, [body]];
    const deep = { where: { data: { record: where } }, template: { body: { deep: body } } };
    const made = await send('POST', '/subscriptions', { name: 'deep', url: receiver.url, events: ['task.*'], ...deep });
    expect([made.statusCode, made.body.slice(0, 200)]).toEqual([201, expect.any(String)]);
    expect(await request('GET', '/subscriptions/deep')).toMatchObject(deep);
    await send('DELETE', '/subscriptions/deep');
  });

  it('keep a subscription whose filter has a name that is longer than that of an attribute', async () => {
    const where = { data: { record: { ['x'.repeat(70_000)]: ['a'] } } };
    const made = await send('POST', '/subscriptions', { name: 'long', url: receiver.url, events: ['task.*'], where });
    expect([made.statusCode, made.body.slice(0, 200)]).toEqual([201, expect.any(String)]);
    expect(await request('GET', '/subscriptions/long')).toMatchObject({ where });
    await send('DELETE', '/subscriptions/long');
  });

  it('refuse a batch of more than 25 writes', async () => {
    const requests = numbers(26).map((id) => ({ PutRequest: { Item: { pk: { S: 'limits' }, sk: { S: id } } } }));
    const command = new BatchWriteItemCommand({ RequestItems: { [world.names.ledger]: requests } });
    await expect(world.tables.client.send(command)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('end a query after 1 MB', async () => {
    const { client } = world.tables;
    const TableName = world.names.ledger;
    for (const bytes of [390_001, 390_002, 390_003, 390_004]) {
      await client.send(new PutItemCommand({ TableName, Item: { ...item(bytes), pk: { S: 'pages' } } }));
    }
    const { Items, LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'pages' } },
      }),
    );
    expect(Items?.length).toBeLessThan(4);
    expect(LastEvaluatedKey).toBeDefined();
  });

  it('leave items of a batch unprocessed, and each is processed later', async () => {
    const { simulator, functions, options } = world;
    const { dynamodb } = options.clients ?? {};
    if (dynamodb === undefined) throw new Error('expected a client');
    const left = leaveUnprocessed(dynamodb);
    await functions.setup();
    await functions.poll();
    const open = simulator.account.list('task', { excludeclosed: 't', limit: '20' });
    for (const { id } of open) simulator.account.update('task', String(id), { statusid: 7 });
    world.clock.advance(2000);
    await functions.poll();
    await functions.announce(world.changes());
    const before = receiver.received.length;
    for (let records = await world.queues.receive(); records.length > 0; records = await world.queues.receive()) {
      await functions.deliver(records);
      await world.queues.settle(records, []);
    }
    expect(left()).toBeGreaterThan(0);
    const closed = receiver.received.slice(before).map(({ body }) => JSON.parse(body));
    expect(closed.filter(({ type }) => type === 'task.closed')).toHaveLength(open.length);
  });
});

describe('the queue', () => {
  const sendBatch = (...bodies: readonly string[]) =>
    world.queues.client.send(
      new SendMessageBatchCommand({
        QueueUrl: world.queues.url,
        Entries: bodies.map((MessageBody, n) => ({ Id: String(n), MessageBody })),
      }),
    );

  it('refuses batches over 1 MiB and over 10 messages, which jobs of a few hundred bytes never reach', async () => {
    await expect(sendBatch('x'.repeat(2 ** 20 + 1))).rejects.toThrow();
    await expect(sendBatch('x'.repeat(2 ** 19), 'x'.repeat(2 ** 19 + 1))).rejects.toThrow();
    await expect(sendBatch(...numbers(11))).rejects.toThrow();
  });
});
