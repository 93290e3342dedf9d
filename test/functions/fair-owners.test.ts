/** A thousand subscriptions of one key do not delay those of another: the group of each message that the functions send is its owner. */

import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inParallel } from '../../adapters/aws/parallel.ts';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { snapshotItem } from '../../adapters/dynamodb/snapshot-item.ts';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { decodeLate } from '../../adapters/sqs/late-job.ts';
import { delivery, event, snapshot, subscription } from '../samples.ts';
import { type FairMessage, measureWaits } from './fair-queue.ts';
import { MOST_RECEIVES, recordOf, startWorld, type World } from './world.ts';

/** As deployed: `maxConcurrency` by default, and the batches of the event source. */
const CONSUMERS = { concurrency: 20, batchSize: 10 };

/** Seconds of an attempt at a receiver that does not answer, and at one that does. */
const DEAD = 15;
const ALIVE = 0.2;

const NOISY = 1000;

interface Sent {
  readonly tenant: string;
  readonly subscription: string;
  readonly body: string;
}

let world: World;
let sent: Sent[];
/** Messages that ask for deliveries to be opened. */
let late: Pick<Sent, 'tenant' | 'body'>[];

beforeEach(async () => {
  world = await startWorld({ config: { manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: {} } } });
  sent = [];
  late = [];
  // The emulator drops the group of a message in a standard queue.
  world.queues.client.middlewareStack.add(
    (next) => async (args) => {
      const { Entries = [] } = args.input as Partial<SendMessageBatchCommandInput>;
      for (const { MessageBody: body = '', MessageGroupId: tenant = '' } of Entries) {
        if (decodeLate(body) !== undefined) late.push({ tenant, body });
        else sent.push({ tenant, subscription: decodeJob({ messageId: '', body }).group, body });
      }
      return next(args);
    },
    { step: 'initialize' },
  );
  const names = Array.from({ length: NOISY }, (_, n) => `noisy-${n}`);
  const made = [
    ...names.map((name) => subscription(name, { declared: false, owner: 'key_noisy' })),
    subscription('quiet', { declared: false, owner: 'key_quiet' }),
    subscription('of-channel', { declared: false, owner: 'slack:C1' }),
    subscription('operators', { declared: false }),
  ];
  await inParallel(made, (one) => world.stores.subscriptions.save(one));
});

afterEach(async () => {
  await world.stop();
});

/** What each message waits for a consumer, if the receivers of the noisy key do not answer. The noisy ones arrived first. */
function waitsOf(tenantOf: (one: Sent) => string): ReadonlyMap<string, number> {
  const isNoisy = (one: Sent) => one.subscription.startsWith('noisy-');
  const ordered = [...sent.filter(isNoisy), ...sent.filter((one) => !isNoisy(one))];
  const messages = ordered.map((one): FairMessage & Sent => ({
    ...one,
    tenant: tenantOf(one),
    seconds: isNoisy(one) ? DEAD : ALIVE,
  }));
  const waits = measureWaits(messages, CONSUMERS);
  return new Map(messages.map((one) => [one.subscription, waits.get(one) ?? Number.NaN]));
}

const newTask = (id: string) =>
  ({ dynamodb: { NewImage: toItem(snapshotItem(snapshot(id))), SequenceNumber: id } }) as unknown as DynamoDBRecord;

/** Hands the messages to deliver, as the queue does. */
async function openLateOnes(): Promise<void> {
  const records = late.map(({ body }, n) => recordOf(`late-${n}`, body));
  expect(await world.functions.deliver(records)).toEqual({ batchItemFailures: [] });
}

function expectFairness(): void {
  expect(sent).toHaveLength(NOISY + 3);
  const tenants = Map.groupBy(sent, ({ tenant }) => tenant);
  expect([...tenants.keys()].toSorted()).toEqual(['key_noisy', 'key_quiet', 'operators', 'slack:C1']);
  expect(tenants.get('key_noisy')).toHaveLength(NOISY);
  const others = ['quiet', 'of-channel', 'operators'];
  const waits = waitsOf(({ tenant }) => tenant);
  for (const name of others) expect(waits.get(name)).toBeLessThanOrEqual(DEAD);
  // With the subscription as the group no tenant is noisy, and the others wait for the whole backlog.
  const bySubscription = waitsOf((one) => one.subscription);
  for (const name of others) expect(bySubscription.get(name)).toBeGreaterThanOrEqual(5 * DEAD);
}

/** Returns how often all that is due was read since. */
function countUnlimitedReads(): () => number {
  let reads = 0;
  world.options.clients?.dynamodb?.middlewareStack.add(
    (next) => async (args) => {
      const { IndexName, Limit } = args.input as Partial<QueryCommandInput>;
      reads += IndexName === 'agenda' && Limit === undefined ? 1 : 0;
      return next(args);
    },
    { step: 'initialize' },
  );
  return () => reads;
}

describe('a key with a thousand subscriptions whose receivers do not answer', () => {
  it('delays nobody else with what announce queues', async () => {
    await world.functions.announce([newTask('1')]);
    expect(new Set(late.map(({ tenant }) => tenant))).toEqual(new Set(['key_noisy']));
    await openLateOnes();
    expectFairness();
    const [created] = (await world.stores.events.list({ limit: 1 })).events;
    const stored = await world.stores.deliveries.listByEvent(created?.id ?? '');
    expect(new Set(stored.map((one) => one.subscription)).size).toBe(NOISY + 3);
  });

  it('takes announce no longer than a few subscriptions would', async () => {
    let writes = 0;
    const { dynamodb } = world.options.clients ?? {};
    dynamodb?.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          writes += commandName === 'PutItemCommand' ? 1 : 0;
          return next(args);
        },
      { step: 'initialize' },
    );
    await world.functions.announce(['1', '2', '3', '4', '5'].map(newTask));
    // Of each event its item and three deliveries, and the place of all of them.
    expect(writes).toBe(5 * 4 + 1);
    expect(sent).toHaveLength(5 * 3);
  });

  it('does not make deliver read its subscriptions for an attempt at another', async () => {
    let queries = 0;
    const { dynamodb } = world.options.clients ?? {};
    dynamodb?.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const { ExpressionAttributeValues: values = {} } = args.input as Partial<QueryCommandInput>;
          const isList = Object.values(values).some(({ S }) => S === 'subscriptions');
          queries += commandName === 'QueryCommand' && isList ? 1 : 0;
          return next(args);
        },
      { step: 'initialize' },
    );
    const job = { delivery: 'dlv_none', attempt: 1, group: 'quiet' };
    await world.functions.deliver([recordOf('1', JSON.stringify(job))]);
    expect(queries).toBe(0);
  });

  it('takes turns with another key that has many, in the batch that opens their deliveries', async () => {
    const many = Array.from({ length: 21 }, (_, n) => `many-${n}`);
    await inParallel(many, (name) =>
      world.stores.subscriptions.save(subscription(name, { declared: false, owner: 'key_many' })),
    );
    await world.functions.announce([newTask('1'), newTask('2')]);
    const ofMany = late.filter(({ tenant }) => tenant === 'key_many');
    late = [...late.filter(({ tenant }) => tenant !== 'key_many'), ...ofMany];
    expect([late.length, ofMany.length]).toEqual([10, 2]);
    sent = [];
    await openLateOnes();
    // What is queued comes in the order in which it was opened.
    expect(new Set(sent.slice(0, 250 + 2 * 21).map(({ tenant }) => tenant))).toEqual(
      new Set(['key_noisy', 'key_many']),
    );
  });

  it('gets deliveries only of subscriptions that it still has', async () => {
    await world.functions.announce([newTask('1')]);
    const { subscriptions } = world.stores;
    await subscriptions.remove('noisy-1');
    await subscriptions.save(subscription('noisy-2', { declared: false, owner: 'key_other' }));
    await subscriptions.save(subscription('noisy-3', { declared: false, owner: 'key_noisy', events: ['invoice.*'] }));
    await openLateOnes();
    // SQS may deliver a message twice.
    await openLateOnes();
    const names = new Set(sent.map((one) => one.subscription));
    for (const name of ['noisy-1', 'noisy-2', 'noisy-3']) expect(names).not.toContain(name);
    expect(names.size).toBe(NOISY - 3 + 3);
    const { deliveries } = await world.stores.deliveries.page({ subscription: 'noisy-4', limit: 10 });
    expect(deliveries).toHaveLength(1);
  });

  it('loses nothing in an outage of the tables: what deliver cannot open is no dead letter', async () => {
    await world.functions.announce([newTask('1')]);
    let isDown = true;
    world.options.clients?.dynamodb?.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (isDown && commandName === 'BatchGetItemCommand') throw new Error('the table does not answer');
          return next(args);
        },
      { step: 'initialize' },
    );
    const receive = async () => {
      const records = await world.queues.receive();
      const { batchItemFailures } = await world.functions.deliver(records);
      await world.queues.settle(
        records,
        batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      );
    };
    for (let n = 0; n < 2 * MOST_RECEIVES; n++) await receive();
    const openLates = world.queues.dead().filter((body) => decodeLate(body) !== undefined);
    expect(openLates).toEqual([]);
    isDown = false;
    const names = () => new Set(sent.map((one) => one.subscription)).size;
    while (world.queues.count() > 0 && names() < NOISY + 3) await receive();
    expect(names()).toBe(NOISY + 3);
  });

  it('delays nobody else with what tick queues', async () => {
    const names = (await world.stores.subscriptions.list()).map(({ name }) => name);
    const dueAt = world.clock.now();
    await world.stores.events.record([
      { event: event('1'), deliveries: names.map((name) => delivery('1', name, { dueAt })) },
    ]);
    const unlimited = countUnlimitedReads();
    await world.functions.tick();
    expectFairness();
    // Of each shard what became due lately, and then the rest: the earliest thousands may all be of one key.
    expect(unlimited()).toBe(8);
  });
});

describe('a key with twenty subscriptions', () => {
  it('has the first deliveries of a bulk edit opened with those of others, 400 of all keys, and the rest later', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `some-${n}`);
    await inParallel(names, (name) =>
      world.stores.subscriptions.save(subscription(name, { declared: false, owner: 'key_some' })),
    );
    const count = 25;
    await world.functions.announce(Array.from({ length: count }, (_, n) => newTask(String(n + 1))));
    // The key with one and the channel have 25 each, so 350 are left: those of 17 events.
    expect(sent.filter(({ tenant }) => tenant === 'key_some')).toHaveLength(17 * names.length);
    expect(sent.filter(({ tenant }) => tenant === 'key_quiet')).toHaveLength(count);
    late = late.filter(({ tenant }) => tenant === 'key_some');
    expect(late).toHaveLength(count - 17);
    await openLateOnes();
    expect(new Set(sent.filter(({ tenant }) => tenant === 'key_some').map(({ body }) => body)).size).toBe(500);
  });
});

describe('ten keys with twenty subscriptions each', () => {
  it('have 400 deliveries of a bulk edit opened at once, those of keys with few before those of others', async () => {
    const made = Array.from({ length: 10 * 20 }, (_, n) => ({ name: `some-${n}`, owner: `key_some-${n % 10}` }));
    await inParallel(made, ({ name, owner }) =>
      world.stores.subscriptions.save(subscription(name, { declared: false, owner })),
    );
    const count = 25;
    await world.functions.announce(Array.from({ length: count }, (_, n) => newTask(String(n + 1))));
    const tenants = Map.groupBy(sent, ({ tenant }) => tenant);
    for (const tenant of ['operators', 'key_quiet', 'slack:C1']) expect(tenants.get(tenant)).toHaveLength(count);
    expect(sent.length - count).toBeLessThanOrEqual(400);
    const someLate = late.filter(({ tenant }) => tenant.startsWith('key_some'));
    const opened = sent.filter(({ tenant }) => tenant.startsWith('key_some')).length;
    // 350 are left for ten keys: one event of each, because two have forty deliveries.
    expect([opened, someLate.length]).toEqual([10 * 20, 10 * (count - 1)]);
  });
});

describe('a key with filters that take long', () => {
  // As many as its quota of 100,000 comparisons allows.
  const FILTERS = 20;
  const WILDCARDS = 95;
  const words = Array.from({ length: 8000 }, (_, n) => `w${((n * 7919) % 9973).toString(36).padStart(3, '0')}`);

  /** All parts occur, but the last one only before the others. */
  const wildcardOf = (filter: number, n: number) => {
    const parts = Array.from({ length: 9 }, (_, part) => words[(part + 1) * 700 + ((n * 3 + filter * 5 + part) % 7)]);
    return `*${[...parts, words[n]].join('*')}*`;
  };

  const changeOf = (id: string, description: string) => {
    const record = { id, title: `Task ${id}`, status: 'Open', description };
    const image = toItem(snapshotItem(snapshot(id, { record })));
    return { dynamodb: { NewImage: image, SequenceNumber: id } } as unknown as DynamoDBRecord;
  };

  it('does not delay what others get: its events are matched apart', async () => {
    await inParallel(
      Array.from({ length: FILTERS }, (_, filter) => filter),
      (filter) => {
        const description = Array.from({ length: WILDCARDS }, (_, n) => ({ wildcard: wildcardOf(filter, n) }));
        const where = { data: { record: { description: [...description, { suffix: 'urgent' }] } } };
        const one = subscription(`costly-${filter}`, { declared: false, owner: 'key_costly', where });
        return world.stores.subscriptions.save(one);
      },
    );
    const text = words.join(' ');
    const changes = Array.from({ length: 10 }, (_, n) => changeOf(String(n + 1), n === 0 ? `${text} urgent` : text));
    await world.functions.announce(changes);
    // To match them takes 2 to 3 s of CPU time. One of them matches.
    const ofCostly = late.filter(({ tenant }) => tenant === 'key_costly');
    expect(ofCostly).toHaveLength(10);
    late = ofCostly;
    sent = [];
    await openLateOnes();
    expect(sent.map((one) => one.subscription).toSorted()).toEqual(
      Array.from({ length: FILTERS }, (_, filter) => `costly-${filter}`).toSorted(),
    );
  });
});
