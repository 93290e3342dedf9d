/** The `tick` function, invoked every minute: puts due deliveries on the queue. Does not call the API. */

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
      description: 'Tidings: processes due dates, retries and digests',
    });
    const { paused, data, encryptionKey } = settings;
    const description = 'Tidings: ticks every minute';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused: paused !== false,
      encryptionKey,
    });
  }
}
