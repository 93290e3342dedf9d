/**
 * Tidings as one construct, for an app of your own: give it a config file. Functions, schedules, queue and alarms;
 * what must outlive them is in TidingsData, which may live in another stack.
 */

import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { type DeployedStores, storesParameter } from '../runtime/aws/place.ts';
import { secondInStack } from '../runtime/aws/refusals.ts';
import { Announcer } from './announcer.ts';
import { Deliverer } from './deliverer.ts';
import { Deliveries } from './deliveries.ts';
import { Manage } from './manage.ts';
import { resolveOptions, type TidingsProps } from './options.ts';
import { tellPlaces } from './outputs.ts';
import { Poller } from './poller.ts';
import { rootStackOf } from './root-stack.ts';
import type { Settings } from './settings.ts';
import { Setup } from './setup.ts';
import { Ticker } from './ticker.ts';
import { TidingsData } from './tidings-data.ts';
import { Watch } from './watch.ts';

const MOST_FUNCTIONS = 20;
const LOG_DAYS = 30;

export class Tidings extends Construct {
  readonly data: TidingsData;
  readonly poller: Poller;
  readonly ticker: Ticker;
  readonly announcer: Announcer;
  readonly deliverer: Deliverer;
  readonly manage: Manage;
  readonly watch: Watch;

  constructor(scope: Construct, id: string, props: TidingsProps) {
    super(scope, id);
    this.mustBeAlone();
    const { config, options } = resolveOptions(props);
    for (const { path, message } of config.warnings) {
      Annotations.of(this).addWarningV2('TIDINGS_CADENCE_TOO_SHORT', `${path}: ${message}`);
    }
    const { removalPolicy, maxConcurrency = MOST_FUNCTIONS, alarmEmail, runbookUrl, ...rest } = options;
    this.data = props.data ?? new TidingsData(this, 'Data', { removalPolicy });
    const { queue } = new Deliveries(this, 'Deliveries', { deadLetters: this.data.deadLetters });
    const settings: Settings = {
      config,
      data: this.data,
      queue,
      deployment: rootStackOf(this).stackName,
      logs: {
        retention: rest.logRetention ?? LOG_DAYS,
        // Those of a deployment that never was are worth nothing.
        removalPolicy:
          removalPolicy === RemovalPolicy.RETAIN ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : removalPolicy,
      },
      sourceMaps: rest.sourceMaps ?? false,
      paused: rest.paused ?? false,
      moreSecrets: rest.moreSecrets ?? [],
      ...(rest.secretsKeyArn === undefined ? {} : { secretsKeyArn: rest.secretsKeyArn }),
    };
    const setup = new Setup(this, 'Setup', { settings });
    this.poller = new Poller(this, 'Poller', { settings });
    this.ticker = new Ticker(this, 'Ticker', { settings });
    this.announcer = new Announcer(this, 'Announcer', { settings });
    this.manage = new Manage(this, 'Manage', { settings });
    const manageUrl = this.manage.api.apiEndpoint;
    this.deliverer = new Deliverer(this, 'Deliverer', { settings, queue, maxConcurrency, manageUrl });
    setup.run({
      after: [this.deliverer, this.announcer, this.ticker.handler, this.poller.handler],
      before: [this.ticker.everyMinute.schedule, this.poller.everyMinute.schedule],
    });
    this.watch = new Watch(this, 'Watch', {
      functions: {
        poll: this.poller.handler,
        tick: this.ticker.handler,
        announce: this.announcer.handler,
        deliver: this.deliverer.handler,
        manage: this.manage.handler,
        setup: setup.handler,
      },
      queue,
      data: this.data,
      deployment: settings.deployment,
      mappingId: this.announcer.mappingId,
      mail: config.config.mail !== undefined,
      paused: settings.paused,
      ...(runbookUrl === undefined ? {} : { runbookUrl }),
      ...(alarmEmail === undefined ? {} : { alarmEmail }),
    });
    this.tellStores(settings);
    // What a nested stack says, nobody gets to read: who nests it has to say it.
    if (Stack.of(this).nestedStackParent === undefined) tellPlaces(this, this);
  }

  /** The command line, metrics and kept secrets know a deployment by the name of its stack: two would be one to them. */
  private mustBeAlone(): void {
    const stack = rootStackOf(this);
    const other = stack.node
      .findAll()
      .find((one) => one instanceof Tidings && one !== this && rootStackOf(one) === stack);
    if (other === undefined) return;
    throw secondInStack({ path: this.node.path, other: other.node.path, stack: stack.stackName });
  }

  /** For `tidings --aws STACK`. Names only: who may do what with them is for the account to say. */
  private tellStores({ data, queue, config, deployment }: Settings): void {
    const stores: DeployedStores = {
      snapshotsTable: data.snapshots.table.tableName,
      ledgerTable: data.ledger.table.tableName,
      queueUrl: queue.queueUrl,
      retention: config.config.retention,
    };
    new StringParameter(this, 'Stores', {
      parameterName: storesParameter(deployment),
      stringValue: Stack.of(this).toJsonString(stores),
      description: 'Tidings: where its data and its queue are, for the command line',
    });
  }
}
