/** What goes through AWS keeps the promises of every channel: events on a bus, and mails through SES. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { busChannels } from '../../../adapters/channels/bus/channel.ts';
import { emailChannels } from '../../../adapters/channels/email/channel.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { sesTransport } from '../../../adapters/ses/transport.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../contract/channel.ts';
import { event, NOON, subscription } from '../../samples.ts';
import { ACCESS_KEY_SECRET, startWire, type Wire, type WireAnswer, type WireRequest } from './wire.ts';

/** A service that can be told how to treat what comes. */
interface Service {
  readonly wire: Wire;
  readonly receiver: OpenChannel['receiver'];
}

type Plain = Extract<Treatment, 'accept' | 'refuseForGood' | 'gone'>;

async function startService(answers: Readonly<Record<Plain, object>>): Promise<Service> {
  let treatment: Treatment = 'accept';
  const answering = (request: WireRequest): WireAnswer => {
    switch (treatment) {
      case 'refuseForNow':
        return { fault: 'InternalException', status: 500, words: 'later' };
      case 'echo':
        return { fault: 'InternalException', status: 500, words: JSON.stringify([request.headers, request.body]) };
      case 'babble':
        return { ok: { ...answers.accept, pad: 'ä'.repeat(100_000) } };
      case 'hang':
      case 'cut':
      case 'drip':
        return treatment;
      case 'accept':
      case 'refuseForGood':
      case 'gone':
        return 'fault' in answers[treatment] ? (answers[treatment] as WireAnswer) : { ok: answers[treatment] };
      default:
        throw new Error('AWS never says when to come again');
    }
  };
  const wire = await startWire(answering);
  return {
    wire,
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => wire.requests.map(({ body }) => JSON.stringify(body)),
    },
  };
}

const parcelOf = (to: OutboundMessage['subscription']['to']): OutboundMessage => ({
  subscription: subscription('ops', { to }),
  events: [event('1')],
  delivery: 'dlv_1',
  at: NOON,
  timeZone: 'UTC',
});

channelContract(
  'EventBridge',
  async ({ patience }) => {
    const answers = {
      accept: { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] },
      refuseForGood: { FailedEntryCount: 1, Entries: [{ ErrorCode: 'MalformedDetail', ErrorMessage: 'no JSON' }] },
      gone: { fault: 'ResourceNotFoundException', words: 'Event bus orders does not exist.' },
    };
    const { wire, receiver } = await startService(answers);
    const client = new DynamoDBClient(wire.settings);
    const channels = busChannels({ client, endpoint: wire.settings.endpoint, timeout: patience });
    return {
      channel: channels.channelFor({ name: 'orders' }),
      receiver,
      parcel: parcelOf({ bus: { name: 'orders' } }),
      secrets: [ACCESS_KEY_SECRET],
      close: async () => {
        client.destroy();
        await wire.close();
      },
    };
  },
  { without: ['slowDown'] },
);

channelContract(
  'mail through SES',
  async ({ patience }) => {
    const answers = {
      accept: { MessageId: 'm-1' },
      refuseForGood: { fault: 'MessageRejected', words: 'a virus' },
      gone: {},
    };
    const { wire, receiver } = await startService(answers);
    const client = new DynamoDBClient(wire.settings);
    const transport = sesTransport({ client, endpoint: wire.settings.endpoint, timeout: patience });
    const secrets = localSecrets({ environment: {}, directory: '' });
    const channels = emailChannels({ mail: { from: 'tidings@example.com' }, transport, links: {}, secrets });
    const email = { to: ['ann@example.com'] };
    return {
      channel: channels.channelFor(email),
      receiver,
      parcel: parcelOf({ email }),
      secrets: [ACCESS_KEY_SECRET],
      close: async () => {
        await channels.close();
        client.destroy();
        await wire.close();
      },
    };
  },
  { without: ['slowDown', 'gone'] },
);
