/** The `setup` function, run by each deployment that changes the config: applies its subscriptions. If it fails, the deployment fails. */

import { CfnResource, CustomResourceProviderBase, Duration, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import type { DeploymentSettings, LogProps } from './deployment-settings.ts';
import { FUNCTION_SIZES } from './function-sizes.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

const TIMEOUT = Duration.seconds(FUNCTION_SIZES.setup.timeoutSeconds);

/** Construct id of CDK's trigger provider, one per stack. */
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
    });
    acknowledgeSynchronousCalls(this.handler, 'the deployment');
  }

  /**
   * Runs late, because new permissions take a moment to propagate, but before the schedules start: events announced
   * before there are subscriptions reach no receiver. The config is part of the bundle, so a changed config is a new
   * version of the function, which fires the trigger.
   */
  run({ after, before }: { readonly after: readonly Construct[]; readonly before: readonly Construct[] }): void {
    const trigger = new Trigger(this, 'Trigger', { handler: this.handler, timeout: TIMEOUT });
    trigger.executeAfter(this.handler.role ?? this.handler, ...after);
    trigger.executeBefore(...before);
    setTriggerLogs(Stack.of(this), this.logs);
  }
}

/** By default CDK's trigger function may write to any log group, and its logs never expire. */
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
