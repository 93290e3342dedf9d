/** What a removal policy means for tables and their stack: retention and deletion protection. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { snapshotPolicyError } from '../runtime/aws/deployment-errors.ts';

/** Everything but DESTROY. SNAPSHOT is refused: tables, queues and buckets do not support it. */
export function retainsData(policy: RemovalPolicy): boolean {
  if (policy === RemovalPolicy.SNAPSHOT) throw snapshotPolicyError();
  return policy !== RemovalPolicy.DESTROY;
}

/**
 * Whether a table has deletion protection. Not with RETAIN_ON_UPDATE_OR_DELETE: the rollback of a failed first deployment
 * must be able to delete the table.
 */
export function protectsTable(policy: RemovalPolicy): boolean {
  return retainsData(policy) && policy !== RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}
