/** Applies the subscriptions of the config whenever a deployment changes them. When that fails, the deployment does. */

import { Duration } from 'aws-cdk-lib';
import { Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';
import { neverAsynchronous, TidingsFunction } from './tidings-function.ts';

export class Setup extends Construct {
  readonly handler: TidingsFunction;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: Settings }) {
    super(scope, id);
    const timeout = Duration.minutes(1);
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'setup',
      description: 'Tidings: applies the subscriptions of the config',
      memorySize: 512,
      timeout,
    });
    // The config is in the bundle, so that another config is another version of it, and a trigger follows versions.
    new Trigger(this, 'Trigger', { handler: this.handler, timeout });
    neverAsynchronous(this.handler, 'the deployment');
  }
}
