/** Makes the attempts: a function on the queue. The only one that talks to receivers. */

import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { busesOf, referencesOf, senderOf } from '../runtime/config/aws-references.ts';
import { acknowledge } from './acknowledge.ts';
import { DELIVER_TIMEOUT } from './deliveries.ts';
import { grantKeptSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { neverAsynchronous, TidingsFunction } from './tidings-function.ts';

export interface DelivererProps {
  readonly settings: Settings;
  readonly queue: Queue;
  /** Functions at the same time, 2 at least. Each makes ten attempts at once. */
  readonly maxConcurrency: number;
}

export class Deliverer extends Construct {
  readonly handler: TidingsFunction;

  constructor(scope: Construct, id: string, { settings, queue, maxConcurrency }: DelivererProps) {
    super(scope, id);
    const {
      config: { config },
      moreSecrets,
    } = settings;
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'deliver',
      description: 'Tidings: makes attempts at deliveries',
      // Waits for receivers, mostly: memory for ten messages with their records, and no more processor than that needs.
      memorySize: 512,
      timeout: DELIVER_TIMEOUT,
      secrets: [...referencesOf(config).deliver, ...moreSecrets],
    });
    this.handler.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, maxConcurrency, reportBatchItemFailures: true }),
    );
    if (config.mail !== undefined) this.maySendAs(config.mail.from);
    this.mayPutOn(busesOf(config));
    grantKeptSecrets(this.handler);
    neverAsynchronous(this.handler, 'the queue');
    acknowledge(this.handler, {
      'Serverless-LambdaEventSourceMappingDestination':
        'The queue has dead letters; a mapping of a queue takes no more.',
    });
  }

  private mayPutOn(buses: readonly string[]): void {
    if (buses.length === 0) return;
    const resources = buses.map((bus) =>
      bus.startsWith('arn:')
        ? bus
        : Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: bus }),
    );
    this.handler.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources }));
  }

  /** As this one sender, whichever of the two is the identity that SES has verified. */
  private maySendAs(from: string): void {
    const { address, domain } = senderOf(from);
    const resources = [address, domain].map((name) =>
      Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName: name }),
    );
    this.handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail', 'ses:SendRawEmail'],
        resources,
        conditions: { StringEquals: { 'ses:FromAddress': address } },
      }),
    );
  }
}
