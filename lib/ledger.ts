/** The ledger table: events, deliveries, subscriptions, manifests and the agenda. Its indexes are sparse. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { LEDGER_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { protectsTable } from './removal-policy.ts';
import { toTableProps } from './table-props.ts';

export interface LedgerProps {
  /**
   * What happens to the table when the stack is deleted. It holds pending deliveries.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

export class Ledger extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy = RemovalPolicy.RETAIN }: LedgerProps = {}) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      ...toTableProps(LEDGER_DEFINITION),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: protectsTable(removalPolicy),
      removalPolicy,
    });
  }
}
