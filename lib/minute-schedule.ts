/** An EventBridge schedule that invokes a function every minute. The function decides what is due. */

import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type TidingsFunction, useOfKey } from './tidings-function.ts';

export interface MinuteScheduleProps {
  readonly handler: TidingsFunction;
  readonly description: string;
  /** Receives runs that could not be started or failed. */
  readonly missedRuns: IQueue;
  /** Whether the schedule is disabled. */
  readonly paused: boolean;
  /** The key of `missedRuns`. @default - one of AWS */
  readonly encryptionKey?: IKey | undefined;
}

/** The next run does everything a missed one left undone, so a late start is useless. */
const LATEST_START = Duration.minutes(1);

export class MinuteSchedule extends Construct {
  readonly schedule: Schedule;

  constructor(scope: Construct, id: string, props: MinuteScheduleProps) {
    super(scope, id);
    const { handler, description, missedRuns, paused, encryptionKey } = props;
    const { account } = Stack.of(this);
    const toMissedRuns = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [missedRuns.queueArn] });
    const role = new Role(this, 'Role', {
      // Prevents use by schedules of other accounts.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }));
    role.addToPolicy(toMissedRuns);
    if (encryptionKey !== undefined) role.addToPolicy(useOfKey(this, encryptionKey));
    this.schedule = new Schedule(this, 'Schedule', {
      description,
      enabled: !paused,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      target: {
        bind: () => ({
          arn: handler.functionArn,
          role,
          retryPolicy: { maximumEventAgeInSeconds: LATEST_START.toSeconds(), maximumRetryAttempts: 2 },
          deadLetterConfig: { arn: missedRuns.queueArn },
        }),
      },
    });
    handler.addToRolePolicy(toMissedRuns);
    handler.configureAsyncInvoke({
      maxEventAge: LATEST_START,
      retryAttempts: 0,
      onFailure: { bind: () => ({ destination: missedRuns.queueArn }) },
    });
    acknowledgeNagRules(handler, {
      'Serverless-LambdaDLQ': 'Failed runs go to the failure destination, which includes the error.',
    });
  }
}
