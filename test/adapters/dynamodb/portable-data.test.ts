import { afterAll, beforeAll } from 'vitest';
import { dynamoPortableData } from '../../../adapters/dynamodb/portable-data.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqlitePortableData } from '../../../adapters/sqlite/portable-data.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import {
  type OpenPortableData,
  PORTABLE_CLOCK,
  PORTABLE_RETENTION,
  portableDataContract,
} from '../../contract/portable-data.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

const openSqlite: OpenPortableData = async () => {
  const db = openDatabase(':memory:');
  return { stores: sqliteStores(db), portable: sqlitePortableData(db), close: async () => db.close() };
};

const openDynamo: OpenPortableData = async () => {
  const shared = { client: tables.client, tables: await tables.create(), retention: PORTABLE_RETENTION };
  const options = { ...shared, clock: PORTABLE_CLOCK };
  return { stores: dynamoStores(options), portable: dynamoPortableData(options), close: async () => {} };
};

portableDataContract('SQLite to DynamoDB', openSqlite, openDynamo);
portableDataContract('DynamoDB to SQLite', openDynamo, openSqlite);
portableDataContract('SQLite to SQLite', openSqlite, openSqlite);
