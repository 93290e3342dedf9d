/** The snapshots table. Its stream, with old and new images, is the change feed. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { SNAPSHOTS_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { protectsTable } from './removal-policy.ts';
import { toTableProps } from './table-props.ts';

export interface SnapshotsProps {
  /**
   * What happens to the table when the stack is deleted. Without it the next poll takes a new baseline, and changes in
   * between are not detected.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

export class Snapshots extends Construct {
  /** `pk` is `source#resource`, `sk` the record's id, padded so that text sorts as numbers do. */
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy = RemovalPolicy.RETAIN }: SnapshotsProps = {}) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      ...toTableProps(SNAPSHOTS_DEFINITION),
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: protectsTable(removalPolicy),
      removalPolicy,
    });
  }
}
