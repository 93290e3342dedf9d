/** What every function of one Tidings shares: its config, its data, its queue, and what becomes of its logs. */

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AwsConfig } from '../runtime/config/load.ts';
import type { TidingsData } from './tidings-data.ts';

/** How log groups are made: retention clears them, and a stack that goes takes no evidence along. */
export interface LogProps {
  readonly retention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

export interface DeploymentSettings {
  readonly config: Pick<AwsConfig, 'config' | 'text'>;
  readonly data: TidingsData;
  /** Attempts to make now. */
  readonly queue: IQueue;
  /** Names this deployment in its metrics. */
  readonly deployment: string;
  readonly logs: LogProps;
  readonly sourceMaps: boolean;
  /** Whether nothing may start by itself. */
  readonly paused: boolean;
  /** References that deliver may resolve besides those of the config. */
  readonly moreSecrets: readonly string[];
  /** ARN of the key that parameters and secrets are encrypted with. @default - AWS's own, which need no grant */
  readonly secretsKeyArn?: string;
}
