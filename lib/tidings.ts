/**
 * Tidings as one construct for your own CDK app: functions, schedules, queue and alarms. Data that must outlive them is
 * in TidingsData, which may be in another stack.
 */

import { Annotations, CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { type DeployedStores, storesParameter } from '../runtime/aws/deployed-stores.ts';
import { duplicateTidingsError } from '../runtime/aws/deployment-errors.ts';
import { DEFAULT_MAX_EXECUTIONS } from '../runtime/aws/environment.ts';
import { servesConsole } from '../runtime/config/serves-api.ts';
import { Announcer } from './announcer.ts';
import { Deliverer } from './deliverer.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { ManageApi } from './manage-api.ts';
import { Monitoring } from './monitoring.ts';
import { resolveOptions, type TidingsProps } from './options.ts';
import { addOutputs } from './outputs.ts';
import { Poller } from './poller.ts';
import { warnAboutRemovedSubscriptions } from './removed-subscriptions.ts';
import { rootStackOf } from './root-stack.ts';
import { Setup } from './setup.ts';
import { Ticker } from './ticker.ts';
import { TidingsData } from './tidings-data.ts';
import type { TidingsFunction } from './tidings-function.ts';

const DEFAULT_LOG_DAYS = 30;

/**
 * A deployment updates these functions in this order. Otherwise the new poll could read a new source while the old
 * announce and deliver do not know its subscriptions yet.
 */
function updateInOrder(...handlers: readonly TidingsFunction[]): void {
  const functions = handlers.map(({ node }) => node.defaultChild).filter((one) => CfnResource.isCfnResource(one));
  functions.reduce((earlier, later) => {
    later.node.addDependency(earlier);
    return later;
  });
}

export class Tidings extends Construct {
  readonly data: TidingsData;
  readonly poller: Poller;
  readonly ticker: Ticker;
  readonly announcer: Announcer;
  readonly deliverer: Deliverer;
  readonly manage: ManageApi;
  readonly monitoring: Monitoring;

  constructor(scope: Construct, id: string, props: TidingsProps) {
    super(scope, id);
    this.assertOnlyInstance();
    const { config, options } = resolveOptions(props);
    for (const { path, message } of config.warnings) {
      Annotations.of(this).addWarningV2('TIDINGS_CADENCE_TOO_SHORT', `${path}: ${message}`);
    }
    for (const { path, message } of config.ineffective) {
      Annotations.of(this).addWarningV2('TIDINGS_CONFIG_WITHOUT_EFFECT', `${path}: ${message}`);
    }
    warnAboutRemovedSubscriptions(this, config.config);
    const { removalPolicy, maxConcurrency = DEFAULT_MAX_EXECUTIONS, alarmEmail, runbookUrl, ...rest } = options;
    const { domainName, certificateArn, disableExecuteApiEndpoint, rateLimits } = rest;
    const { encryptionKeyArn, announceParallelism, pollConcurrency, alarmsPerSource } = rest;
    this.data = props.data ?? new TidingsData(this, 'Data', { removalPolicy, encryptionKeyArn });
    const encryptionKey = encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKeyArn);
    const { queue } = new DeliveryQueue(this, 'Deliveries', { deadLetters: this.data.deadLetters, encryptionKey });
    const settings: DeploymentSettings = {
      config,
      data: this.data,
      queue,
      deployment: rootStackOf(this).stackName,
      logs: {
        retention: rest.logRetention ?? DEFAULT_LOG_DAYS,
        // Logs of a failed first deployment are not worth keeping.
        removalPolicy:
          removalPolicy === RemovalPolicy.RETAIN ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : removalPolicy,
        encryptionKey,
      },
      sourceMaps: rest.sourceMaps ?? false,
      paused: rest.paused ?? false,
      moreSecrets: rest.moreSecrets ?? [],
      secretsKeyArn: rest.secretsKeyArn,
      encryptionKey,
      vpc: rest.vpc,
      reservedConcurrency: rest.reservedConcurrency,
      tracing: rest.tracing,
      alarmsPerSource,
    };
    const setup = new Setup(this, 'Setup', { settings });
    this.poller = new Poller(this, 'Poller', { settings, pollConcurrency });
    this.ticker = new Ticker(this, 'Ticker', { settings });
    this.announcer = new Announcer(this, 'Announcer', { settings, maxConcurrency, announceParallelism });
    const domain =
      domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn };
    this.manage = new ManageApi(this, 'Manage', { settings, domain, disableExecuteApiEndpoint, rateLimits });
    const manageUrl = this.manage.url;
    this.deliverer = new Deliverer(this, 'Deliverer', { settings, queue, maxConcurrency, manageUrl });
    updateInOrder(this.deliverer.handler, this.announcer.handler, this.poller.handler);
    setup.run({
      after: [this.deliverer, this.announcer, this.ticker.handler, this.poller.handler],
      before: [this.ticker.minuteSchedule.schedule, this.poller.minuteSchedule.schedule],
    });
    this.monitoring = new Monitoring(this, 'Watch', {
      functions: {
        poll: this.poller.handler,
        tick: this.ticker.handler,
        announce: this.announcer.handler,
        deliver: this.deliverer.handler,
        manage: this.manage.handler,
        setup: setup.handler,
      },
      queue,
      pollQueues: this.poller.queues,
      data: this.data,
      deployment: settings.deployment,
      mappingId: this.announcer.mappingId,
      mail: config.config.mail !== undefined,
      paused: settings.paused !== false,
      runbookUrl,
      alarmEmail,
      alarmsPerSource,
      isTraced: rest.tracing !== undefined,
      encryptionKey,
    });
    this.writeStoresParameter(settings);
    // Outputs of a nested stack are not shown: its parent adds them.
    if (Stack.of(this).nestedStackParent === undefined) addOutputs(this, this);
  }

  /** @deprecated use `monitoring` */
  get watch(): Monitoring {
    return this.monitoring;
  }

  /** CLI, metrics and secrets identify a deployment by the name of its stack: two in one stack would be mixed up. */
  private assertOnlyInstance(): void {
    const stack = rootStackOf(this);
    const other = stack.node
      .findAll()
      .find((one) => one instanceof Tidings && one !== this && rootStackOf(one) === stack);
    if (other === undefined) return;
    throw duplicateTidingsError({ path: this.node.path, other: other.node.path, stack: stack.stackName });
  }

  /** Read by `tidings --aws STACK`. It contains only names; access is controlled by IAM. */
  private writeStoresParameter({ data, queue, config, deployment }: DeploymentSettings): void {
    const stores: DeployedStores = {
      snapshotsTable: data.snapshots.table.tableName,
      ledgerTable: data.ledger.table.tableName,
      queueUrl: queue.queueUrl,
      retention: config.config.retention,
      ...(servesConsole(config.config) ? { consoleUrl: config.config.manage?.url ?? this.manage.url } : {}),
    };
    new StringParameter(this, 'Stores', {
      parameterName: storesParameter(deployment),
      stringValue: Stack.of(this).toJsonString(stores),
      description: 'Tidings: names of tables and queue, for the CLI',
    });
  }
}
