import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busChannels } from '../../../../adapters/channels/bus/channel.ts';
import { GiveUp, RetryLater } from '../../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../../core/model/event.ts';
import { toMillis } from '../../../../core/model/time.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { event, NOON, subscription } from '../../../samples.ts';
import { essenceOf, failureOf, startWire, type Wire, type WireAnswer } from '../../aws/wire.ts';

const taken: WireAnswer = { ok: { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] } };

let wire: Wire;
let client: DynamoDBClient;
beforeEach(async () => {
  wire = await startWire(() => taken);
  // Its own endpoint is DynamoDB's, and leads nowhere.
  client = new DynamoDBClient({ ...wire.settings, endpoint: 'http://127.0.0.1:1' });
});
afterEach(async () => {
  client.destroy();
  await wire.close();
});

const open = (timeout = 2000) =>
  busChannels({ client, endpoint: wire.settings.endpoint, timeout }).channelFor({ name: 'orders' });

const parcelOf = (one: TidingsEvent, change: Partial<OutboundMessage> = {}): OutboundMessage => ({
  subscription: subscription('ops', { to: { bus: { name: 'orders' } } }),
  events: [one],
  delivery: 'dlv_1',
  at: NOON,
  timeZone: 'UTC',
  ...change,
});

/** An event whose entry has that many bytes, in letters of two bytes as far as they go. */
function entryOfSize(bytes: number): TidingsEvent {
  const sized = (title: string) => {
    const one = event('1');
    return { ...one, data: { ...one.data, record: { title } } };
  };
  const overhead = 14 + 'tidings'.length + event('1').type.length + Buffer.byteLength(JSON.stringify(sized('')));
  const left = bytes - overhead;
  return sized('ä'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2));
}

const failed = (ErrorCode: string, ErrorMessage = 'because'): WireAnswer => ({
  ok: { FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage }] },
});

describe('what a bus gets', () => {
  it('is the event as it is, under our name, its type and its time, and the receipt has its id there', async () => {
    const receipt = await open().send(parcelOf(event('1')));
    expect(receipt).toEqual({ status: 200, body: 'taken by EventBridge', requestId: 'e-1' });
    expect(wire.requests).toHaveLength(1);
    expect(wire.unsigned()).toBe(0);
    const [request] = wire.requests;
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

  it('is what the SDK would have sent', async () => {
    await open().send(parcelOf(event('1')));
    const theirs = new EventBridgeClient(wire.settings);
    const entry = { Source: 'tidings', DetailType: 'task.closed', Detail: JSON.stringify(event('1')) };
    const Time = new Date(toMillis(NOON));
    await theirs.send(new PutEventsCommand({ Entries: [{ ...entry, EventBusName: 'orders', Time }] }));
    theirs.destroy();
    const [own, sdk] = wire.requests;
    expect(essenceOf(own)).toEqual(essenceOf(sdk));
  });

  it('is put on a bus of another region there, and signed for it', async () => {
    const asked: { readonly hostname: string; readonly headers: Readonly<Record<string, string>> }[] = [];
    const requestHandler = {
      handle: async (request: (typeof asked)[number]) => {
        asked.push(request);
        throw new Error('seen');
      },
    };
    const elsewhere = new DynamoDBClient({ ...wire.settings, region: 'eu-central-1', requestHandler });
    const name = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';
    await failureOf(
      busChannels({ client: elsewhere })
        .channelFor({ name })
        .send(parcelOf(event('1'))),
    );
    expect(new Set(asked.map(({ hostname }) => hostname))).toEqual(new Set(['events.us-east-1.amazonaws.com']));
    expect(asked[0]?.headers.authorization).toMatch(/\/us-east-1\/events\/aws4_request/);
    elsewhere.destroy();
  });

  it('says of a replay that it is one', async () => {
    await open().send(parcelOf(event('1'), { mark: 'replay' }));
    const { data, ...envelope } = event('1');
    const Detail = JSON.stringify({ ...envelope, replay: true, data });
    expect(wire.requests[0]?.body.Entries).toMatchObject([{ Detail }]);
  });

  it('may be just under 1 MB, as EventBridge counts', async () => {
    expect(await open().send(parcelOf(entryOfSize(1024 * 1024 - 1)))).toMatchObject({ status: 200 });
  });

  it('that has 1 MB is not sent, for it would only be refused', async () => {
    const error = await failureOf(open().send(parcelOf(entryOfSize(1024 * 1024))));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_EVENT_TOO_LARGE', gone: false });
    expect(error.message).toBe("bus 'orders': event evt_1 has 1048576 bytes, and EventBridge takes less than 1048576");
    expect(wire.requests).toEqual([]);
  });
});

describe('what a bus refuses', () => {
  const answerTo = async (answer: WireAnswer) => {
    wire.always(() => answer);
    return (await failureOf(open().send(parcelOf(event('1'))))) as GiveUp | RetryLater;
  };

  it.each<[string, WireAnswer]>([
    ['to the request', { fault: 'ResourceNotFoundException', words: 'Event bus orders does not exist.' }],
    ['to the event', failed('ResourceNotFoundException')],
  ])('because it is not there, said %s, it wants nothing more', async (_, answer) => {
    const error = await answerTo(answer);
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_BUS_GONE', gone: true });
    expect(error.message).toBe("there is no bus 'orders' in this account and region");
  });

  it.each(['MalformedDetail', 'InvalidArgument', 'ValidationException'])(
    'with %s is given up on, although the request went well',
    async (code) => {
      const error = await answerTo(failed(code));
      expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_BUS_REFUSED', gone: false });
      expect(error.message).toBe(`bus 'orders' refused the event: ${code}: because`);
      expect(error.evidence).toEqual({ status: 200, body: 'because', requestId: 'req-1' });
    },
  );

  it.each(['ThrottlingException', 'InternalFailure', 'InternalException'])(
    'with %s is for later, although the request went well',
    async (code) => {
      const error = await answerTo(failed(code));
      expect(error).toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ code: 'TIDINGS_BUS_UNREACHABLE' });
    },
  );

  it.each<[string, object]>([
    ['no entries', {}],
    ['an empty list of them', { FailedEntryCount: 0, Entries: [] }],
    ['an entry that says nothing', { FailedEntryCount: 0, Entries: [{}] }],
    ['an entry that failed without saying how', { FailedEntryCount: 1, Entries: [{ ErrorMessage: 'because' }] }],
  ])('is not believed to be taken when the answer has %s', async (_, ok) => {
    const error = await answerTo({ ok });
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_UNREACHABLE', evidence: { status: 200, requestId: 'req-1' } });
    expect(error.message).toMatch(/^bus 'orders' did not take the event: NoEntry/);
  });

  it.each<[string, WireAnswer]>([
    ['of the request', { fault: 'AccessDeniedException', words: 'not authorized to perform: events:PutEvents' }],
    ['of the event', failed('NotAuthorizedForSourceException')],
  ])('for want of a right %s is for later: it may be given by then', async (_, answer) => {
    const error = await answerTo(answer);
    expect(error).toBeInstanceOf(RetryLater);
    expect(error.message).toMatch(/^the role may not put events on bus 'orders': /);
  });
});

describe('a bus in trouble', () => {
  it.each<[string, WireAnswer]>([
    ['throttles', { fault: 'ThrottlingException', words: 'Rate exceeded' }],
    ['fails', { fault: 'InternalException', status: 500 }],
    ['hangs up', 'cut'],
  ])('that %s once is asked again at once: receivers know an event by its id', async (_, answer) => {
    wire.next(answer);
    expect(await open().send(parcelOf(event('1')))).toMatchObject({ requestId: 'e-1' });
    expect(wire.requests).toHaveLength(2);
  });

  it.each<[string, WireAnswer]>([
    ['throttles', { fault: 'ThrottlingException', words: 'Rate exceeded' }],
    ['fails', { fault: 'InternalException', status: 500 }],
    ['says nothing', 'hang'],
  ])('that always %s is for later', async (_, answer) => {
    wire.always(() => answer);
    const error = await failureOf(open(700).send(parcelOf(event('1'))));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error.message).toMatch(/^bus 'orders' did not take the event: \w/);
  });
});
