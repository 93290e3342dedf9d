/** The ledger table: events, deliveries, subscriptions, manifests and the agenda. Its indexes are sparse. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { Billing, type ITableV2, type TableAttributesV2, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { LEDGER_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { protectsTable } from './removal-policy.ts';
import { encryptTable, toTableProps } from './table-props.ts';

export interface LedgerProps {
  /**
   * What happens to the table when the stack is deleted. It holds pending deliveries.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /** @default - the key of DynamoDB in the account */
  readonly encryptionKey?: IKey | undefined;
  /** A table that exists. @default - a new one */
  readonly existing?: TableAttributesV2 | undefined;
}

export class Ledger extends Construct {
  readonly table: ITableV2;

  constructor(scope: Construct, id: string, props: LedgerProps = {}) {
    super(scope, id);
    const { removalPolicy = RemovalPolicy.RETAIN, encryptionKey, existing } = props;
    if (existing !== undefined) {
      this.table = TableV2.fromTableAttributes(this, 'Table', existing);
      return;
    }
    const table = new TableV2(this, 'Table', {
      ...toTableProps(LEDGER_DEFINITION),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: protectsTable(removalPolicy),
      removalPolicy,
    });
    if (encryptionKey !== undefined) encryptTable(table, encryptionKey);
    this.table = table;
  }
}
