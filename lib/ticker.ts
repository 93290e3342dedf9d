/** Does what only the passing of time makes due: a function every minute. Asks nothing of the API. */

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { DeploymentSettings } from './deployment-settings.ts';
import { MinuteSchedule } from './minute-schedule.ts';
import { TidingsFunction } from './tidings-function.ts';

export class Ticker extends Construct {
  readonly handler: TidingsFunction;
  readonly minuteSchedule: MinuteSchedule;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: DeploymentSettings }) {
    super(scope, id);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'tick',
      description: 'Tidings: due dates, retries and digests whose moment has come',
      // Mostly it finds nothing, 43,200 times a month: as small as the SDK starts well in.
      memorySize: 512,
      // A round of five hundred due things takes seconds, and there is another while 20 s are left; what is left then is
      // due a minute later still.
      timeout: Duration.minutes(2),
    });
    const { paused, data } = settings;
    const description = 'Tidings: look what has become due';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused,
    });
  }
}
