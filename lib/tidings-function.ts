/**
 * One Lambda function: bundled from its entry with the config in it, with its own log group and a role limited to
 * function-permissions.ts. The construct that owns it adds its trigger.
 */

import { join } from 'node:path';
import { AssetHashType, DockerImage, Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { tooManyPoliciesMessage } from '../runtime/aws/deployment-errors.ts';
import * as variables from '../runtime/aws/environment.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type BundleOptions, bundleFunction } from './bundle.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { type FunctionPermissions, permissionsFor, type TablePermissions } from './function-permissions.ts';
import { FUNCTION_SIZES, type FunctionSize } from './function-sizes.ts';
import { grantSecrets } from './grant-secrets.ts';

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
      code: bundleCode({ name, config: config.text, sourceMap: sourceMaps }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMb,
      timeout: Duration.seconds(size.timeoutSeconds),
      role,
      logGroup: logs,
      loggingFormat: LoggingFormat.JSON,
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
    this.permissions = permissionsFor(name, { config: config.config, moreSecrets: settings.moreSecrets });
    const { snapshots, ledger, queue: sends = false, secrets = [] } = this.permissions;
    this.grantTable(data.snapshots.table, snapshots);
    this.grantTable(data.ledger.table, ledger);
    if (sends) this.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
    grantSecrets(this, secrets, settings.secretsKeyArn);
    this.node.addValidation({ validate: () => checkPolicies(name, role) });
    acknowledgeNagRules(this, {
      'Serverless-LambdaTracing':
        'The X-Ray SDK is in maintenance mode; each log line has the ids of event and delivery.',
    });
  }

  /** Lists the indexes: CDK's grants use a wildcard. */
  private grantTable(
    { tableArn }: TableV2,
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
