/**
 * Compares the table permissions of each function with what the real functions do. A missing permission would show only
 * in a real account.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unsubscribeToken } from '../../core/delivery/signing/unsubscribe.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { FUNCTION_PERMISSIONS, type TablePermissions } from '../../lib/function-permissions.ts';
import { FUNCTION_NAMES, type FunctionName } from '../../runtime/aws/metrics.ts';
import { captureOutput } from '../functions/lambda-call.ts';
import { startWorld, type World } from '../functions/world.ts';
import { SECRET } from '../samples.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

interface Asked {
  readonly action: string;
  readonly table: 'snapshots' | 'ledger';
  readonly index?: string;
}

const asked = new Map<FunctionName, Asked[]>(FUNCTION_NAMES.map((name) => [name, []]));
let world: World;
let receiver: Receiver;
let running: FunctionName = 'setup';

const as = async <T>(name: FunctionName, run: () => Promise<T>): Promise<T> => {
  running = name;
  return run();
};

beforeAll(async () => {
  receiver = await startReceiver(SECRET);
  captureOutput();
  const http = { url: receiver.url, secret: '${OPS}' };
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      subscriptions: [
        { name: 'ops', events: ['task.*'], to: { http } },
        { name: 'all', events: ['*'], to: { http } },
        { name: 'mail', events: ['task.*'], to: { email: { to: ['team@example.com'] } } },
        { name: 'digest', events: ['task.*'], digest: { at: '08:30' }, to: { email: { to: ['team@example.com'] } } },
      ],
    },
  });
  const { dynamodb } = world.options.clients ?? {};
  if (dynamodb !== undefined) listenTo(dynamodb);
  await live();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([world.stop(), receiver.close()]);
});

function listenTo(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input: Readonly<Record<string, unknown>> = { ...args.input };
      const { TableName, RequestItems, IndexName } = input;
      const tables = RequestItems === undefined ? [TableName] : Object.keys(Object(RequestItems));
      const action = String(context.commandName).replace(/Command$/, '');
      for (const name of tables) {
        const table = name === world.names.snapshots ? 'snapshots' : 'ledger';
        const index = IndexName === undefined ? {} : { index: String(IndexName) };
        asked.get(running)?.push({ action, table, ...index });
      }
      return next(args);
    },
    { step: 'initialize', name: 'asked' },
  );
}

/** Some hours of an account: changes, failures, retries, missing records, a digest, and management commands. */
async function live(): Promise<void> {
  const { functions, simulator, clock } = world;
  await as('setup', () => functions.setup());
  await pollOnce();
  const open = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  for (const id of open.slice(0, 3)) simulator.account.update('task', id, { statusid: CLOSED });
  simulator.account.remove('task', open[4] ?? '');
  await pollOnce();
  receiver.status = 503;
  await drain();
  for (let hour = 0; hour < 26; hour += 2) {
    clock.advance(120 * MINUTE);
    if (hour > 2) receiver.status = 204;
    await as('tick', () => functions.tick());
    await drain();
    await pollOnce();
  }
  await as('manage', () => functions.manage(request('GET', '/health')));
  const token = unsubscribeToken({ subscription: 'mail', address: 'team@example.com' }, SECRET);
  const answer = await as('manage', () => functions.manage(request('POST', `/unsubscribe/${token}`)));
  expect(answer).toMatchObject({ statusCode: 200 });
  // The next deployment removes a subscription that is not in the config anymore.
  await world.stores.subscriptions.save({
    name: 'old',
    events: ['*'],
    to: { channel: 'email', settings: { to: ['x@example.com'] } },
    declared: true,
  });
  await as('setup', () => functions.setup());
}

async function pollOnce(): Promise<void> {
  world.clock.advance(2 * SECOND);
  await as('poll', () => world.functions.poll());
  const changes = world.changes();
  if (changes.length > 0) await as('announce', () => world.functions.announce(changes));
}

async function drain(): Promise<void> {
  for (;;) {
    const records: readonly SQSRecord[] = await world.queues.receive();
    if (records.length === 0) return;
    await as('deliver', () => world.functions.deliver(records));
    await world.queues.settle(records, []);
  }
}

const request = (method: string, rawPath: string): Parameters<World['functions']['manage']>[0] =>
  ({
    version: '2.0',
    routeKey: '$default',
    body: null,
    rawPath,
    rawQueryString: '',
    headers: { host: 'tidings.example.com' },
    isBase64Encoded: false,
    requestContext: { http: { method, path: rawPath }, domainName: 'tidings.example.com' },
  }) as unknown as Parameters<World['functions']['manage']>[0];

const isAllowed = (
  { action, index }: Asked,
  { table, partitions, indexes = [] }: TablePermissions = { table: [] },
): boolean =>
  index === undefined
    ? [...table, ...(partitions?.actions ?? [])].includes(action)
    : action === 'Query' && indexes.includes(index);

describe('permissions', () => {
  it.each(FUNCTION_NAMES)('allow every table operation of %s', (name) => {
    const done = asked.get(name) ?? [];
    expect(done.length).toBeGreaterThan(0);
    const refused = done.filter((one) => !isAllowed(one, FUNCTION_PERMISSIONS[name][one.table]));
    expect([...new Set(refused.map((one) => JSON.stringify(one)))]).toEqual([]);
  });

  it('were exercised by rare writes too', () => {
    expect(asked.get('manage')).toContainEqual({ action: 'PutItem', table: 'snapshots' });
    expect(asked.get('setup')).toContainEqual({ action: 'BatchWriteItem', table: 'ledger' });
    expect(asked.get('deliver')).toContainEqual({ action: 'Query', table: 'ledger', index: 'lists' });
    expect(asked.get('deliver')).toContainEqual({ action: 'PutItem', table: 'snapshots' });
    expect(asked.get('poll')).toContainEqual({ action: 'BatchWriteItem', table: 'ledger' });
  });
});
