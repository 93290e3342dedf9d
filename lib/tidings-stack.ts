/**
 * Tidings as one stack. It contains the data; the functions are in a nested stack. So the template of the data rarely
 * changes, and a failed deployment is rolled back as a whole.
 */

import { NestedStack, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TidingsProps } from './options.ts';
import { resolveOptions } from './options.ts';
import { addOutputs } from './outputs.ts';
import { retainsData } from './removal-policy.ts';
import { Tidings } from './tidings.ts';
import { TidingsData } from './tidings-data.ts';

export interface TidingsStackProps extends StackProps, Omit<TidingsProps, 'data'> {}

export class TidingsStack extends Stack {
  readonly data: TidingsData;
  /** Functions, schedules, queue and alarms. */
  readonly functions: NestedStack;
  readonly tidings: Tidings;

  constructor(scope: Construct, id: string, props: TidingsStackProps) {
    const { removalPolicy, encryptionKeyArn } = resolveOptions(props).options;
    super(scope, id, { terminationProtection: retainsData(removalPolicy), ...props });
    this.data = new TidingsData(this, 'Data', { removalPolicy, encryptionKeyArn });
    this.functions = new NestedStack(this, 'Functions', {
      description: 'Tidings: functions, schedules, queue and alarms. Nested in the stack that contains the data.',
    });
    this.tidings = new Tidings(this.functions, 'Tidings', { ...props, removalPolicy, data: this.data });
    addOutputs(this, this.tidings);
  }
}
