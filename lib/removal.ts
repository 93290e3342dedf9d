/** What a removal policy means for tables and the stack that holds them: whether they stay, and are guarded against deletion. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { noSnapshotsOfTables } from '../runtime/aws-refusals.ts';

/** Everything but DESTROY keeps them. Neither tables nor queues nor buckets know snapshots of themselves. */
export function keepsData(policy: RemovalPolicy): boolean {
  if (policy === RemovalPolicy.SNAPSHOT) throw noSnapshotsOfTables();
  return policy !== RemovalPolicy.DESTROY;
}
