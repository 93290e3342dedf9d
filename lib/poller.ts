/** The `poll` function, invoked every minute: reads from the API what is due. */

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { referencesOf } from '../runtime/config/aws-references.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { MinuteSchedule } from './minute-schedule.ts';
import { TidingsFunction } from './tidings-function.ts';

export class Poller extends Construct {
  readonly handler: TidingsFunction;
  readonly minuteSchedule: MinuteSchedule;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: DeploymentSettings }) {
    super(scope, id);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'poll',
      description: 'Tidings: reads due resources and commits their changes',
      // Pages of up to 4 MB are parsed and hashed: about half a vCPU, and memory for two pages at once.
      memorySize: 1024,
      // A long sweep continues in the next run; this only ends a stuck one.
      timeout: Duration.minutes(5),
      secrets: referencesOf(settings.config.config).poll,
    });
    const { paused, data } = settings;
    const description = 'Tidings: polls every minute';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused,
    });
  }
}
