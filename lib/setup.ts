/** Applies the subscriptions of the config whenever a deployment changes them. When that fails, the deployment does. */

import { CfnResource, CustomResourceProviderBase, Duration, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import type { DeploymentSettings, LogProps } from './deployment-settings.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

const TIMEOUT = Duration.minutes(1);

/** What CDK calls the function that runs triggers; a stack has one for all of them. */
const PROVIDER = 'AWSCDK.TriggerCustomResourceProviderCustomResourceProvider';

export class Setup extends Construct {
  readonly handler: TidingsFunction;
  private readonly logs: LogProps;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: DeploymentSettings }) {
    super(scope, id);
    this.logs = settings.logs;
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'setup',
      description: 'Tidings: applies the subscriptions of the config',
      memorySize: 512,
      timeout: TIMEOUT,
    });
    acknowledgeSynchronousCalls(this.handler, 'the deployment');
  }

  /**
   * As late as can be, for its own permissions take a moment to be in force; but before anything starts by itself: what is
   * announced while there are no subscriptions yet is told to nobody, and a first look may have much to tell. The config
   * is in the bundle, so that another config is another version of it, and a trigger follows versions.
   */
  run({ after, before }: { readonly after: readonly Construct[]; readonly before: readonly Construct[] }): void {
    const trigger = new Trigger(this, 'Trigger', { handler: this.handler, timeout: TIMEOUT });
    trigger.executeAfter(this.handler.role ?? this.handler, ...after);
    trigger.executeBefore(...before);
    setTriggerLogs(Stack.of(this), this.logs);
  }
}

/** CDK's own function for triggers would write its logs wherever it likes, by a policy for every group, and keep them for ever. */
function setTriggerLogs(stack: Stack, props: LogProps): void {
  const provider = stack.node.tryFindChild(PROVIDER);
  if (!(provider instanceof CustomResourceProviderBase) || provider.node.tryFindChild('Logs') !== undefined) return;
  const [handler, role] = [provider.node.findChild('Handler'), provider.node.findChild('Role')];
  if (!CfnResource.isCfnResource(handler) || !CfnResource.isCfnResource(role)) return;
  const logs = new LogGroup(provider, 'Logs', props);
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logs.logGroupName, LogFormat: 'JSON' });
  role.addPropertyDeletionOverride('ManagedPolicyArns');
  provider.addToRolePolicy({
    Effect: 'Allow',
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: [logs.logGroupArn],
  });
}
