/** Events, deliveries, subscriptions and the agenda: one table, and an index that holds only what time will make due. */

import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';

export interface LedgerProps {
  /**
   * What happens to the table when the stack goes. It holds the deliveries not yet made.
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
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expiresAt',
      globalSecondaryIndexes: [
        {
          // Sparse: an item is in it only while it has an agenda, so that reading what is due reads nothing else.
          indexName: 'agenda',
          partitionKey: { name: 'agenda', type: AttributeType.STRING },
          sortKey: { name: 'dueAt', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      removalPolicy,
    });
  }
}
