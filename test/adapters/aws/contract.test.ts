/** Runs the channel contract on the two channels that use AWS: EventBridge and mail through SES. */

import { busChannels } from '../../../adapters/channels/bus/channel.ts';
import { emailChannels } from '../../../adapters/channels/email/channel.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { sesTransport } from '../../../adapters/ses/transport.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../contract/channel.ts';
import { event, NOON, subscription } from '../../samples.ts';
import {
  ACCESS_KEY_SECRET,
  type AwsServer,
  type AwsServerRequest,
  type AwsServerResponse,
  startAwsServer,
} from './aws-server.ts';

/** A fake service whose treatment of requests a test can change. */
interface Service {
  readonly server: AwsServer;
  readonly receiver: OpenChannel['receiver'];
}

type Plain = Extract<Treatment, 'accept' | 'refuseForGood' | 'gone'>;

async function startService(answers: Readonly<Record<Plain, object>>): Promise<Service> {
  let treatment: Treatment = 'accept';
  const answering = (request: AwsServerRequest): AwsServerResponse => {
    switch (treatment) {
      case 'refuseForNow':
        return { awsCode: 'InternalException', status: 500, detail: 'later' };
      case 'echo':
        return { awsCode: 'InternalException', status: 500, detail: JSON.stringify([request.headers, request.body]) };
      case 'babble':
        return { ok: { ...answers.accept, pad: 'ä'.repeat(100_000) } };
      case 'hang':
      case 'cut':
      case 'drip':
        return treatment;
      case 'accept':
      case 'refuseForGood':
      case 'gone':
        return 'awsCode' in answers[treatment] ? (answers[treatment] as AwsServerResponse) : { ok: answers[treatment] };
      default:
        throw new Error('AWS sends no Retry-After');
    }
  };
  const server = await startAwsServer(answering);
  return {
    server,
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      arrived: () => server.requests.map(({ body }) => JSON.stringify(body)),
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
      gone: { awsCode: 'ResourceNotFoundException', detail: 'Event bus orders does not exist.' },
    };
    const { server, receiver } = await startService(answers);
    const channels = busChannels({ settings: server.settings, timeout: patience });
    return {
      channel: channels.channelFor({ name: 'orders' }),
      receiver,
      message: parcelOf({ channel: 'bus', settings: { name: 'orders' } }),
      secrets: [ACCESS_KEY_SECRET],
      close: server.close,
    };
  },
  { without: ['slowDown'] },
);

channelContract(
  'mail through SES',
  async ({ patience }) => {
    const answers = {
      accept: { MessageId: 'm-1' },
      refuseForGood: { awsCode: 'MessageRejected', detail: 'a virus' },
      gone: {},
    };
    const { server, receiver } = await startService(answers);
    const transport = sesTransport({ settings: server.settings, timeout: patience });
    const secrets = localSecrets({ environment: {}, directory: '' });
    const channels = emailChannels({ mail: { from: 'tidings@example.com' }, transport, links: {}, secrets });
    const email = { to: ['ann@example.com'] };
    return {
      channel: channels.channelFor(email),
      receiver,
      message: parcelOf({ channel: 'email', settings: email }),
      secrets: [ACCESS_KEY_SECRET],
      close: async () => {
        await channels.close();
        await server.close();
      },
    };
  },
  { without: ['slowDown', 'gone'] },
);
