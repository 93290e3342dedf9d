import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busChannels } from '../../../../adapters/channels/bus/channel.ts';
import { GiveUp, RetryLater } from '../../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../../core/model/event.ts';
import { toMillis } from '../../../../core/model/time.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { event, NOON, subscription } from '../../../samples.ts';
import { type AwsServer, type AwsServerResponse, failureOf, startAwsServer } from '../../aws/aws-server.ts';

const accepted: AwsServerResponse = { ok: { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] } };

let server: AwsServer;
beforeEach(async () => {
  server = await startAwsServer(() => accepted);
});
afterEach(() => server.close());

const open = (timeout = 20_000) => busChannels({ settings: server.settings, timeout }).channelFor({ name: 'orders' });

const messageWith = (one: TidingsEvent, change: Partial<OutboundMessage> = {}): OutboundMessage => ({
  subscription: subscription('ops', { to: { channel: 'bus', settings: { name: 'orders' } } }),
  events: [one],
  delivery: 'dlv_1',
  at: NOON,
  timeZone: 'UTC',
  ...change,
});

/** An event whose entry has this many bytes, mostly characters of two bytes. */
function entryOfSize(bytes: number): TidingsEvent {
  const sized = (title: string) => {
    const one = event('1');
    return { ...one, data: { ...one.data, record: { title } } };
  };
  const overhead = 14 + 'tidings'.length + event('1').type.length + Buffer.byteLength(JSON.stringify(sized('')));
  const left = bytes - overhead;
  return sized('ä'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2));
}

const failed = (ErrorCode: string, ErrorMessage = 'because'): AwsServerResponse => ({
  ok: { FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage }] },
});

describe('an entry', () => {
  it('is the unchanged event with source, type and time, and the receipt has the id of EventBridge', async () => {
    const receipt = await open().send(messageWith(event('1')));
    expect(receipt).toEqual({ status: 200, body: 'accepted by EventBridge', requestId: 'e-1' });
    expect(server.requests).toHaveLength(1);
    expect(server.unsigned()).toBe(0);
    const [request] = server.requests;
    expect(request).toMatchObject({ service: 'events', operation: 'PutEvents' });
    expect(request?.body.Entries).toEqual([
      {
        Source: 'tidings',
        DetailType: 'task.closed',
        Detail: JSON.stringify(event('1')),
        EventBusName: 'orders',
        Time: toMillis(NOON) / 1000,
      },
    ]);
  });

  it('is sent to the region of the bus', async () => {
    const name = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';
    const channels = busChannels({ settings: server.settings });
    await channels.channelFor({ name }).send(messageWith(event('1')));
    await channels.channelFor({ name: 'orders' }).send(messageWith(event('2')));
    expect(server.requests.map(({ region }) => region)).toEqual(['us-east-1', 'eu-test-1']);
  });

  it('marks a replay', async () => {
    await open().send(messageWith(event('1'), { mark: 'replay' }));
    const { data, ...envelope } = event('1');
    const Detail = JSON.stringify({ ...envelope, replay: true, data });
    expect(server.requests[0]?.body.Entries).toMatchObject([{ Detail }]);
  });

  it('is sent if it has less than 1 MB', async () => {
    expect(await open().send(messageWith(entryOfSize(1024 * 1024 - 1)))).toMatchObject({ status: 200 });
  });

  it('is not sent if it has 1 MB', async () => {
    const error = await failureOf(open().send(messageWith(entryOfSize(1024 * 1024))));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_EVENT_TOO_LARGE', gone: false });
    expect(error.message).toBe("bus 'orders': event evt_1 has 1048576 bytes; EventBridge accepts less than 1048576");
    expect(server.requests).toEqual([]);
  });
});

describe('a refused event', () => {
  const answerTo = async (answer: AwsServerResponse) => {
    server.always(() => answer);
    return (await failureOf(open().send(messageWith(event('1'))))) as GiveUp | RetryLater;
  };

  it.each<[string, AwsServerResponse]>([
    ['to the request', { awsCode: 'ResourceNotFoundException', detail: 'Event bus orders does not exist.' }],
    ['to the event', failed('ResourceNotFoundException')],
  ])('for a missing bus, reported %s, disables the subscription', async (_, answer) => {
    const error = await answerTo(answer);
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_BUS_GONE', gone: true });
    expect(error.message).toBe("there is no bus 'orders' in this account and region");
  });

  it.each(['MalformedDetail', 'InvalidArgument', 'ValidationException'])(
    'with %s gives up, although the request succeeded',
    async (code) => {
      const error = await answerTo(failed(code));
      expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_BUS_REFUSED', gone: false });
      expect(error.message).toBe(`bus 'orders' refused the event: ${code}: because`);
      expect(error.evidence).toEqual({ status: 200, body: 'because', requestId: 'req-1' });
    },
  );

  it.each(['ThrottlingException', 'InternalFailure', 'InternalException'])(
    'with %s is retried, although the request succeeded',
    async (code) => {
      const error = await answerTo(failed(code));
      expect(error).toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ code: 'TIDINGS_BUS_UNREACHABLE' });
    },
  );

  it.each<[string, object]>([
    ['no entries', {}],
    ['an empty list of entries', { FailedEntryCount: 0, Entries: [] }],
    ['an empty entry', { FailedEntryCount: 0, Entries: [{}] }],
    ['an entry with a message but no code', { FailedEntryCount: 1, Entries: [{ ErrorMessage: 'because' }] }],
  ])('is retried when the response has %s', async (_, ok) => {
    const error = await answerTo({ ok });
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_UNREACHABLE', evidence: { status: 200, requestId: 'req-1' } });
    expect(error.message).toMatch(/^bus 'orders' did not accept the event: NoEntry/);
  });

  it.each<[string, AwsServerResponse]>([
    ['of the request', { awsCode: 'AccessDeniedException', detail: 'not authorized to perform: events:PutEvents' }],
    ['of the event', failed('NotAuthorizedForSourceException')],
  ])('for a missing permission %s is retried', async (_, answer) => {
    const error = await answerTo(answer);
    expect(error).toBeInstanceOf(RetryLater);
    expect(error.message).toMatch(/^the role may not put events on bus 'orders': /);
  });
});

describe('a failing bus', () => {
  it.each<[string, AwsServerResponse]>([
    ['throttles', { awsCode: 'ThrottlingException', detail: 'Rate exceeded' }],
    ['fails', { awsCode: 'InternalException', status: 500 }],
    ['closes the connection', 'cut'],
  ])('that %s once gets the event again at once', async (_, answer) => {
    server.next(answer);
    expect(await open().send(messageWith(event('1')))).toMatchObject({ requestId: 'e-1' });
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, AwsServerResponse]>([
    ['throttles', { awsCode: 'ThrottlingException', detail: 'Rate exceeded' }],
    ['fails', { awsCode: 'InternalException', status: 500 }],
    ['does not respond', 'hang'],
  ])('that always %s is retried later', async (_, answer) => {
    server.always(() => answer);
    const error = await failureOf(open(700).send(messageWith(event('1'))));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error.message).toMatch(/^bus 'orders' did not accept the event: \w/);
  });
});
