/** What a removal policy means for tables and the stack that holds them: whether they stay, and are guarded against deletion. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { noSnapshotsOfTables } from '../runtime/aws/refusals.ts';

/** Everything but DESTROY keeps them. Neither tables nor queues nor buckets know snapshots of themselves. */
export function keepsData(policy: RemovalPolicy): boolean {
  if (policy === RemovalPolicy.SNAPSHOT) throw noSnapshotsOfTables();
  return policy !== RemovalPolicy.DESTROY;
}

/**
 * Whether a table refuses to be deleted, by whomever. One that is kept except when its first deployment fails must not:
 * the rollback could not take it away, and would fail as well.
 */
export function guardsTable(policy: RemovalPolicy): boolean {
  return keepsData(policy) && policy !== RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}
