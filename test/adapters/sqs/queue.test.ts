import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeJob } from '../../../adapters/sqs/job.ts';
import { sqsQueue } from '../../../adapters/sqs/queue.ts';
import { storedId } from '../../../adapters/stored-job.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { plus, SECOND } from '../../../core/model/time.ts';
import type { Job } from '../../../core/ports/queue.ts';
import { queueContract } from '../../contract/queue.ts';
import { NOON } from '../../samples.ts';
import { type AwsServer, failureOf, startAwsServer } from '../aws/aws-server.ts';

let server: FauxqsServer;
let client: SQSClient;
let made = 0;

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false });
  client = new SQSClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});

afterAll(async () => {
  client.destroy();
  await server.stop();
});

function makeQueue() {
  made += 1;
  const name = `queue-${made}`;
  const { queueUrl } = server.createQueue(name, { region: 'us-east-1' });
  return { name, url: queueUrl, queue: sqsQueue({ client, url: queueUrl, wait: 0 }) };
}

queueContract('SQS', { time: 'its own', fairness: 'by itself' }, async () => {
  const { name, queue } = makeQueue();
  // fauxqs runs in this process and reads its clock: time stands still unless the test advances it.
  vi.useFakeTimers({ toFake: ['Date'] });
  const close = async () => {
    vi.useRealTimers();
    server.deleteQueue(name);
  };
  return { queue, close, advance: (span) => vi.setSystemTime(Date.now() + span) };
});

const job = (delivery: string, group = 'ops'): Job => ({ kind: 'attempt', delivery, attempt: 1, group });
const ODD_GROUPS = ['Zoë & co', 'x'.repeat(200), 'line\nend'];
const options = { limit: 10, visibility: 30 * SECOND };

describe('messages on the queue', () => {
  it('are small readable JSON', async () => {
    const { name, queue } = makeQueue();
    await queue.send([job('dlv_1')], NOON);
    const [message] = server.inspectQueue(name)?.messages.ready ?? [];
    expect(message?.body).toBe('{"delivery":"dlv_1","attempt":1,"group":"ops"}');
  });

  it('are delayed by whole seconds, up to the limit of SQS', async () => {
    const { name, queue } = makeQueue();
    const waits = [0.2, 1, 59.001, 3600];
    await queue.send(
      waits.map((seconds) => ({ ...job(String(seconds)), notBefore: plus(NOON, seconds * SECOND) })),
      NOON,
    );
    const delayed = server.inspectQueue(name)?.messages.delayed ?? [];
    const heldFor = delayed.map(({ delayUntil = 0, sentTimestamp }) => (delayUntil - sentTimestamp) / 1000);
    expect(heldFor.sort((a, b) => a - b)).toEqual([1, 1, 60, 900]);
  });

  it('contain their group, whatever its name', async () => {
    const { queue } = makeQueue();
    await queue.send(
      ODD_GROUPS.map((group) => job('a', group)),
      NOON,
    );
    const received = await queue.receive(options, NOON);
    expect(received.map(({ job }) => job.group).toSorted()).toEqual(ODD_GROUPS.toSorted());
  });

  it('that are not jobs are left to the dead-letter queue, and block no others', async () => {
    const { url, queue } = makeQueue();
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'not a job' }));
    await queue.send([job('a')], NOON);
    expect((await queue.receive(options, NOON)).map(({ job }) => storedId(job))).toEqual(['a']);
  });
});

describe('requests to the queue', () => {
  let server: AwsServer;
  let waits: number[];
  const accept = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => {
    const entries = body.Entries as readonly { readonly Id: string }[];
    return { ok: { Successful: entries.map(({ Id }) => ({ Id, MessageId: Id })), Failed: [] } };
  };
  beforeEach(async () => {
    server = await startAwsServer(accept);
    waits = [];
  });
  afterEach(async () => server.close());

  const open = (timeout = 2 * SECOND) =>
    sqsQueue({
      client: new SQSClient({ ...server.settings, md5: false }),
      url: `${server.settings.endpoint}/000000000000/jobs`,
      timeout,
      sleep: async (millis) => {
        waits.push(millis);
      },
    });
  const deliveriesOf = (index: number) =>
    ((server.requests[index]?.body.Entries ?? []) as readonly { readonly MessageBody: string }[]).map(
      ({ MessageBody }) => (JSON.parse(MessageBody) as { readonly delivery: string }).delivery,
    );
  const groupIds = () =>
    ((server.requests[0]?.body.Entries ?? []) as readonly { readonly MessageGroupId: string }[]).map(
      ({ MessageGroupId }) => MessageGroupId,
    );
  const partly = (Code: string, SenderFault: boolean) => ({
    ok: { Successful: [{ Id: '0', MessageId: 'm' }], Failed: [{ Id: '1', Code, Message: 'no', SenderFault }] },
  });

  it('send 10 jobs at a time, signed', async () => {
    await open().send(
      Array.from({ length: 23 }, (_, n) => job(`d${n}`)),
      NOON,
    );
    expect(server.requests.map((_, index) => deliveriesOf(index).length).toSorted()).toEqual([10, 10, 3]);
    expect(
      server.requests.every(({ service, operation }) => `${service} ${operation}` === 'sqs SendMessageBatch'),
    ).toBe(true);
    expect(server.unsigned()).toBe(0);
  });

  it('contain the group of each job, for fair queueing', async () => {
    await open().send([job('a', 'ops'), job('b', 'finance')], NOON);
    expect(groupIds()).toEqual(['ops', 'finance']);
  });

  it('contain the owner of the subscription instead, if it has one', async () => {
    const ofKey = { ...job('a', 'hook-1'), owner: 'key_1' };
    await open().send([ofKey, { ...ofKey, group: 'hook-2' }, job('b', 'hook-3')], NOON);
    expect(groupIds()).toEqual(['key_1', 'key_1', 'hook-3']);
    // The lanes and leases of `deliver` are those of the subscription.
    const bodies = server.requests[0]?.body.Entries as readonly { readonly MessageBody: string }[];
    expect(bodies.map(({ MessageBody }) => decodeJob({ messageId: 'm', body: MessageBody }).group)).toEqual([
      'hook-1',
      'hook-2',
      'hook-3',
    ]);
  });

  it('contain a valid and unique group id for any group name', async () => {
    await open().send(
      ODD_GROUPS.map((group) => job('a', group)),
      NOON,
    );
    expect(new Set(groupIds()).size).toBe(3);
    for (const id of groupIds()) expect(id).toMatch(/^[\x21-\x7e]{1,128}$/);
  });

  it('are repeated for failed entries only, with growing delays', async () => {
    server.next(partly('InternalError', false), {
      ok: { Successful: [], Failed: [{ Id: '0', Code: 'InternalError' }] },
    });
    await open().send([job('a'), job('b')], NOON);
    expect(server.requests.map((_, index) => deliveriesOf(index))).toEqual([['a', 'b'], ['b'], ['b']]);
    expect(waits).toEqual([200, 400]);
  });

  it('end in RetryLater when entries keep failing', async () => {
    server.always(() => ({ ok: { Successful: [], Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] } }));
    const error = await failureOf(open().send([job('a')], NOON));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_QUEUE_FAILED' });
    expect(server.requests).toHaveLength(5);
  });

  it('are repeated when KMS throttles, although SQS reports a sender fault', async () => {
    server.next(partly('KMS.ThrottlingException', true));
    await open().send([job('a'), job('b')], NOON);
    expect(deliveriesOf(1)).toEqual(['b']);
  });

  it('give up when a job is refused with a sender fault', async () => {
    server.next(partly('InvalidMessageContents', true));
    const error = await failureOf(open().send([job('a'), job('b')], NOON));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toMatch(/jobs: a message was refused: InvalidMessageContents: no$/);
  });

  it('are retried by the SDK after throttling, a closed connection or a server error', async () => {
    server.next({ awsCode: 'ThrottlingException', detail: 'Rate exceeded' });
    await open().send([job('a')], NOON);
    server.next('cut');
    await open().send([job('b')], NOON);
    server.next({ awsCode: 'InternalFailure', status: 500 });
    await open().send([job('c')], NOON);
    expect(server.requests).toHaveLength(6);
  });

  it.each([
    ['throttles', { awsCode: 'ThrottlingException', detail: 'Rate exceeded' }],
    ['fails', { awsCode: 'InternalFailure', status: 503 }],
    ['hangs up', 'cut'],
    ['denies', { awsCode: 'AccessDenied', status: 403, detail: 'no sqs:SendMessage' }],
    ['does not respond', 'hang'],
    ['never ends its answer', 'drip'],
  ] as const)('end in RetryLater when the queue always %s', async (_, treatment) => {
    server.always(() => treatment);
    const queue = open(SECOND);
    const received = { job: job('a'), receipt: 'r', receives: 1 };
    for (const work of [() => queue.send([job('a')], NOON), () => queue.acknowledge(received)]) {
      const error = await failureOf(work());
      expect(error).toBeInstanceOf(RetryLater);
      expect(error.message).toMatch(/^queue http:.*\/jobs: (SendMessageBatch|DeleteMessage) failed: \w/);
    }
  });

  it('end in RetryLater when receiving is throttled', async () => {
    server.always(() => ({ awsCode: 'RequestThrottled', status: 400 }));
    expect(await failureOf(open().receive(options, NOON))).toBeInstanceOf(RetryLater);
  });

  it('give up on a missing queue, and name it', async () => {
    server.always(() => ({ awsCode: 'AWS.SimpleQueueService.NonExistentQueue', detail: 'no such queue' }));
    const error = await failureOf(open().receive(options, NOON));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toMatch(/\/jobs: ReceiveMessage failed: /);
  });
});

describe('receiving', () => {
  it('requests whole seconds up to the limit of SQS, and long-polls only the first time', async () => {
    const server = await startAwsServer(() => ({ ok: {} }));
    server.next({
      ok: { Messages: [{ MessageId: 'm', Body: JSON.stringify(job('a')), ReceiptHandle: 'r' }] },
    });
    const queue = sqsQueue({
      client: new SQSClient({ ...server.settings, md5: false }),
      url: server.settings.endpoint,
    });
    const received = await queue.receive({ limit: 12, visibility: 90_000 * SECOND + 1 }, NOON);
    expect(received).toEqual([{ job: job('a'), receipt: 'r', receives: 1 }]);
    expect(
      server.requests.map(({ body }) => [body.MaxNumberOfMessages, body.VisibilityTimeout, body.WaitTimeSeconds]),
    ).toEqual([
      [10, 43_200, 1],
      [10, 43_200, 0],
    ]);
    await server.close();
  });
});
