/** The `poll` function, invoked every minute: reads from the API what is due. With several sources, queues divide them among executions. */

import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { POLL_QUEUE_URL, SLOW_POLL_QUEUE_URL, SOURCE_METRICS } from '../runtime/aws/environment.ts';
import { dividesPolls } from '../runtime/config/serves-api.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { queueEncryption } from './delivery-queue.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { FUNCTION_SIZES } from './function-sizes.ts';
import { MinuteSchedule } from './minute-schedule.ts';
import { TidingsFunction } from './tidings-function.ts';

export interface PollerProps {
  readonly settings: DeploymentSettings;
  /** Executions that poll at once, for each queue. @default 10 */
  readonly pollConcurrency?: number | undefined;
}

/** The queues of polls: one message for each source that is due. */
interface QueuesOfPolls {
  readonly usual: Queue;
  /** For sources that fail or have not been read completely: the others do not wait for them. */
  readonly slow: Queue;
}

const DEFAULT_POLL_CONCURRENCY = 10;

/** The fewest that Lambda accepts for the mapping of a queue. */
const MIN_CONCURRENCY = 2;

/** Sources that one execution polls at once: while one waits for its API, the others go on. */
const SOURCES_PER_EXECUTION = 10;

/** Every minute brings a new message for a source that is still due: an older one is a duplicate. */
const MESSAGE_LIFE = Duration.minutes(3);

export class Poller extends Construct {
  readonly handler: TidingsFunction;
  readonly minuteSchedule: MinuteSchedule;
  /** Undefined if there can be only one source. */
  readonly queues: QueuesOfPolls | undefined;

  constructor(scope: Construct, id: string, { settings, pollConcurrency }: PollerProps) {
    super(scope, id);
    const { paused, data, encryptionKey, config, reservedConcurrency } = settings;
    this.queues = dividesPolls(config.config) ? this.createQueues(settings) : undefined;
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'poll',
      description: 'Tidings: reads due resources and commits their changes',
      environment: {
        ...(settings.alarmsPerSource === true ? { [SOURCE_METRICS]: 'true' } : {}),
        ...(this.queues === undefined
          ? {}
          : {
              [POLL_QUEUE_URL]: this.queues.usual.queueUrl,
              [SLOW_POLL_QUEUE_URL]: this.queues.slow.queueUrl,
            }),
      },
    });
    const description = 'Tidings: polls every minute';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused: paused !== false,
      encryptionKey,
    });
    if (this.queues === undefined) return;
    const reserved = reservedConcurrency?.poll;
    const maxConcurrency = pollConcurrency ?? DEFAULT_POLL_CONCURRENCY;
    this.pollFrom(this.queues, { paused, maxConcurrency: shareOf(reserved, maxConcurrency) });
    this.node.addValidation({ validate: () => checkReserved(reserved) });
  }

  private createQueues({ encryptionKey }: DeploymentSettings): QueuesOfPolls {
    const create = (id: string) => {
      const queue = new Queue(this, id, {
        ...queueEncryption(encryptionKey),
        enforceSSL: true,
        // Lambda requires at least the timeout of the function. A failed message expires before it becomes visible again.
        visibilityTimeout: Duration.seconds(FUNCTION_SIZES.poll.timeoutSeconds),
        retentionPeriod: MESSAGE_LIFE,
      });
      const reason = 'A message is not repeated: the next minute brings another for a source that is still due.';
      acknowledgeNagRules(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
      return queue;
    };
    return { usual: create('Polls'), slow: create('SlowPolls') };
  }

  private pollFrom(
    { usual, slow }: QueuesOfPolls,
    { paused, maxConcurrency }: Pick<DeploymentSettings, 'paused'> & { readonly maxConcurrency: number },
  ): void {
    for (const queue of [usual, slow]) {
      this.handler.addEventSource(
        new SqsEventSource(queue, {
          batchSize: SOURCES_PER_EXECUTION,
          // Messages of one minute arrive over a second or two: together they share an execution.
          maxBatchingWindow: Duration.seconds(2),
          maxConcurrency,
          enabled: paused === false,
        }),
      );
    }
    if (this.handler.permissions.pollQueues === true) {
      const resources = [usual.queueArn, slow.queueArn];
      this.handler.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources }));
    }
    acknowledgeNagRules(this.handler, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A message is not repeated: the next minute brings another. A mapping of a queue supports no failure destination.',
    });
  }
}

/** Of a reserved concurrency one execution is for the minute's run, and each queue gets half of the others. */
function shareOf(reserved: number | undefined, maxConcurrency: number): number {
  if (reserved === undefined) return maxConcurrency;
  return Math.max(MIN_CONCURRENCY, Math.min(maxConcurrency, Math.floor((reserved - 1) / 2)));
}

const MIN_RESERVED = 1 + 2 * MIN_CONCURRENCY;

function checkReserved(reserved: number | undefined): string[] {
  if (reserved === undefined || reserved >= MIN_RESERVED) return [];
  return [
    `reservedConcurrency.poll: expected at least ${MIN_RESERVED} where there may be several sources, got ${reserved}: one execution finds what is due, and each of two queues of polls needs ${MIN_CONCURRENCY}`,
  ];
}
