/** The `deliver` function on the queue: makes delivery attempts. The only function that sends to receivers. */

import { Stack, Token, Tokenization } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ConfigurationSet, ConfigurationSetTlsPolicy, SuppressionReasons } from 'aws-cdk-lib/aws-ses';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { CONFIGURATION_SET, MANAGE_URL, MAX_EXECUTIONS } from '../runtime/aws/environment.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import type { FunctionPermissions } from './function-permissions.ts';
import { nagFindingArn } from './nag-finding-arn.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

export interface DelivererProps {
  readonly settings: DeploymentSettings;
  readonly queue: Queue;
  /** Concurrent invocations, at least 2. Each makes up to ten attempts at once. */
  readonly maxConcurrency: number;
  /** Base URL of unsubscribe links, unless the config sets `manage.url`. */
  readonly manageUrl: string;
}

/** Lambda's minimum of a mapping. */
const MIN_CONCURRENCY = 2;

/**
 * The queue must not invoke more executions than are reserved: Lambda would refuse the others, and messages that are refused several times
 * are dead letters although nothing is wrong with them.
 */
function withinReserved(maxConcurrency: number, reserved: number | undefined): number {
  if (reserved === undefined || Token.isUnresolved(maxConcurrency)) return maxConcurrency;
  return Math.max(MIN_CONCURRENCY, Math.min(maxConcurrency, reserved));
}

function checkReserved(reserved: number | undefined): string[] {
  if (reserved === undefined || reserved >= MIN_CONCURRENCY) return [];
  const message = `reservedConcurrency.deliver: expected at least ${MIN_CONCURRENCY}, got ${reserved}: a queue invokes as many at once, and messages that are refused become dead letters`;
  return [message];
}

export class Deliverer extends Construct {
  readonly handler: TidingsFunction;

  constructor(scope: Construct, id: string, { settings, queue, maxConcurrency, manageUrl }: DelivererProps) {
    super(scope, id);
    const {
      config: { config },
      paused,
    } = settings;
    const configurationSet = config.mail === undefined ? undefined : this.createConfigurationSet();
    const executions = withinReserved(maxConcurrency, settings.reservedConcurrency?.deliver);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'deliver',
      description: 'Tidings: makes delivery attempts',
      environment: {
        [MANAGE_URL]: manageUrl,
        [MAX_EXECUTIONS]: Tokenization.stringifyNumber(executions),
        ...(configurationSet === undefined ? {} : { [CONFIGURATION_SET]: configurationSet.configurationSetName }),
      },
    });
    this.handler.addEventSource(
      new SqsEventSource(queue, {
        batchSize: 10,
        maxConcurrency: executions,
        reportBatchItemFailures: true,
        enabled: paused !== true,
      }),
    );
    this.node.addValidation({ validate: () => checkReserved(settings.reservedConcurrency?.deliver) });
    const { sender, channels = [] } = this.handler.permissions;
    if (sender !== undefined) this.grantSendEmail(sender);
    this.grantChannels(channels);
    acknowledgeSynchronousCalls(this.handler, 'the queue');
    acknowledgeNagRules(this.handler, {
      'Serverless-LambdaEventSourceMappingDestination':
        'The queue has a dead-letter queue; a mapping of a queue supports no failure destination.',
    });
  }

  /** The permissions that the channels of the config ask for, one statement per action. */
  private grantChannels(permissions: NonNullable<FunctionPermissions['channels']>): void {
    for (const [action, granted] of Map.groupBy(permissions, (one) => one.action)) {
      const resources = granted.map(({ service, resource, name }) =>
        name.startsWith('arn:') ? name : Stack.of(this).formatArn({ service, resource, resourceName: name }),
      );
      this.handler.addToRolePolicy(new PolicyStatement({ actions: [action], resources }));
    }
  }

  /** Suppresses addresses that bounced or complained, whatever the account-level list does. */
  private createConfigurationSet(): ConfigurationSet {
    return new ConfigurationSet(this, 'Mails', {
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      reputationMetrics: true,
    });
  }

  /** Only with this sender address. The identities cannot be listed: see the reason below. */
  private grantSendEmail(sender: string): void {
    const stack = Stack.of(this);
    const kinds = ['identity', 'configuration-set'];
    const resources = kinds.map((resource) => stack.formatArn({ service: 'ses', resource, resourceName: '*' }));
    this.handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources,
        conditions: { StringEquals: { 'ses:FromAddress': sender } },
      }),
    );
    const reason =
      'SES checks the sender’s address, its domain or a parent domain, their configuration sets, and in the sandbox the recipient too. A condition limits it to the sender’s address.';
    const findings = resources.map((arn) => `AwsSolutions-IAM5[Resource::${nagFindingArn(stack, arn)}]`);
    acknowledgeNagRules(
      this.handler.role ?? this.handler,
      Object.fromEntries(findings.map((finding) => [finding, reason])),
    );
  }
}
