/** Events on a real bus: which events a rule matches, and what its target receives. */

import { randomUUID } from 'node:crypto';
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busChannels } from '../../adapters/channels/bus/channel.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import { failureOf } from '../adapters/aws/aws-server.ts';
import { event, NOON, subscription } from '../samples.ts';

let client: EventBridgeClient;
let sqs: SQSClient;
let name: string;
let QueueUrl: string;

beforeEach(async () => {
  client = new EventBridgeClient();
  sqs = new SQSClient();
  name = `orders-${randomUUID()}`;
  QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: name }))).QueueUrl ?? '';
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const Arn = (await sqs.send(asked)).Attributes?.QueueArn;
  await client.send(new CreateEventBusCommand({ Name: name }));
  // A rule that a user would write for closed tasks.
  const EventPattern = JSON.stringify({ source: ['tidings'], 'detail-type': ['task.closed'] });
  await client.send(new PutRuleCommand({ Name: name, EventBusName: name, EventPattern }));
  await client.send(new PutTargetsCommand({ Rule: name, EventBusName: name, Targets: [{ Id: 'queue', Arn }] }));
});
afterEach(async () => {
  await client.send(new RemoveTargetsCommand({ Rule: name, EventBusName: name, Ids: ['queue'] }));
  await client.send(new DeleteRuleCommand({ Name: name, EventBusName: name }));
  await client.send(new DeleteEventBusCommand({ Name: name }));
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  for (const one of [client, sqs]) one.destroy();
});

const open = (bus: string) => busChannels({}).channelFor({ name: bus });

const parcelOf = (one: TidingsEvent): OutboundMessage => ({
  subscription: subscription('ops', { to: { channel: 'bus', settings: { name } } }),
  events: [one],
  delivery: 'dlv_1',
  at: NOON,
  timeZone: 'UTC',
});

async function arrived(): Promise<readonly Record<string, unknown>[]> {
  const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
  const { Messages = [] } = await sqs.send(command);
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

describe('a bus', () => {
  it('delivers the unchanged event only to rules that match its type', async () => {
    const channel = open(name);
    const closed = event('1');
    const receipt = await channel.send(parcelOf(closed));
    await channel.send(parcelOf(event('2', { type: 'task.created' })));
    expect(receipt).toMatchObject({ status: 200, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await arrived()).toMatchObject([
      { id: receipt.requestId, source: 'tidings', 'detail-type': 'task.closed', detail: closed },
    ]);
  });

  it('that does not exist is reported by name', async () => {
    const channel = open('missing-bus');
    expect(await failureOf(channel.send(parcelOf(event('1'))))).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_BUS_GONE',
      gone: true,
      message: "there is no bus 'missing-bus' in this account and region",
    });
  });
});
