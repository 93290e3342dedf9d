/** A thousand subscriptions of one key do not delay those of another: the group of each message that the functions send is its owner. */

import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inParallel } from '../../adapters/aws/parallel.ts';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { snapshotItem } from '../../adapters/dynamodb/snapshot-item.ts';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { delivery, event, snapshot, subscription } from '../samples.ts';
import { type FairMessage, measureWaits } from './fair-queue.ts';
import { startWorld, type World } from './world.ts';

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

beforeEach(async () => {
  world = await startWorld({ config: {} });
  sent = [];
  // The emulator drops the group of a message in a standard queue.
  world.queues.client.middlewareStack.add(
    (next) => async (args) => {
      const { Entries = [] } = args.input as Partial<SendMessageBatchCommandInput>;
      for (const { MessageBody: body = '', MessageGroupId: tenant = '' } of Entries)
        sent.push({ tenant, subscription: decodeJob({ messageId: '', body }).group, body });
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

describe('a key with a thousand subscriptions whose receivers do not answer', () => {
  it('delays nobody else with what announce queues', async () => {
    const record = { dynamodb: { NewImage: toItem(snapshotItem(snapshot('1'))) } } as unknown as DynamoDBRecord;
    await world.functions.announce([record]);
    expectFairness();
  });

  it('delays nobody else with what tick queues', async () => {
    const names = (await world.stores.subscriptions.list()).map(({ name }) => name);
    const dueAt = world.clock.now();
    await world.stores.events.record([
      { event: event('1'), deliveries: names.map((name) => delivery('1', name, { dueAt })) },
    ]);
    await world.functions.tick();
    expectFairness();
  });
});
