/**
 * The two tables on dynalite, created from the same definitions as the deployed ones; in `npm run test:aws` they are on
 * DynamoDB Local by AWS.
 */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
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
  const server = await startServer();
  const connect = (config: DynamoDBClientConfig = {}) =>
    server.adjust(
      new DynamoDBClient({
        endpoint: server.endpoint,
        region: 'local-1',
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        ...config,
      }),
    );
  const client = connect();
  const created: string[] = [];
  return {
    client,
    endpoint: server.endpoint,
    connect,
    async create() {
      const run = randomUUID();
      const names = { snapshots: `snapshots-${run}`, ledger: `ledger-${run}` };
      await client.send(new CreateTableCommand(tableInput(names.snapshots, SNAPSHOTS_DEFINITION)));
      await client.send(new CreateTableCommand(tableInput(names.ledger, LEDGER_DEFINITION)));
      for (const TableName of Object.values(names)) await untilActive(client, TableName);
      created.push(...Object.values(names));
      return names;
    },
    async stop() {
      if (server.isShared) for (const TableName of created) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
      await server.stop();
    },
  };
}

interface TableServer {
  readonly endpoint: string;
  /** Whether other tests use it too. */
  readonly isShared: boolean;
  /** Makes a client's responses those of AWS. */
  adjust(client: DynamoDBClient): DynamoDBClient;
  stop(): Promise<void>;
}

async function startServer(): Promise<TableServer> {
  const shared = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  if (shared !== '') return { endpoint: shared, isShared: true, adjust: (client) => client, stop: async () => {} };
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    isShared: false,
    adjust: reverseMaps,
    async stop() {
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
