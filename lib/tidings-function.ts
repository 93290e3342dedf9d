/**
 * One Lambda function: bundled from its entry with the config in it, with its own log group and a role limited to
 * function-permissions.ts. The construct that owns it adds its trigger.
 */

import { join } from 'node:path';
import { AssetHashType, DockerImage, type Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import * as variables from '../runtime/aws/environment.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import { isManagedOverHttp } from '../runtime/config/serves-api.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type BundleOptions, bundleFunction } from './bundle.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { permissionsFor, type TablePermissions } from './function-permissions.ts';
import { grantSecrets } from './grant-secrets.ts';

export interface TidingsFunctionProps {
  readonly settings: DeploymentSettings;
  readonly name: FunctionName;
  readonly description: string;
  /** In MB. CPU is proportional: 1,769 MB are one vCPU. */
  readonly memorySize: number;
  readonly timeout: Duration;
  /** References to secrets it reads. @default - none */
  readonly secrets?: readonly string[];
  /** Additional variables, see runtime/aws/environment.ts. @default - none */
  readonly environment?: Readonly<Record<string, string>>;
}

export class TidingsFunction extends LambdaFunction {
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: TidingsFunctionProps) {
    const { settings, name, description, memorySize, timeout, secrets = [], environment = {} } = props;
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
      memorySize,
      timeout,
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
    const {
      snapshots,
      ledger,
      queue: sends = false,
    } = permissionsFor(name, {
      isManaged: isManagedOverHttp(config.config),
      hasSlack: config.config.slack !== undefined,
    });
    this.grantTable(data.snapshots.table, snapshots);
    this.grantTable(data.ledger.table, ledger);
    if (sends) this.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
    grantSecrets(this, secrets, settings.secretsKeyArn);
    acknowledgeNagRules(this, {
      'Serverless-LambdaTracing':
        'The X-Ray SDK is in maintenance mode; each log line has the ids of event and delivery.',
    });
  }

  /** Lists the indexes: CDK's grants use a wildcard. */
  private grantTable({ tableArn }: TableV2, { table: actions, indexes = [] }: TablePermissions = { table: [] }): void {
    if (actions.length === 0) return;
    this.addToRolePolicy(
      new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [tableArn] }),
    );
    if (indexes.length === 0) return;
    const resources = indexes.map((index) => `${tableArn}/index/${index}`);
    this.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
  }
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
