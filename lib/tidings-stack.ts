/**
 * Tidings in an AWS account, as one stack to deploy. What must stay is in it; what may go and come back is in a stack
 * nested within: so the template of the data changes next to never, and a deployment that fails is rolled back as one.
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
  /** The functions and what belongs to them. */
  readonly functions: NestedStack;
  readonly tidings: Tidings;

  constructor(scope: Construct, id: string, props: TidingsStackProps) {
    const { removalPolicy } = resolveOptions(props).options;
    super(scope, id, { terminationProtection: retainsData(removalPolicy), ...props });
    this.data = new TidingsData(this, 'Data', { removalPolicy });
    this.functions = new NestedStack(this, 'Functions', {
      description: 'Tidings: its functions, and what starts and watches them. Part of the stack that holds its data.',
    });
    this.tidings = new Tidings(this.functions, 'Tidings', { ...props, removalPolicy, data: this.data });
    addOutputs(this, this.tidings);
  }
}
