/** Tidings in an AWS account, as two stacks: what must stay, and what may go and come back. */

import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Tidings, type TidingsProps } from './tidings.ts';
import { TidingsData, type TidingsDataProps } from './tidings-data.ts';

export interface TidingsDataStackProps extends StackProps, TidingsDataProps {}

export class TidingsDataStack extends Stack {
  readonly data: TidingsData;

  constructor(scope: Construct, id: string, props: TidingsDataStackProps = {}) {
    const keep = (props.removalPolicy ?? RemovalPolicy.RETAIN) === RemovalPolicy.RETAIN;
    super(scope, id, { terminationProtection: keep, ...props });
    this.data = new TidingsData(this, 'Data', props);
  }
}

export interface TidingsStackProps extends StackProps, Omit<TidingsProps, 'data' | 'removalPolicy'> {
  /** Of the other stack. */
  readonly data: TidingsData;
}

export class TidingsStack extends Stack {
  readonly tidings: Tidings;

  constructor(scope: Construct, id: string, props: TidingsStackProps) {
    super(scope, id, props);
    this.tidings = new Tidings(this, 'Tidings', props);
  }
}
