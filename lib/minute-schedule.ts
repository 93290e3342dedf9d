/** Starts a function every minute. What is due then is for the function to find out. */

import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { TidingsFunction } from './tidings-function.ts';

export interface MinuteScheduleProps {
  readonly handler: TidingsFunction;
  readonly description: string;
  /** Gets what could not be started, and what fell over. */
  readonly missedRuns: IQueue;
  /** Whether it rests for now. */
  readonly paused: boolean;
}

/** The next minute does all that this one left undone: a start that comes late is worth nothing. */
const LATEST_START = Duration.minutes(1);

export class MinuteSchedule extends Construct {
  readonly schedule: Schedule;

  constructor(scope: Construct, id: string, { handler, description, missedRuns, paused }: MinuteScheduleProps) {
    super(scope, id);
    const { account } = Stack.of(this);
    const toMissedRuns = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [missedRuns.queueArn] });
    const role = new Role(this, 'Role', {
      // Not on behalf of somebody else's schedule.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }));
    role.addToPolicy(toMissedRuns);
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
      'Serverless-LambdaDLQ':
        'What falls over goes to its failure destination, which tells the error besides the event.',
    });
  }
}
