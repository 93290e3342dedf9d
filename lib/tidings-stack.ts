/** Tidings in an AWS account. So far its memory; the functions that use it come with the AWS mode. */

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Ledger } from './ledger.ts';
import { Snapshots } from './snapshots.ts';

export class TidingsStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    new Snapshots(this, 'Snapshots');
    new Ledger(this, 'Ledger');
  }
}
