/** Settings that all functions of a deployment share. */

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionNetwork, ReservedConcurrency } from '../runtime/config/aws-schema.ts';
import type { AwsConfig } from '../runtime/config/load.ts';
import type { TidingsData } from './tidings-data.ts';

/** Properties of the log groups. */
export interface LogProps {
  readonly retention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  /** @default - the key of CloudWatch Logs */
  readonly encryptionKey?: IKey | undefined;
}

export interface DeploymentSettings {
  readonly config: Pick<AwsConfig, 'config' | 'text'>;
  readonly data: TidingsData;
  /** The queue of due delivery attempts. */
  readonly queue: IQueue;
  /** Name of the root stack: the `service` dimension of its metrics. */
  readonly deployment: string;
  readonly logs: LogProps;
  readonly sourceMaps: boolean;
  /** Whether schedules and event sources are disabled. `draining`: only the schedules. */
  readonly paused: boolean | 'draining';
  /** References that deliver may read in addition to those of the config. */
  readonly moreSecrets: readonly string[];
  /** ARN of the KMS key of parameters and secrets. @default - AWS managed keys, which need no grant */
  readonly secretsKeyArn?: string;
  /** The key of tables, queues, bucket, logs and topic. @default - keys of AWS, which need no grant */
  readonly encryptionKey?: IKey | undefined;
  /** The network of the functions that connect to others. @default - none */
  readonly vpc?: FunctionNetwork | undefined;
  /** Whether poll publishes metrics about single sources. @default false */
  readonly alarmsPerSource?: boolean | undefined;
  /** @default - nothing is traced */
  readonly tracing?: 'xray' | undefined;
  /** @default - none is reserved */
  readonly reservedConcurrency?: ReservedConcurrency | undefined;
}
