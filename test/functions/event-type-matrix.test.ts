/**
 * The matrix of routes and keys with event types through the functions, on DynamoDB. It has fewer keys and subjects than that of the
 * embedded mode, which decides with the same code: what differs is how the stores read, page and filter.
 */

import { expect, vi } from 'vitest';
import { createKey } from '../../manage/api/keys.ts';
import { startReceiver } from '../manage/api-world.ts';
import { describeEventTypeMatrix, type MatrixWorld, type Subject } from '../manage/event-type-matrix.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld } from './world.ts';

const RARELY = { every: '1d', sweep: '7d' };
const OFF = Object.fromEntries(
  ['project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [name, 'off']),
);

const OWNER = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;

async function startMatrix(): Promise<MatrixWorld> {
  const receiver = await startReceiver();
  const quotas = { changes: '100000/s', previews: '100000/s', replays: '100000/s' };
  const world = await startWorld({
    source: { resources: { ...OFF, task: RARELY, invoice: RARELY } },
    config: {
      manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: { rate: '100000/s', quotas } },
      subscriptions: [],
    },
  });
  const output = captureOutput();
  await world.functions.setup();
  const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));
  const ports = { ...world.stores, clock: world.clock, randomBytes };
  const makeKey: MatrixWorld['makeKey'] = (scopes, events) =>
    createKey(ports, OWNER, { name: 'test', scopes, ...(events === undefined ? {} : { events }) });
  const { token: admin } = await makeKey(['admin']);

  type Event = Parameters<typeof world.functions.manage>[0];
  const request = async (method: string, path: string, body: unknown, key: string) => {
    const [rawPath = '', rawQueryString = ''] = `/v1${path}`.split('?');
    const given = {
      ...{ version: '2.0', rawPath, rawQueryString },
      headers: { host: 'x', authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body), isBase64Encoded: false }),
      requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, authorizer: {} },
    };
    const answer = (await world.functions.manage(given as unknown as Event)) as {
      readonly statusCode: number;
      readonly body: string;
    };
    return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };
  /** What Lambda does with the queue. */
  const deliver = async () => {
    for (let records = await world.queues.receive(); records.length > 0; records = await world.queues.receive()) {
      await world.functions.deliver(records);
      await world.queues.settle(records, []);
    }
  };

  return {
    receiver,
    stores: { ...world.stores, snapshots: world.snapshots },
    now: world.clock.now,
    makeKey,
    async ask(method, path, body, { key = admin, isSettled = false } = {}) {
      const asking = request(method, path, body, key);
      if (!isSettled || method === 'GET') return asking;
      let isAnswered = false;
      const answered = asking.finally(() => {
        isAnswered = true;
      });
      // A test waits for its attempt.
      while (path.endsWith('/test') && !isAnswered) {
        if (world.queues.count() > 0) await deliver();
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const answer = await answered;
      await world.functions.tick();
      await deliver();
      return answer;
    },
    async settle() {
      await world.functions.tick();
      await deliver();
    },
    async stop() {
      expect(output.lines('request failed')).toEqual([]);
      vi.restoreAllMocks();
      await world.stop();
      await receiver.stop();
    },
  };
}

/** Those that differ most: what waits is beyond the key, or the subscription is that of another. A test waits for its attempt. */
const isTried = ({ label, own }: Subject, operation: string) =>
  own ? label !== 'beyond' : label === 'beyond' || (label === 'within' && operation !== 'testSubscription');

describeEventTypeMatrix(startMatrix, {
  keys: [
    { scopes: ['read'], events: ['invoice.*', 'm*'] },
    { scopes: ['subscribe'] },
    { scopes: ['operate'], events: ['invoice.*'] },
  ],
  isTried,
});
