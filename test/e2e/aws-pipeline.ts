/**
 * The pipeline in AWS, end to end with the real functions: from the scheduler's event through the table's stream and the
 * queue to a signed webhook, including duplicates, retries and reordering by Lambda, streams and queues. The calling test
 * provides the tables and queues.
 */

import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { type CapturedOutput, captureOutput } from '../functions/lambda-call.ts';
import { MOST_RECEIVES, openFunctions, type PipelineWorld, type WorldOptions } from '../functions/world.ts';
import { SECRET } from '../samples.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

export function awsPipeline(name: string, startWorld: (options: WorldOptions) => Promise<PipelineWorld>): void {
  let world: PipelineWorld;
  let receiver: Receiver;
  let logs: CapturedOutput;
  /** Ids of tasks that can be closed. */
  let open: string[];

  async function begin(source: Record<string, unknown> = {}, tasks = 30): Promise<void> {
    receiver = await startReceiver(SECRET);
    world = await startWorld({
      simulator: { tasks },
      ...(Object.keys(source).length === 0 ? {} : { source }),
      config: {
        subscriptions: [
          {
            name: 'ops',
            events: ['task.closed'],
            to: { http: { url: receiver.url, secret: '${OPS}' } },
            concurrency: 4,
          },
        ],
      },
    });
    open = world.simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
    logs = captureOutput();
    await world.functions.setup();
  }

  beforeEach(() => begin());

  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all([world.stop(), receiver.close()]);
  });

  const close = (...ids: readonly (string | undefined)[]) => {
    for (const id of ids) world.simulator.account.update('task', id ?? '', { statusid: CLOSED });
  };

  /** Advances the clock by the cadence and polls once. */
  async function pollOnce(): Promise<readonly DynamoDBRecord[]> {
    world.clock.advance(2 * SECOND);
    await world.functions.poll();
    return world.changes();
  }

  /** The baseline, which sends no events, and its stream records. */
  async function baseline(): Promise<void> {
    await world.functions.announce(await pollOnce());
  }

  /** Acts as the queue's event source mapping until the queue is empty. */
  async function drain(change: (records: readonly SQSRecord[]) => readonly SQSRecord[] = (records) => records) {
    for (;;) {
      const records = await world.queues.receive();
      if (records.length === 0) return;
      const { batchItemFailures } = await world.functions.deliver(change(records));
      await world.queues.settle(
        records,
        batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      );
    }
  }

  const receivedSubjects = () => receiver.events.map(({ subject }) => subject).sort();
  const tasks = (...ids: readonly (string | undefined)[]) => ids.map((id) => `task/${id}`).sort();

  describe(`the pipeline in AWS: ${name}`, () => {
    it('sends nothing for the baseline, then one signed webhook for one change', async () => {
      await baseline();
      expect(await world.queues.count()).toBe(0);
      close(open[0]);
      const changes = await pollOnce();
      expect(changes.map(({ eventName }) => eventName)).toEqual(['MODIFY']);
      expect(await world.functions.announce(changes)).toEqual({ batchItemFailures: [] });
      await drain();
      expect(receiver.refused).toEqual([]);
      expect(receiver.events).toMatchObject([
        {
          type: 'task.closed',
          subject: `task/${open[0]}`,
          source: '/sources/main',
          data: { previous: { dateclosed: null } },
        },
      ]);
      const [delivery] = await world.stores.deliveries.list({ limit: 10 });
      expect(delivery).toMatchObject({
        status: 'settled',
        dueAt: null,
        attempts: [{ outcome: 'accepted', status: 204 }],
      });
    });

    it('logs the id of a change from the scan that found it to the response', async () => {
      await baseline();
      close(open[0], open[1]);
      await world.functions.announce(await pollOnce());
      await drain();
      const change = `main/task/${open[0]} v2`;
      const [commitLine, ...others] = logs
        .lines('committed')
        .filter(({ changes }) => (changes as string[]).includes(change));
      expect(others).toEqual([]);
      const [scanned] = logs.lines('scanned').filter(({ cycle }) => cycle === commitLine?.cycle);
      expect(scanned).toMatchObject({ resource: 'task', changed: 2, function: 'poll' });
      const announced = logs.lines('announced').flatMap(({ events }) => events as { id: string; change: string }[]);
      const ids = announced.filter((event) => event.change === change).map(({ id }) => id);
      const [event] = receiver.events.filter(({ subject }) => subject === `task/${open[0]}`);
      expect(ids).toContain(event?.id);
      expect(logs.lines('accepted').filter(({ changes }) => (changes as string[]).includes(change))).toMatchObject([
        { function: 'deliver', events: [event?.id], status: 204 },
      ]);
      // A baseline announces only the health of the source.
      const committed = logs.lines('committed').flatMap(({ changes }) => changes as string[]);
      expect(committed.filter((name) => !name.startsWith('main/source/'))).toHaveLength(2);
    });

    it('sends nothing when nothing changes', async () => {
      await baseline();
      expect(await pollOnce()).toEqual([]);
      await world.functions.tick();
      expect(await world.queues.count()).toBe(0);
      expect(logs.metric('FailedScans')).toEqual([0, 0]);
    });

    it('retries after a failure: tick queues the delivery from the agenda, with the same id', async () => {
      await baseline();
      close(open[0]);
      receiver.status = 503;
      await world.functions.announce(await pollOnce());
      await drain();
      expect(receiver.events).toEqual([]);
      expect(await world.queues.count()).toBe(0);
      world.clock.advance(6 * SECOND);
      receiver.status = 204;
      await world.functions.tick();
      await drain();
      const [delivery] = await world.stores.deliveries.list({ limit: 10 });
      expect(delivery).toMatchObject({ status: 'settled', attempts: [{ status: 503 }, { status: 204, number: 2 }] });
      expect(receiver.events.map(({ id }) => id)).toEqual(delivery?.events);
      expect(logs.metric('DeliveriesRetried')).toEqual([1, 0]);
      expect(logs.metric('DeliveriesAccepted')).toEqual([0, 1]);
    });

    it('makes one attempt for a message that the queue delivers twice, in any order', async () => {
      await baseline();
      close(...open.slice(0, 5));
      await world.functions.announce(await pollOnce());
      const seen: SQSRecord[] = [];
      await drain((records) => {
        seen.push(...records);
        return records.toReversed();
      });
      expect(await world.functions.deliver([...seen, ...seen.toReversed()])).toEqual({ batchItemFailures: [] });
      expect(receivedSubjects()).toEqual(tasks(...open.slice(0, 5)));
    });

    it('sends only the same id again when two copies of a message are in flight', async () => {
      await baseline();
      close(open[0]);
      await world.functions.announce(await pollOnce());
      receiver.delay = 50;
      const records = await world.queues.receive();
      const another = openFunctions(world.options);
      await Promise.all([world.functions.deliver(records), another.deliver(records)]);
      expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(1);
      const [delivery] = await world.stores.deliveries.list({ limit: 10 });
      expect(delivery).toMatchObject({ status: 'settled', attempts: [{ number: 1 }] });
      expect(delivery?.attempts).toHaveLength(1);
    });

    it('announces a replayed stream batch only once', async () => {
      await baseline();
      close(open[0], open[1]);
      const changes = await pollOnce();
      await world.functions.announce(changes);
      await drain();
      await world.functions.announce(changes);
      await world.functions.announce([...changes, ...changes]);
      await drain();
      expect(receivedSubjects()).toEqual(tasks(open[0], open[1]));
      expect(await world.stores.deliveries.list({ limit: 10 })).toHaveLength(2);
    });

    it('keeps the changes of one record in order over batches', async () => {
      await baseline();
      close(open[0]);
      const first = await pollOnce();
      world.simulator.account.update('task', open[0] ?? '', { statusid: 1 });
      const second = await pollOnce();
      close(open[0]);
      const third = await pollOnce();
      await world.functions.announce([...first, ...second]);
      await world.functions.announce(third);
      await drain();
      const versions = receiver.events.map(({ data }) => data.version);
      expect(versions.toSorted((a, b) => a - b)).toEqual([2, 4]);
      const { events } = await world.stores.events.list({ limit: 100, subject: `task/${open[0]}` });
      const closings = events.filter(({ type }) => ['task.closed', 'task.reopened'].includes(type));
      expect(closings.map(({ type }) => type)).toEqual(['task.closed', 'task.reopened', 'task.closed']);
    });

    it('stops a stream batch at an unreadable record: announces those before it, receives the others again', async () => {
      await baseline();
      close(open[0], open[1], open[2]);
      const [first, second, third] = await pollOnce();
      const broken = {
        ...second,
        dynamodb: { ...second?.dynamodb, NewImage: { pk: { S: 'nonsense' }, sk: { XX: 1 } } },
      };
      const answer = await world.functions.announce([first, broken, third] as DynamoDBRecord[]);
      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: second?.dynamodb?.SequenceNumber }] });
      await drain();
      expect(receiver.events).toHaveLength(1);
      await world.functions.announce([second, third] as DynamoDBRecord[]);
      await drain();
      expect(receivedSubjects()).toEqual(tasks(open[0], open[1], open[2]));
    });

    it('moves an invalid message to the dead-letter queue, and delivers the others of its batch', async () => {
      await baseline();
      close(open[0], open[1]);
      await world.functions.announce(await pollOnce());
      await world.queues.send('not a job');
      await world.queues.send('{"delivery":"dlv_1"}');
      await drain();
      expect(receivedSubjects()).toEqual(tasks(open[0], open[1]));
      expect((await world.queues.dead()).toSorted()).toEqual(['not a job', '{"delivery":"dlv_1"}']);
      expect(logs.lines('message failed, will be received again')).toHaveLength(2 * MOST_RECEIVES);
    });

    it('queues a delivery that was recorded but never queued', async () => {
      await baseline();
      close(open[0]);
      const changes = await pollOnce();
      const queueless = openFunctions({
        ...world.options,
        environment: { ...world.options.environment, TIDINGS_QUEUE_URL: `${world.queues.url}-that-is-not-there` },
      });
      const { batchItemFailures } = await queueless.announce(changes);
      expect(batchItemFailures).toHaveLength(1);
      expect(await world.queues.count()).toBe(0);
      world.clock.advance(3 * MINUTE);
      await world.functions.tick();
      await drain();
      expect(receivedSubjects()).toEqual(tasks(open[0]));
    });
  });

  describe(`pollers in AWS: ${name}`, () => {
    it('skips a source while another poller holds its lease, and polls it after the lease expires', async () => {
      await baseline();
      close(open[0]);
      const now = world.clock.now();
      const stolen = await world.stores.leases.acquire('poll/main', 'another poller', now, 2 * MINUTE);
      expect(stolen).toBeDefined();
      expect(await pollOnce()).toEqual([]);
      world.clock.advance(2 * MINUTE);
      const changes = await pollOnce();
      expect(changes).toHaveLength(1);
    });

    it('finds a change once when two pollers run at the same time', async () => {
      await baseline();
      close(open[0], open[1]);
      world.clock.advance(2 * SECOND);
      const another = openFunctions({ ...world.options, holder: 'another poller' });
      await Promise.all([world.functions.poll(), another.poll()]);
      await world.functions.announce(await world.changes());
      await drain();
      expect(receivedSubjects()).toEqual(tasks(open[0], open[1]));
    });
  });

  describe(`a sweep longer than the function timeout: ${name}`, () => {
    beforeEach(async () => {
      vi.restoreAllMocks();
      await Promise.all([world.stop(), receiver.close()]);
      await begin({}, 1500);
    });

    it('saves its position before the timeout, and the next invocation continues there', async () => {
      const progress = async () => (await world.stores.scanStates.get('main', 'task'))?.progress ?? null;
      let rounds = 0;
      const places: number[] = [];
      // 5 s are reserved for shutdown. The rest grows with each round, so that a slow machine finishes too.
      while ((await world.stores.scanStates.get('main', 'task'))?.baselinedAt == null) {
        expect(++rounds).toBeLessThan(40);
        world.clock.advance(2 * SECOND);
        await world.functions.poll({ time: 5_000 + 300 * 1.15 ** rounds });
        places.push((await progress())?.seen ?? Number.POSITIVE_INFINITY);
      }
      expect(rounds).toBeGreaterThan(1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect((await world.stores.scanStates.get('main', 'task'))?.count).toBe(1500);
      expect(logs.lines('scan failed')).toEqual([]);
    });
  });
}
