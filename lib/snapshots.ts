/** The snapshots table. Its stream, with old and new images, is the change feed. */

import { RemovalPolicy } from 'aws-cdk-lib';
import {
  Billing,
  type ITableV2,
  StreamViewType,
  type TableAttributesV2,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { SNAPSHOTS_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { protectsTable } from './removal-policy.ts';
import { encryptTable, toTableProps } from './table-props.ts';

export interface SnapshotsProps {
  /**
   * What happens to the table when the stack is deleted. Without it the next poll takes a new baseline, and changes in
   * between are not detected.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /** @default - the key of DynamoDB in the account */
  readonly encryptionKey?: IKey | undefined;
  /** A table that exists. @default - a new one */
  readonly existing?: TableAttributesV2 | undefined;
}

export class Snapshots extends Construct {
  /** `pk` is `source#resource`, `sk` the record's id, padded so that text sorts as numbers do. */
  readonly table: ITableV2;

  constructor(scope: Construct, id: string, props: SnapshotsProps = {}) {
    super(scope, id);
    const { removalPolicy = RemovalPolicy.RETAIN, encryptionKey, existing } = props;
    if (existing !== undefined) {
      this.table = TableV2.fromTableAttributes(this, 'Table', existing);
      return;
    }
    const table = new TableV2(this, 'Table', {
      ...toTableProps(SNAPSHOTS_DEFINITION),
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: protectsTable(removalPolicy),
      removalPolicy,
    });
    if (encryptionKey !== undefined) encryptTable(table, encryptionKey);
    this.table = table;
  }
}
