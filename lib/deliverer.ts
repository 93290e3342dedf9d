/** Makes the attempts: a function on the queue. The only one that talks to receivers. */

import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ConfigurationSet, ConfigurationSetTlsPolicy, SuppressionReasons } from 'aws-cdk-lib/aws-ses';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { CONFIGURATION_SET, MANAGE_URL } from '../runtime/aws/environment.ts';
import { permissionsOf, referencesOf, senderOf } from '../runtime/config/aws-references.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { DELIVER_TIMEOUT } from './delivery-queue.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { grantManagedSecrets } from './grant-secrets.ts';
import { nagFindingArn } from './nag-finding-arn.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

export interface DelivererProps {
  readonly settings: DeploymentSettings;
  readonly queue: Queue;
  /** Functions at the same time, 2 at least. Each makes ten attempts at once. */
  readonly maxConcurrency: number;
  /** Where links of mails lead unless the config says otherwise. */
  readonly manageUrl: string;
}

export class Deliverer extends Construct {
  readonly handler: TidingsFunction;

  constructor(scope: Construct, id: string, { settings, queue, maxConcurrency, manageUrl }: DelivererProps) {
    super(scope, id);
    const {
      config: { config },
      moreSecrets,
      paused,
    } = settings;
    const mails = config.mail === undefined ? undefined : this.createConfigurationSet();
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'deliver',
      description: 'Tidings: makes attempts at deliveries',
      // Waits for receivers, mostly: memory for ten messages with their records, and no more processor than that needs.
      memorySize: 512,
      timeout: DELIVER_TIMEOUT,
      secrets: [...referencesOf(config).deliver, ...moreSecrets],
      environment: {
        [MANAGE_URL]: manageUrl,
        ...(mails === undefined ? {} : { [CONFIGURATION_SET]: mails.configurationSetName }),
      },
    });
    this.handler.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, maxConcurrency, reportBatchItemFailures: true, enabled: !paused }),
    );
    if (config.mail !== undefined) this.grantSendEmail(config.mail.from);
    this.grantChannels(permissionsOf(config));
    grantManagedSecrets(this.handler);
    acknowledgeSynchronousCalls(this.handler, 'the queue');
    acknowledgeNagRules(this.handler, {
      'Serverless-LambdaEventSourceMappingDestination':
        'The queue has dead letters; a mapping of a queue takes no more.',
    });
  }

  /** The permissions that the channels of the config ask for, one statement per action. */
  private grantChannels(permissions: ReturnType<typeof permissionsOf>): void {
    for (const [action, granted] of Map.groupBy(permissions, (one) => one.action)) {
      const resources = granted.map(({ service, resource, name }) =>
        name.startsWith('arn:') ? name : Stack.of(this).formatArn({ service, resource, resourceName: name }),
      );
      this.handler.addToRolePolicy(new PolicyStatement({ actions: [action], resources }));
    }
  }

  /** An address that bounced or complained is not written to again, whatever the account's own list does. */
  private createConfigurationSet(): ConfigurationSet {
    return new ConfigurationSet(this, 'Mails', {
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      reputationMetrics: true,
    });
  }

  /** As this one sender and nobody else; on whichever identities SES asks about. */
  private grantSendEmail(from: string): void {
    const stack = Stack.of(this);
    const kinds = ['identity', 'configuration-set'];
    const resources = kinds.map((resource) => stack.formatArn({ service: 'ses', resource, resourceName: '*' }));
    this.handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources,
        conditions: { StringEquals: { 'ses:FromAddress': senderOf(from).address } },
      }),
    );
    const reason =
      'SES asks for the sender’s address, its domain or one above, sets that these name, and in the sandbox the reader too. The sender’s address bounds it.';
    const told = resources.map((arn) => `AwsSolutions-IAM5[Resource::${nagFindingArn(stack, arn)}]`);
    acknowledgeNagRules(
      this.handler.role ?? this.handler,
      Object.fromEntries(told.map((finding) => [finding, reason])),
    );
  }
}
