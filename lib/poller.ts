/** Reads the API: a function every minute, which finds out by itself what is due. */

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
      description: 'Tidings: reads what is due and commits what changed',
      // Pages of up to 4 MB are parsed, cleaned and hashed: half a processor, and room for two pages at once.
      memorySize: 1024,
      // A sweep goes on where it was last saved: this bounds a stuck one, not a long one.
      timeout: Duration.minutes(5),
      secrets: referencesOf(settings.config.config).poll,
    });
    const { paused, data } = settings;
    const description = 'Tidings: look whether something is to be read';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused,
    });
  }
}
