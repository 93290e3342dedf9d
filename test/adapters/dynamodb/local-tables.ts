/** The two tables on dynalite, created from the same definitions as the deployed ones. */

import { once } from 'node:events';
import { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION, type TableDefinition } from '../../../adapters/dynamodb/tables.ts';
import { reverseMaps } from './reverse-maps.ts';

export interface LocalTables {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  /** Another client of the same server. */
  connect(config?: DynamoDBClientConfig): DynamoDBClient;
  /** Creates both tables with new names. */
  create(): Promise<{ readonly snapshots: string; readonly ledger: string }>;
  stop(): Promise<void>;
}

export async function startLocalTables(): Promise<LocalTables> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const connect = (config: DynamoDBClientConfig = {}) =>
    reverseMaps(
      new DynamoDBClient({
        endpoint,
        region: 'local-1',
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        ...config,
      }),
    );
  const client = connect();
  let created = 0;
  return {
    client,
    endpoint,
    connect,
    async create() {
      created += 1;
      const names = { snapshots: `snapshots-${created}`, ledger: `ledger-${created}` };
      await client.send(new CreateTableCommand(tableInput(names.snapshots, SNAPSHOTS_DEFINITION)));
      await client.send(new CreateTableCommand(tableInput(names.ledger, LEDGER_DEFINITION)));
      for (const TableName of Object.values(names)) await untilActive(client, TableName);
      return names;
    },
    async stop() {
      client.destroy();
      // dynalite's own `close` closes the database too, and a request that is still being processed then throws outside of any
      // test. The database is in memory and needs no closing.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function untilActive(client: DynamoDBClient, TableName: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
}

function tableInput(name: string, { partitionKey, sortKey, indexes }: TableDefinition): CreateTableCommandInput {
  const schema = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  const names = [partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: schema(partitionKey, sortKey),
    AttributeDefinitions: [...new Set(names)].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: schema(index.partitionKey, index.sortKey),
      Projection:
        index.include.length === 0
          ? { ProjectionType: 'KEYS_ONLY' }
          : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.include] },
    })),
  };
}
