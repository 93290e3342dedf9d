/**
 * One Lambda function: bundled from its entry with the config in it, with its own log group and a role limited to
 * function-permissions.ts. The construct that owns it adds its trigger.
 */

import { join } from 'node:path';
import { AssetHashType, DockerImage, Duration, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { MANAGED_TOKEN_PREFIX } from '../runtime/aws/deployed-stores.ts';
import { tooManyPoliciesMessage } from '../runtime/aws/deployment-errors.ts';
import * as variables from '../runtime/aws/environment.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import type { FunctionNetwork } from '../runtime/config/aws-schema.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type BundleOptions, bundleFunction } from './bundle.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { type FunctionPermissions, permissionsFor, type TablePermissions } from './function-permissions.ts';
import { FUNCTION_SIZES, type FunctionSize } from './function-sizes.ts';
import { grantManagedSecrets, grantSecrets } from './grant-secrets.ts';

export interface TidingsFunctionProps {
  readonly settings: DeploymentSettings;
  readonly name: FunctionName;
  readonly description: string;
  /** @default - that of FUNCTION_SIZES */
  readonly size?: FunctionSize;
  /** Additional variables, see runtime/aws/environment.ts. @default - none */
  readonly environment?: Readonly<Record<string, string>>;
}

export class TidingsFunction extends LambdaFunction {
  readonly logs: LogGroup;
  readonly permissions: FunctionPermissions;

  constructor(scope: Construct, id: string, props: TidingsFunctionProps) {
    const { settings, name, description, size = FUNCTION_SIZES[name], environment = {} } = props;
    const { data, queue, config, deployment, sourceMaps } = settings;
    const logs = new LogGroup(scope, `${id}Logs`, settings.logs);
    // Without the managed policy AWSLambdaBasicExecutionRole, which allows writing to every log group.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    super(scope, id, {
      description,
      code: bundleCode({ name, config: config.text, sourceMap: sourceMaps, isTraced: settings.tracing !== undefined }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMb,
      timeout: Duration.seconds(size.timeoutSeconds),
      role,
      logGroup: logs,
      loggingFormat: LoggingFormat.JSON,
      reservedConcurrentExecutions: name === 'setup' ? undefined : settings.reservedConcurrency?.[name],
      environment: {
        [variables.SNAPSHOTS_TABLE]: data.snapshots.table.tableName,
        [variables.LEDGER_TABLE]: data.ledger.table.tableName,
        [variables.QUEUE_URL]: queue.queueUrl,
        [variables.DEPLOYMENT]: deployment,
        ...environment,
        ...(sourceMaps ? { NODE_OPTIONS: '--enable-source-maps' } : {}),
      },
    });
    this.logs = logs;
    const { moreSecrets, tracing } = settings;
    this.permissions = permissionsFor(name, { config: config.config, moreSecrets, tracing });
    const { snapshots, ledger, queue: sends = false, secrets = [], traces = false } = this.permissions;
    const { managedSecrets = false, managedTokens = false } = this.permissions;
    this.grantTable(data.snapshots.table, snapshots);
    this.grantTable(data.ledger.table, ledger);
    if (sends) this.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
    grantSecrets(this, secrets, settings.secretsKeyArn);
    if (managedSecrets || managedTokens) grantManagedSecrets(this, managedSecrets ? '' : MANAGED_TOKEN_PREFIX);
    if (settings.encryptionKey !== undefined) this.addToRolePolicy(useOfKey(this, settings.encryptionKey));
    if (traces && settings.tracing !== undefined) this.traceTo(settings.tracing);
    if (settings.vpc !== undefined && IN_VPC.includes(name)) this.joinNetwork(settings.vpc);
    this.node.addValidation({ validate: () => checkPolicies(name, role) });
    acknowledgeNagRules(this, {
      'Serverless-LambdaTracing':
        'It traces invocations, two a minute when idle, and loses a change at the stream. The option tracing sends the way of each change.',
    });
  }

  /** Segments of our own: those of Lambda end at the stream, which carries no trace. */
  private traceTo(tracing: string): void {
    this.addEnvironment(variables.TRACING, tracing);
    this.addToRolePolicy(new PolicyStatement({ actions: ['xray:PutTraceSegments'], resources: ['*'] }));
    acknowledgeNagRules(this.role ?? this, {
      'AwsSolutions-IAM5[Resource::*]': 'PutTraceSegments does not support resources, and only writes.',
    });
  }

  /** By ids, which may be of a network that another team manages. */
  private joinNetwork({ subnetIds, securityGroupIds }: FunctionNetwork): void {
    const { defaultChild } = this.node;
    if (!(defaultChild instanceof CfnFunction)) return;
    defaultChild.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
    // Lambda creates network interfaces with the role of the function. IAM does not limit these actions to a resource.
    this.addToRolePolicy(new PolicyStatement({ actions: [...NETWORK_ACTIONS], resources: ['*'] }));
    acknowledgeNagRules(this.role ?? this, {
      'AwsSolutions-IAM5[Resource::*]': 'Network interfaces of Lambda: these actions do not support resources.',
    });
  }

  /** Lists the indexes: CDK's grants use a wildcard. */
  private grantTable(
    { tableArn }: ITableV2,
    { table, partitions, indexes = [] }: TablePermissions = { table: [] },
  ): void {
    if (table.length === 0) return;
    const onTable = (actions: readonly string[]) => ({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [tableArn],
    });
    this.addToRolePolicy(new PolicyStatement(onTable(table)));
    if (partitions !== undefined) {
      // True without a key as well, so it limits only actions that name the items: not a scan.
      const conditions = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [...partitions.keys] } };
      this.addToRolePolicy(new PolicyStatement({ ...onTable(partitions.actions), conditions }));
    }
    if (indexes.length === 0) return;
    const resources = indexes.map((index) => `${tableArn}/index/${index}`);
    this.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
  }
}

/** The functions that connect to systems of others. */
const IN_VPC: readonly FunctionName[] = ['poll', 'deliver'];

const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
] as const;

/** Through the services that store with it, and not by itself. */
export function useOfKey(scope: Construct, { keyArn }: IKey): PolicyStatement {
  const { region, urlSuffix } = Stack.of(scope);
  return new PolicyStatement({
    actions: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:GenerateDataKeyWithoutPlaintext',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    resources: [keyArn],
    conditions: {
      StringEquals: {
        'kms:ViaService': ['dynamodb', 'sqs', 's3'].map((service) => `${service}.${region}.${urlSuffix}`),
      },
    },
  });
}

/** The default quota of managed policies per role. */
const MAX_MANAGED_POLICIES = 10;

/** CDK moves statements that do not fit in the role to managed policies, before validations run. */
function checkPolicies(name: FunctionName, role: Role): string[] {
  const { length } = role.node.findAll().filter((one) => one instanceof ManagedPolicy);
  return length > MAX_MANAGED_POLICIES ? [tooManyPoliciesMessage(name, length, MAX_MANAGED_POLICIES)] : [];
}

/** Bundled at synthesis. The hash covers the output: the same code and config give the same asset. */
function bundleCode(options: Omit<BundleOptions, 'folder'>): Code {
  return Code.fromAsset(join(import.meta.dirname, '..', 'functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required by CDK as a fallback; never used.
      image: DockerImage.fromRegistry('none'),
      // CDK caches assets by folder and command before bundling.
      command: [JSON.stringify(options)],
      local: {
        tryBundle(folder) {
          bundleFunction({ ...options, folder });
          return true;
        },
      },
    },
  });
}

/** For functions that are only invoked synchronously. */
export function acknowledgeSynchronousCalls(handler: TidingsFunction, caller: string): void {
  acknowledgeNagRules(handler, {
    'Serverless-LambdaDLQ': `Only ${caller} invokes it, synchronously.`,
  });
}
