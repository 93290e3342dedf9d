/** The bus channel: in the config, in messages to people, and rejected outside AWS. */

import { describe, expect, it } from 'vitest';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { channelRegistry, describeAddress, openChannels } from '../../adapters/channels/registry.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { limitsOf } from '../../core/delivery/lanes.ts';
import { GiveUp, UsageError } from '../../core/model/errors.ts';
import { fixedClock } from '../../core/model/time.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { Config } from '../../runtime/config/config.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { listNames } from '../../runtime/config/values.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { renderMessage } from '../../runtime/inspect/render.ts';
import { failureOf, startAwsServer } from '../adapters/aws/aws-server.ts';
import { event, NOON, SECRET, subscription } from '../samples.ts';

const NAMES = CHANNELS.map(({ name }) => name).join(', ');
const GATHERING = listNames(CHANNELS.filter(({ gathers }) => gathers).map(({ name }) => name));

const hook = { name: 'hook', events: ['task.*'], to: { http: { url: 'https://a.example.com', secret: SECRET } } };

function parse(change: object): Config {
  const subscriptions = [hook, { name: 'ours', events: ['task.*'], to: { bus: {} }, ...change }];
  const source = { baseUrl: 'https://api.example.com', token: 'abc' };
  return parseConfig('tidings.json', JSON.stringify({ source, subscriptions }), {});
}

const toBus = subscription('ours', { to: { channel: 'bus', settings: { name: 'orders' } } });
const message = { subscription: toBus, events: [event('1')] as const, delivery: 'dlv_1', at: NOON, timeZone: 'UTC' };

describe('a bus in the config', () => {
  it('is the default bus without a name', () => {
    expect(parse({}).subscriptions[1]?.to).toEqual({ channel: 'bus', settings: { name: 'default' } });
  });

  it.each(['orders', 'aws.partner/example.com/1', 'arn:aws:events:eu-west-1:123456789012:event-bus/orders'])(
    'may be %s',
    (name) => {
      expect(parse({ to: { bus: { name } } }).subscriptions[1]?.to).toEqual({ channel: 'bus', settings: { name } });
    },
  );

  it.each(['', 'two words', 'arn:aws:sqs:eu-west-1:123456789012:orders', 'x'.repeat(257)])('is not %j', (name) => {
    expect(() => parse({ to: { bus: { name } } })).toThrow(
      "subscriptions[1].to.bus.name: expected the name of an event bus such as 'default', or its ARN, got",
    );
  });

  it('is the only channel of its subscription', () => {
    expect(() => parse({ to: { bus: {}, ...hook.to } })).toThrow(
      `subscriptions[1].to: expected exactly one of ${NAMES}, got bus, http`,
    );
  });

  it.each([
    ['gather', { gather: '10s' }],
    ['digest', { digest: { at: '08:00' } }],
    ['quiet', { quiet: { days: ['sun'] } }],
  ])('supports no %s, because it gets each event at once', (option, change) => {
    expect(() => parse(change)).toThrow(
      `subscriptions[1].${option}: expected nothing here: bus sends each event at once; this option is for ${GATHERING}`,
    );
  });

  it.each(['text', 'subject', 'html', 'body'])(
    'supports no template.%s, because it gets each event unchanged',
    (part) => {
      expect(() => parse({ template: { [part]: '{{ type }}' } })).toThrow(
        `subscriptions[1].template.${part}: expected nothing here: bus sends each event unchanged`,
      );
    },
  );
});

describe('a subscription to a bus', () => {
  it('gathers nothing, and has the concurrency of http', () => {
    expect(traitsOf(channelRegistry, toBus.to)).toMatchObject({ audience: 'machines', gathers: false });
    expect(limitsOf(toBus, channelRegistry)).toEqual({ concurrency: 8 });
  });

  it('is described by its name', () => {
    expect(describeAddress(toBus.to)).toBe('bus orders');
  });

  it('renders the event unchanged', async () => {
    expect(await renderMessage(message, { links: {} })).toMatchObject({
      channel: 'bus',
      byTemplate: [],
      problem: null,
      body: event('1'),
    });
  });
});

describe('without AWS', () => {
  it('the embedded mode does not start with a bus in its config, and names the path', async () => {
    const database = openDatabase(':memory:');
    const clock = fixedClock(NOON);
    const opening = openEmbedded({
      config: parse({}),
      database,
      environment: {},
      clock,
      holder: 'test',
      random: () => 0,
    });
    const error = await failureOf(opening);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_IN_AWS_ONLY' });
    expect(error.message).toMatch(
      /^subscriptions\[1\]\.to\.bus: expected http, slack, .* or email: bus is available only in AWS \(subscription 'ours'\)$/,
    );
    database.close();
  });

  it('deliveries to a stored bus subscription are given up', async () => {
    const channels = openChannels({
      config: parse({}),
      secrets: { resolve: async () => '', keep: async () => '' },
      http: openHttpTransport(),
    });
    const error = await failureOf(channels.channelFor(toBus.to).send(message));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_BUS_IN_AWS_ONLY' });
    await channels.close();
  });
});

describe('with AWS', () => {
  it('the bus is one of the channels', async () => {
    const server = await startAwsServer(() => ({ ok: { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] } }));
    const channels = openChannels({
      config: parse({}),
      secrets: { resolve: async () => '', keep: async () => '' },
      http: openHttpTransport(),
      aws: { clientSettings: { bus: server.settings } },
    });
    expect(await channels.channelFor(toBus.to).send(message)).toMatchObject({ requestId: 'e-1' });
    expect(server.requests[0]?.body.Entries).toMatchObject([{ EventBusName: 'orders' }]);
    await channels.close();
    await server.close();
  });
});
