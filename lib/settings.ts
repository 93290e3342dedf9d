/** What every function of one Tidings shares: its config, its data, its queue, and how long its logs are kept. */

import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AwsConfig } from '../runtime/config/load.ts';
import type { TidingsData } from './tidings-data.ts';

export interface Settings {
  readonly config: AwsConfig;
  readonly data: TidingsData;
  /** Attempts to make now. */
  readonly queue: IQueue;
  readonly logRetention: RetentionDays;
  readonly sourceMaps: boolean;
  /** References that deliver may resolve besides those of the config. */
  readonly moreSecrets: readonly string[];
  /** ARN of the key that parameters and secrets are encrypted with. @default - AWS's own, which need no grant */
  readonly secretsKeyArn?: string;
}
