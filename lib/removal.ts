/** What a removal policy means for tables and the stack that holds them: whether they stay, and are guarded against deletion. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { UsageError } from '../core/model/errors.ts';

/** Everything but DESTROY keeps them. Neither tables nor queues nor buckets know snapshots of themselves. */
export function keepsData(policy: RemovalPolicy): boolean {
  if (policy === RemovalPolicy.SNAPSHOT) {
    throw new UsageError(
      'TIDINGS_REMOVAL_POLICY_UNKNOWN',
      'removalPolicy: expected RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY, got SNAPSHOT, which tables do not have',
    );
  }
  return policy !== RemovalPolicy.DESTROY;
}
