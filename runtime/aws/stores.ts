/**
 * The stores of a deployed stack, for the command line: found by the stack's name, opened with the user's own
 * credentials and region. What the user may not do, AWS refuses.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { AwsError, callAws } from '../../adapters/aws/call.ts';
import type { AwsClientSettings } from '../../adapters/aws/client-settings.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { DYNAMODB_CLIENT } from '../../adapters/dynamodb/table.ts';
import { awsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import { GetParameterCommand, openSsmClient } from '../../adapters/secrets/ssm-client.ts';
import { sqsQueue } from '../../adapters/sqs/queue.ts';
import { RetryLater, UsageError } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { SECOND } from '../../core/model/time.ts';
import type { Environment } from '../config/config.ts';
import type { Stores, StoresOptions } from '../inspect/stores.ts';
import { type DeployedStores, managedSecretsPath, storesParameter } from './deployed-stores.ts';

/** Credentials may have to be fetched first, from a login or a role. */
const TIMEOUT = 15 * SECOND;

export async function openAwsStores(stack: string, { environment, clock }: StoresOptions): Promise<Stores> {
  const settings = clientSettings(environment);
  const dynamodb = new DynamoDBClient({ ...DYNAMODB_CLIENT, ...settings });
  const region = await regionOf(dynamodb);
  const { snapshotsTable, ledgerTable, queueUrl, retention } = await findStores(settings, stack, region);
  const sqs = new SQSClient(settings);
  return {
    ...dynamoStores({
      client: dynamodb,
      tables: { snapshots: snapshotsTable, ledger: ledgerTable },
      retention,
      clock,
    }),
    queue: sqsQueue({ client: sqs, url: queueUrl }),
    secrets: awsSecrets({ settings, clock, prefix: managedSecretsPath(stack) }),
    close: () => {
      for (const client of [dynamodb, sqs]) client.destroy();
    },
  };
}

/** The SDK looks everywhere the AWS CLI does, but for this one variable. */
function clientSettings({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): AwsClientSettings {
  return AWS_REGION || !AWS_DEFAULT_REGION ? {} : { region: AWS_DEFAULT_REGION };
}

async function regionOf(client: DynamoDBClient): Promise<string> {
  try {
    return await client.config.region();
  } catch (cause) {
    throw new UsageError(
      'TIDINGS_AWS_REGION_MISSING',
      '--aws: expected a region in AWS_REGION, or in the profile that AWS_PROFILE names, got none',
      { cause },
    );
  }
}

async function findStores(settings: AwsClientSettings, stack: string, region: string): Promise<DeployedStores> {
  const ssm = openSsmClient(settings);
  const command = new GetParameterCommand({ Name: storesParameter(stack), WithDecryption: true });
  try {
    const { Parameter } = await callAws((options) => ssm.send(command, options), { timeout: TIMEOUT });
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
      `--aws: there is no stack of that name in this account and region: expected the parameter ${parameter} in ${region}, which 'cdk deploy' writes for '${stack}', got none`,
    );
  }
  // AWS calls both so: what finds credentials, and what finds the token of a login.
  if (/^(Credentials|Token)ProviderError$/.test(awsCode)) {
    return new UsageError(
      'TIDINGS_AWS_CREDENTIALS_MISSING',
      "--aws: expected AWS credentials, as the AWS CLI finds them ('aws sts get-caller-identity' tells), got none that can be used",
    );
  }
  if (kind === 'denied') {
    return new UsageError(
      'TIDINGS_AWS_DENIED',
      `--aws: your credentials have no right to read ${parameter} in ${region}: ${message}`,
    );
  }
  return new RetryLater('TIDINGS_AWS_UNREACHABLE', `--aws: ${parameter} in ${region} cannot be read: ${message}`);
}

/** A parameter is open to many hands: what it holds is looked at before it is believed. */
function readStores(stack: string, text: string): DeployedStores {
  const { snapshotsTable, ledgerTable, queueUrl, retention } = readJsonObject(text) ?? {};
  if (isNonEmpty(snapshotsTable) && isNonEmpty(ledgerTable) && isNonEmpty(queueUrl) && typeof retention === 'number') {
    return { snapshotsTable, ledgerTable, queueUrl, retention };
  }
  throw new UsageError(
    'TIDINGS_STACK_UNREADABLE',
    `--aws: ${storesParameter(stack)}: expected JSON with snapshotsTable, ledgerTable, queueUrl and retention; deploy the stack again with this version`,
  );
}

const isNonEmpty = (value: unknown): value is string => typeof value === 'string' && value !== '';
