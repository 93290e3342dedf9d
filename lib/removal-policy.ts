/** What a removal policy means for tables and the stack that holds them: whether they stay, and are guarded against deletion. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { snapshotPolicyError } from '../runtime/aws/deployment-errors.ts';

/** Everything but DESTROY keeps them. Neither tables nor queues nor buckets know snapshots of themselves. */
export function retainsData(policy: RemovalPolicy): boolean {
  if (policy === RemovalPolicy.SNAPSHOT) throw snapshotPolicyError();
  return policy !== RemovalPolicy.DESTROY;
}

/**
 * Whether a table refuses to be deleted, by whomever. One that is kept except when its first deployment fails must not:
 * the rollback could not take it away, and would fail as well.
 */
export function protectsTable(policy: RemovalPolicy): boolean {
  return retainsData(policy) && policy !== RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}
