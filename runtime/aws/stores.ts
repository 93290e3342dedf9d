/** Opens the stores of a deployed stack for the CLI, found by the name of the stack, with the user's own credentials and region. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { AwsError, callAws } from '../../adapters/aws/call.ts';
import type { AwsClientSettings } from '../../adapters/aws/client-settings.ts';
import { snapshotKey } from '../../adapters/dynamodb/keys.ts';
import { dynamoPortableData } from '../../adapters/dynamodb/portable-data.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { DYNAMODB_CLIENT, openTable } from '../../adapters/dynamodb/table.ts';
import { awsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import { GetParameterCommand, openSsmClient } from '../../adapters/secrets/ssm-client.ts';
import { countQueued, sqsQueue } from '../../adapters/sqs/queue.ts';
import { RetryLater, UsageError } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { SECOND } from '../../core/model/time.ts';
import type { Environment } from '../config/config.ts';
import type { Stores, StoresOptions } from '../inspect/stores.ts';
import { type DeployedStores, managedSecretsPath, storesParameter } from './deployed-stores.ts';
import { VERIFICATION_KEY } from './verification.ts';

/** Includes getting credentials from a login or a role. */
const TIMEOUT = 15 * SECOND;

export async function openAwsStores(stack: string, { environment, clock }: StoresOptions): Promise<Stores> {
  const settings = clientSettings(environment);
  const dynamodb = new DynamoDBClient({ ...DYNAMODB_CLIENT, ...settings });
  const region = await regionOf(dynamodb);
  const { snapshotsTable, ledgerTable, queueUrl, retention, consoleUrl } = await findStores(settings, stack, region);
  const sqs = new SQSClient(settings);
  const tables = { snapshots: snapshotsTable, ledger: ledgerTable };
  const options = { client: dynamodb, tables, retention, clock };
  return {
    ...dynamoStores(options),
    portable: dynamoPortableData(options),
    queue: sqsQueue({ client: sqs, url: queueUrl }),
    countQueued: () => countQueued(sqs, queueUrl),
    secrets: awsSecrets({ settings, clock, prefix: managedSecretsPath(stack) }),
    consoleUrl,
    restoreTables: async (from, { asOf, progress }) => {
      const { readRestoreMoment, restoreTables } = await import('./restore-tables.ts');
      const madeAt = asOf ?? (await readRestoreMoment(dynamodb, from.snapshots));
      return restoreTables({ client: dynamodb, from, to: tables, asOf: madeAt, now: clock.now(), progress });
    },
    removeVerificationRecord: async () => {
      await openTable({ client: dynamodb, table: snapshotsTable }).remove(snapshotKey(VERIFICATION_KEY));
    },
    // Few commands need it, and it brings a client of its own.
    identify: async () => (await import('./caller-identity.ts')).findCallerArn(settings),
    close: () => {
      for (const client of [dynamodb, sqs]) client.destroy();
    },
  };
}

/** Unlike the AWS CLI, the SDK ignores AWS_DEFAULT_REGION. */
function clientSettings({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): AwsClientSettings {
  return AWS_REGION || !AWS_DEFAULT_REGION ? {} : { region: AWS_DEFAULT_REGION };
}

async function regionOf(client: DynamoDBClient): Promise<string> {
  try {
    return await client.config.region();
  } catch (cause) {
    throw new UsageError(
      'TIDINGS_AWS_REGION_MISSING',
      '--aws: no region: set AWS_REGION, or a region in the profile of AWS_PROFILE',
      { cause },
    );
  }
}

async function findStores(settings: AwsClientSettings, stack: string, region: string): Promise<DeployedStores> {
  const ssm = openSsmClient(settings);
  const command = new GetParameterCommand({ Name: storesParameter(stack), WithDecryption: true });
  try {
    const { Parameter } = await callAws(ssm, (options) => ssm.send(command, options), { timeout: TIMEOUT });
    return readStores(stack, Parameter?.Value ?? '');
  } catch (error) {
    throw error instanceof AwsError ? toLookupError(stack, region, error) : error;
  } finally {
    ssm.destroy();
  }
}

function toLookupError(stack: string, region: string, { awsCode, kind, message }: AwsError): Error {
  const parameter = storesParameter(stack);
  if (awsCode === 'ParameterNotFound') {
    return new UsageError(
      'TIDINGS_STACK_UNKNOWN',
      `--aws: stack '${stack}' not found in this account and region: there is no parameter ${parameter} in ${region}, which 'cdk deploy' creates`,
    );
  }
  // The SDK's names for missing credentials and an expired login.
  if (/^(Credentials|Token)ProviderError$/.test(awsCode)) {
    return new UsageError(
      'TIDINGS_AWS_CREDENTIALS_MISSING',
      "--aws: no valid AWS credentials found; check them with 'aws sts get-caller-identity'",
    );
  }
  if (kind === 'denied') {
    return new UsageError(
      'TIDINGS_AWS_DENIED',
      `--aws: your credentials have no permission to read ${parameter} in ${region}: ${message}`,
    );
  }
  return new RetryLater('TIDINGS_AWS_UNREACHABLE', `--aws: ${parameter} in ${region} could not be read: ${message}`);
}

/** Others can edit the parameter, so its content is validated. */
function readStores(stack: string, text: string): DeployedStores {
  const { snapshotsTable, ledgerTable, queueUrl, retention, consoleUrl } = readJsonObject(text) ?? {};
  if (isNonEmpty(snapshotsTable) && isNonEmpty(ledgerTable) && isNonEmpty(queueUrl) && typeof retention === 'number') {
    return {
      snapshotsTable,
      ledgerTable,
      queueUrl,
      retention,
      consoleUrl: isNonEmpty(consoleUrl) ? consoleUrl : undefined,
    };
  }
  throw new UsageError(
    'TIDINGS_STACK_UNREADABLE',
    `--aws: ${storesParameter(stack)}: expected JSON with snapshotsTable, ledgerTable, queueUrl and retention; deploy the stack again with this version`,
  );
}

const isNonEmpty = (value: unknown): value is string => typeof value === 'string' && value !== '';
