/** The `poll` function, invoked every minute: reads from the API what is due. */

import { Construct } from 'constructs';
import { SOURCE_METRICS } from '../runtime/aws/environment.ts';
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
      environment: settings.alarmsPerSource === true ? { [SOURCE_METRICS]: 'true' } : {},
    });
    const { paused, data, encryptionKey } = settings;
    const description = 'Tidings: polls every minute';
    this.minuteSchedule = new MinuteSchedule(this, 'EveryMinute', {
      handler: this.handler,
      description,
      missedRuns: data.missedRuns,
      paused: paused !== false,
      encryptionKey,
    });
  }
}
