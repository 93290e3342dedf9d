/**
 * Tidings as one construct, for an app of your own: give it a config file. Functions, schedules, queue and alarms;
 * what must outlive them is in TidingsData, which may live in another stack.
 */

import { CfnOutput, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { type DeployedStores, storesParameter } from '../runtime/aws-place.ts';
import type { Environment } from '../runtime/config/config.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { Announcer } from './announcer.ts';
import { Deliverer } from './deliverer.ts';
import { Deliveries } from './deliveries.ts';
import { Manage } from './manage.ts';
import { Poller } from './poller.ts';
import type { Settings } from './settings.ts';
import { Setup } from './setup.ts';
import { Ticker } from './ticker.ts';
import { TidingsData } from './tidings-data.ts';
import { Watch } from './watch.ts';

export interface TidingsProps {
  /** Path of the config, `tidings.yaml` or `.json`. Read and checked now; what is wrong with it stops the synthesis. */
  readonly config: string;

  /**
   * Where `${NAME}` in the config is looked up. Not for secrets, which are references to Parameter Store or Secrets
   * Manager.
   *
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;

  /**
   * The tables and what else must stay. Give one of another stack to keep them apart from the functions.
   *
   * @default - made here
   */
  readonly data?: TidingsData;

  /**
   * What happens to the data when its stack goes. Of no meaning with `data`.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * How long logs of the functions are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * Whether stack traces name the lines of the sources. Makes the functions larger and their start slower: for a while,
   * when something is to be found out.
   *
   * @default false
   */
  readonly sourceMaps?: boolean;

  /**
   * Functions that deliver at the same time, 2 to 1000; each makes ten attempts at once. More, when many receivers are
   * slow; fewer, when the account has little room.
   *
   * @default 20
   */
  readonly maxConcurrency?: number;

  /**
   * References that deliver may resolve besides those of the config, as 'ssm:/tidings/old': of subscriptions made by
   * hand, and of a signing secret that was replaced and still signs for a day.
   *
   * @default - those of the config only
   */
  readonly moreSecrets?: readonly string[];

  /**
   * ARN of the KMS key that the parameters and secrets are encrypted with.
   *
   * @default - AWS's own keys, which need no permission
   */
  readonly secretsKeyArn?: string;

  /**
   * Who gets mail when an alarm comes or goes. AWS asks this address once whether it wants to.
   *
   * @default - nobody; subscribe to `watch.topic` instead
   */
  readonly alarmEmail?: string;

  /**
   * Where the runbook is read: each alarm links its chapter there.
   *
   * @default 'docs/runbook.md'
   */
  readonly runbookUrl?: string;
}

const MOST_FUNCTIONS = 20;

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
    const { removalPolicy, maxConcurrency = MOST_FUNCTIONS, alarmEmail, runbookUrl = 'docs/runbook.md' } = props;
    const config = loadConfigForAws(props.config, props.environment ?? environmentOfProcess());
    this.data = props.data ?? new TidingsData(this, 'Data', removalPolicy === undefined ? {} : { removalPolicy });
    const { queue } = new Deliveries(this, 'Deliveries', { deadLetters: this.data.deadLetters });
    const settings: Settings = {
      config,
      data: this.data,
      queue,
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
      sourceMaps: props.sourceMaps ?? false,
      moreSecrets: props.moreSecrets ?? [],
      ...(props.secretsKeyArn === undefined ? {} : { secretsKeyArn: props.secretsKeyArn }),
    };
    const setup = new Setup(this, 'Setup', { settings });
    this.poller = new Poller(this, 'Poller', { settings });
    this.ticker = new Ticker(this, 'Ticker', { settings });
    this.announcer = new Announcer(this, 'Announcer', { settings });
    this.deliverer = new Deliverer(this, 'Deliverer', { settings, queue, maxConcurrency });
    this.manage = new Manage(this, 'Manage', { settings });
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
      mappingId: this.announcer.mappingId,
      mail: config.config.mail !== undefined,
      runbookUrl,
      ...(alarmEmail === undefined ? {} : { alarmEmail }),
    });
    this.tellStores(settings);
    new CfnOutput(this, 'ManageUrl', {
      value: this.manage.api.apiEndpoint,
      description: 'Health, and where links of mails may lead: manage.url of the config',
    });
  }

  /** For `tidings --aws STACK`. Names only: who may do what with them is for the account to say. */
  private tellStores({ data, queue, config }: Settings): void {
    const stack = Stack.of(this);
    const stores: DeployedStores = {
      snapshotsTable: data.snapshots.table.tableName,
      ledgerTable: data.ledger.table.tableName,
      queueUrl: queue.queueUrl,
      retention: config.config.retention,
    };
    new StringParameter(this, 'Stores', {
      parameterName: storesParameter(stack.stackName),
      stringValue: stack.toJsonString(stores),
      description: 'Tidings: where its data and its queue are, for the command line',
    });
  }
}

function environmentOfProcess(): Environment {
  return process.env;
}
