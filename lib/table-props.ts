/** Converts a table definition of adapters/dynamodb into CDK props, and sets the key of a table. */

import { CfnResource } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, type TablePropsV2, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { TableDefinition } from '../adapters/dynamodb/tables.ts';

interface KeyProps extends Pick<TablePropsV2, 'partitionKey' | 'sortKey' | 'globalSecondaryIndexes'> {
  /** @default - items do not expire */
  readonly timeToLiveAttribute?: string;
}

export function toTableProps({ partitionKey, sortKey, indexes, timeToLive }: TableDefinition): KeyProps {
  return {
    partitionKey: text(partitionKey),
    sortKey: text(sortKey),
    timeToLiveAttribute: timeToLive,
    globalSecondaryIndexes: indexes.map(({ name, include, ...keys }) => ({
      indexName: name,
      partitionKey: text(keys.partitionKey),
      sortKey: text(keys.sortKey),
      ...(include.length === 0
        ? { projectionType: ProjectionType.KEYS_ONLY }
        : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...include] }),
    })),
  };
}

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** CDK itself does so only in a stack whose region is known at synthesis. */
export function encryptTable(table: TableV2, { keyArn }: IKey): void {
  const { defaultChild } = table.node;
  if (!CfnResource.isCfnResource(defaultChild)) return;
  defaultChild.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  defaultChild.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: keyArn });
}
