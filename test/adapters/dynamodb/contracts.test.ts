import { afterAll, beforeAll } from 'vitest';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { dynamoRateLimiter } from '../../../adapters/dynamodb/rate-limiter.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import { DAY } from '../../../core/model/time.ts';
import { manifestStoreContract } from '../../contract/manifest-store.ts';
import { rateLimiterContract } from '../../contract/rate-limiter.ts';
import { snapshotStoreContract } from '../../contract/snapshot-store.ts';
import { storeContracts } from '../../contract/stores.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { recordStream } from './recorded-stream.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

snapshotStoreContract('DynamoDB', { history: 'not kept' }, async () => {
  const { snapshots } = await tables.create();
  const client = tables.connect();
  const stream = recordStream(client);
  return {
    store: dynamoSnapshotStore({ client, table: snapshots }),
    changes: async () => stream.take().flatMap((record) => transitionFromRecord(record) ?? []),
    close: async () => client.destroy(),
  };
});

storeContracts('DynamoDB', { expires: 'by itself' }, async () => {
  const options = { client: tables.client, tables: await tables.create(), retention: 90 * DAY, clock: tickingClock() };
  return { stores: dynamoStores(options), close: async () => {} };
});

manifestStoreContract('DynamoDB', async () => {
  const { ledger } = await tables.create();
  return { manifests: dynamoManifestStore({ client: tables.client, table: ledger }), close: async () => {} };
});

rateLimiterContract('DynamoDB', async () => {
  const { ledger } = await tables.create();
  const clients = [tables.connect(), tables.connect()] as const;
  return {
    turns: [
      dynamoRateLimiter({ client: clients[0], table: ledger }),
      dynamoRateLimiter({ client: clients[1], table: ledger }),
    ],
    close: async () => {
      for (const client of clients) client.destroy();
    },
  };
});
