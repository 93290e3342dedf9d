/** The heaviest work of each function: what is in the tables before, the events, and what has to be true afterwards. */

import { randomBytes } from 'node:crypto';
import { toItem } from '../adapters/dynamodb/attribute-values.ts';
import { deliveryItem } from '../adapters/dynamodb/delivery-item.ts';
import { snapshotItem } from '../adapters/dynamodb/snapshot-item.ts';
import { dynamoStores } from '../adapters/dynamodb/stores.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { timelinePlace } from '../adapters/dynamodb/timeline.ts';
import { encodeJob } from '../adapters/sqs/job.ts';
import { openDelivery } from '../core/model/delivery.ts';
import { DAY } from '../core/model/time.ts';
import { FUNCTION_SIZES, type FunctionSize, manageSize } from '../lib/function-sizes.ts';
import { createKey } from '../manage/api/keys.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { event, snapshot, subscription } from '../test/samples.ts';
import type { SlowAws } from './slow-aws.ts';

const DUE = 5_000;
const RENAMED = 10_000;
const SOURCES = 50;
export const TASKS_PER_SOURCE = 200;
const STREAM_BATCH = 100;
const QUEUE_BATCH = 10;

const TOKEN = 'ssm:/tidings/token';
const OPS = 'secret:tidings#ops';

/** A result of a case: null if it did what it had to do, otherwise what is wrong. */
type Check = (result: unknown) => Promise<string | null> | string | null;

export interface LambdaCase {
  readonly label: string;
  /** What one invocation works on, for the milliseconds billed for each. @default - the invocation itself */
  readonly units?: { readonly count: number; readonly name: string };
  readonly name: FunctionName;
  readonly size: FunctionSize;
  readonly config: Readonly<Record<string, unknown>>;
  /** The longest it may take, as a share of the timeout. @default 0.5 */
  readonly limit?: number;
  /** Milliseconds that a caller waits for a cold start and the first answer. @default - the timeout of the function */
  readonly patience?: number;
  /** Invocations of the same sandbox. The last one is reported. @default 1 */
  readonly rounds?: number;
  /** Prepares tables and queue. Returns the event of each round. */
  readonly prepare: (aws: SlowAws) => Promise<(round: number) => unknown>;
  readonly check: (aws: SlowAws) => Check;
}

export function lambdaCases(apiUrl: string, receiverUrl: string): readonly LambdaCase[] {
  const to = { http: { url: receiverUrl, secret: OPS } };
  const source = { baseUrl: apiUrl, token: TOKEN, timeZone: 'UTC', resources: onlyTasks(), quota: { perMinute: 1e6 } };
  const subscriptions = Array.from({ length: 20 }, (_, n) => ({ name: `team-${n}`, events: ['task.*'], to }));
  const config = { source, subscriptions };
  const sources = Array.from({ length: SOURCES }, (_, n) => ({ ...source, name: `account-${n}` }));
  const renamed = { name: 'after', renamedFrom: 'before', events: ['task.*'], to };
  const manage = { url: 'https://tidings.example.com', secret: OPS, api: {}, console: 'on' };
  return [
    {
      label: `${DUE.toLocaleString('en')} due`,
      name: 'tick',
      size: sizeOf('tick'),
      config,
      prepare: async (aws) => {
        await seedDeliveries(aws, DUE, 'team-0');
        return () => ({});
      },
      check: (aws) => () => expected('jobs', DUE, aws.queued()),
    },
    {
      label: 'nothing due',
      name: 'tick',
      size: sizeOf('tick'),
      config,
      rounds: 5,
      prepare: async () => () => ({}),
      check: (aws) => () => expected('jobs', 0, aws.queued()),
    },
    {
      label: `renames ${RENAMED.toLocaleString('en')}`,
      name: 'setup',
      size: sizeOf('setup'),
      config: { source, subscriptions: [renamed] },
      prepare: async (aws) => {
        await storesOf(aws).subscriptions.save(subscription('before', { declared: true }));
        await seedDeliveries(aws, RENAMED, 'before');
        return () => ({});
      },
      check: (aws) => async () => {
        const moved = await storesOf(aws).deliveries.listIds({ status: 'pending', subscription: 'after' });
        return expected('deliveries', RENAMED, moved.length);
      },
    },
    {
      label: `first sync of ${SOURCES} sources with ${TASKS_PER_SOURCE} tasks each`,
      units: { count: SOURCES, name: 'source' },
      name: 'poll',
      size: sizeOf('poll'),
      config: { sources, subscriptions },
      prepare: async () => () => ({}),
      check: (aws) => async () => {
        const states = sources.map(({ name }) => storesOf(aws).scanStates.get(name, 'task'));
        const done = (await Promise.all(states)).filter((state) => state?.baselinedAt != null);
        return expected('sources', SOURCES, done.length);
      },
    },
    {
      label: 'nothing due',
      name: 'poll',
      size: sizeOf('poll'),
      config,
      // The first one reads the account. Four of five polls at the default cadence are like the last one.
      rounds: 4,
      prepare: async () => () => ({}),
      check: (aws) => async () =>
        (await storesOf(aws).scanStates.get('main', 'task'))?.baselinedAt == null ? 'no baseline' : null,
    },
    {
      label: `${STREAM_BATCH} changes for 20 subscriptions`,
      units: { count: STREAM_BATCH * 2 * 20, name: 'delivery' },
      // Each change is two events, closed and status changed.
      name: 'announce',
      size: sizeOf('announce'),
      config,
      rounds: 3,
      prepare: async () => streamBatch,
      check: (aws) => () => expected('jobs', 3 * STREAM_BATCH * 2 * 20, aws.queued()),
    },
    {
      label: `${QUEUE_BATCH} deliveries`,
      units: { count: QUEUE_BATCH, name: 'delivery' },
      name: 'deliver',
      size: sizeOf('deliver'),
      config,
      rounds: 5,
      prepare: async (aws) => {
        const batches = await seedAttempts(aws, 5);
        return (round) => ({ Records: batches[round] ?? [] });
      },
      check: (aws) => async () => {
        const settled = await storesOf(aws).deliveries.list({ status: 'settled', limit: 1000 });
        return expected('settled deliveries', 5 * QUEUE_BATCH, settled.length);
      },
    },
    {
      label: 'cold start and first request',
      name: 'manage',
      size: withMemory(manageSize({ isManaged: true, hasSlack: true })),
      config: { ...config, manage },
      // Slack's.
      patience: 3000,
      limit: 1,
      prepare: async (aws) => {
        const ports = { ...storesOf(aws), clock: systemClock, randomBytes };
        const caller = { kind: 'command', id: 'bench', scopes: ['admin'] } as const;
        const { token } = await createKey(ports, caller, { name: 'bench', scopes: ['read'] });
        return () => apiRequest('/v1/events', token);
      },
      check: () => (result) => {
        const { statusCode } = result as { readonly statusCode: number };
        return statusCode === 200 ? null : `got ${statusCode}`;
      },
    },
  ];
}

function sizeOf(name: FunctionName): FunctionSize {
  return withMemory(FUNCTION_SIZES[name]);
}

function withMemory(size: FunctionSize): FunctionSize {
  const given = process.env.LAMBDA_MEMORY_MB;
  return given === undefined ? size : { ...size, memoryMb: Number(given) };
}

function onlyTasks() {
  const others = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
  return { ...Object.fromEntries(others.map((name) => [name, 'off'])), task: { every: '1m' } };
}

const expected = (what: string, count: number, got: number) =>
  count === got ? null : `expected ${count} ${what}, got ${got}`;

function storesOf({ tables, names }: SlowAws) {
  return dynamoStores({ client: tables.client, tables: names, retention: 90 * DAY, clock: systemClock });
}

/** Pending deliveries that are due, without their events: tick and setup do not read these. */
async function seedDeliveries({ tables, names }: SlowAws, count: number, name: string): Promise<void> {
  const now = systemClock.now();
  const items = Array.from({ length: count }, (_, n) => {
    const delivery = openDelivery(event(`due-${n}`), name, now);
    return deliveryItem({ ...delivery, dueAt: now }, timelinePlace(`${now}-00000-bench`, n), 90 * DAY);
  });
  await openTable({ client: tables.client, table: names.ledger }).writeAll(items, []);
}

async function seedAttempts(aws: SlowAws, batches: number) {
  const stores = storesOf(aws);
  const now = systemClock.now();
  const ids = Array.from({ length: batches * QUEUE_BATCH }, (_, n) => `attempt-${n}`);
  const opened = ids.map((id, n) => {
    const one = longEvent(id);
    return { event: one, deliveries: [openDelivery(one, `team-${n % 20}`, now)] };
  });
  await stores.events.record(opened);
  const messages = opened.flatMap(({ deliveries }) =>
    deliveries.map(({ id, subscription: group, dueAt }) => ({
      messageId: id,
      body: encodeJob({ kind: 'attempt', delivery: id, attempt: 1, group, ...(dueAt === null ? {} : { dueAt }) }),
    })),
  );
  return Array.from({ length: batches }, (_, n) => messages.slice(n * QUEUE_BATCH, (n + 1) * QUEUE_BATCH));
}

/** With a description of a few kilobytes. */
function longEvent(id: string) {
  const sample = event(id, { time: systemClock.now() });
  return {
    ...sample,
    data: { ...sample.data, record: { ...sample.data.record, description: 'A sentence. '.repeat(300) } },
  };
}

/** Tasks that were closed, as the stream has them. */
function streamBatch(round: number) {
  const description = 'A sentence. '.repeat(100);
  const Records = Array.from({ length: STREAM_BATCH }, (_, n) => {
    const id = String(round * STREAM_BATCH + n + 1);
    const fields = { id, title: `Task ${id}`, description };
    const times = { committedAt: systemClock.now(), occurred: { after: null, before: systemClock.now() } };
    const before = snapshot(id, { record: { ...fields, status: 'Open', dateclosed: null } });
    const closed = { ...fields, status: 'Closed', dateclosed: '2026-11-14T12:00:00.000Z' };
    const after = snapshot(id, { ...times, version: 2, record: closed, stage: { closed: true } });
    const images = { OldImage: toItem(snapshotItem(before)), NewImage: toItem(snapshotItem(after)) };
    return { eventID: id, eventName: 'MODIFY', dynamodb: { ...images, SequenceNumber: id.padStart(21, '0') } };
  });
  return { Records };
}

function apiRequest(path: string, token: string) {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'tidings.example.com', authorization: `Bearer ${token}` },
    requestContext: { http: { method: 'GET', path, sourceIp: '192.0.2.1', userAgent: 'bench' } },
  };
}
