/**
 * Tidings in the emulated AWS: the real functions with their own tables, stream, queues and secrets, and the simulator as the
 * API. This file does what Lambda does between the functions, in Lambda's formats.
 */

import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, DeleteSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { DAY } from '../../core/model/time.ts';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import { CONFIG, LEDGER_TABLE, QUEUE_URL, SNAPSHOTS_TABLE } from '../../runtime/aws/environment.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import {
  MOST_RECEIVES,
  mappingOf,
  OPS,
  openFunctions,
  type PipelineWorld,
  packedConfig,
  TOKEN,
  type WorldOptions,
  withPollQueues,
} from '../functions/world.ts';
import { movableClock } from '../movable-clock.ts';
import { SECRET } from '../samples.ts';
import { openStream } from './stream.ts';
import { makeQueues, makeTables, reachesFunction } from './template.ts';

export async function startAwsWorld({ simulator: size, ...options }: WorldOptions): Promise<PipelineWorld> {
  // So large that no cadence is lengthened: how much of the day is left would decide which polls scan.
  const simulator = await startSimulator({ tasks: 30, quota: 10_000_000, ...size });
  const dynamodb = new DynamoDBClient();
  const sqs = new SQSClient();
  const ssm = new SSMClient();
  const secretsManager = new SecretsManagerClient();
  const clients = { dynamodb, sqs };
  const tables = await makeTables(dynamodb);
  const stream = await openStream(dynamodb, tables.snapshots);
  const urls = await makeQueues(sqs, { most: MOST_RECEIVES });
  const secrets = await keepSecrets({ ssm, secretsManager }, simulator.tokens.Administrator[0] ?? '');
  const clock = movableClock();
  const packed = packedConfig(simulator, options).replaceAll(TOKEN, secrets.token).replaceAll(OPS, secrets.ops);
  const environment = {
    [SNAPSHOTS_TABLE]: tables.snapshots,
    [LEDGER_TABLE]: tables.ledger,
    [QUEUE_URL]: urls.jobs,
    ...withPollQueues(packed, urls),
    [CONFIG]: packed,
  };
  const awsOptions: AwsContextOptions = { environment, clients, clock, random: () => 0.5 };
  return {
    simulator,
    clock,
    options: awsOptions,
    functions: openFunctions(awsOptions),
    stores: dynamoStores({ client: dynamodb, tables, retention: 90 * DAY, clock }),
    changes: async () => (await stream.take()).filter(reachesFunction),
    queues: { ...mappingOf(sqs, urls.jobs), count: () => countOf(sqs, urls.jobs), dead: () => takeAll(sqs, urls.dead) },
    async stop() {
      await simulator.stop();
      await Promise.all([tables.remove(), urls.remove(), secrets.remove()]);
      for (const client of [...Object.values(clients), ssm, secretsManager]) client.destroy();
    },
  };
}

interface SecretClients {
  readonly ssm: SSMClient;
  readonly secretsManager: SecretsManagerClient;
}

/** Returns the references of the secrets, as the functions use them. */
async function keepSecrets({ ssm, secretsManager }: SecretClients, token: string) {
  const run = randomUUID();
  const Name = `/tidings-${run}/token`;
  await ssm.send(new PutParameterCommand({ Name, Value: token, Type: 'SecureString' }));
  const SecretString = JSON.stringify({ ops: SECRET });
  const SecretId = `tidings-${run}`;
  await secretsManager.send(new CreateSecretCommand({ Name: SecretId, SecretString }));
  const remove = async () => {
    await ssm.send(new DeleteParameterCommand({ Name }));
    await secretsManager.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  };
  return { token: `ssm:${Name}`, ops: `secret:${SecretId}#ops`, remove };
}

async function countOf(client: SQSClient, QueueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
  return Number((await client.send(command)).Attributes?.ApproximateNumberOfMessages);
}

async function takeAll(client: SQSClient, QueueUrl: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
  }
}
