import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromItem, toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { rateLimitKey } from '../../../adapters/dynamodb/keys.ts';
import { dynamoRateLimiter } from '../../../adapters/dynamodb/rate-limiter.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { between, DAY, plus, SECOND, toMillis } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';
import { failOnce } from './faults.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

/** Any slot can be used. */
const REQUEST = { interval: SECOND, until: NOON, from: NOON };

describe('the rate limiter', () => {
  it('stores one readable item per receiver', async () => {
    const { ledger } = await tables.create();
    await dynamoRateLimiter({ client: tables.client, table: ledger }).book('ops', REQUEST, NOON);
    const { Item = {} } = await tables.client.send(
      new GetItemCommand({ TableName: ledger, Key: toItem(rateLimitKey('ops')) }),
    );
    expect(fromItem(Item)).toEqual({
      pk: 'slots#ops',
      sk: 'slots',
      start: NOON,
      interval: SECOND,
      count: 1,
      expiresAt: Math.ceil(toMillis(plus(NOON, 365 * DAY)) / 1000),
    });
  });

  it.each([
    ['before', 1],
    ['after', 1],
    ['before', 3],
    ['after', 3],
    ['throttled', 3],
  ] as const)(
    'books each slot once when a call fails %s its effect, in %i tries; one slot may stay unused',
    async (fault, maxAttempts) => {
      for (let at = 0; at < 6; at++) {
        const { ledger } = await tables.create();
        const client = tables.connect({ maxAttempts });
        failOnce(client, at, fault);
        const rateLimiter = dynamoRateLimiter({ client, table: ledger });
        const given: string[] = [];
        for (let call = 0; call < 4; call++) {
          try {
            given.push((await rateLimiter.book('ops', REQUEST, NOON))?.at ?? '');
          } catch (error) {
            expect(error).toBeInstanceOf(RetryLater);
          }
        }
        client.destroy();
        expect(given.length).toBeGreaterThanOrEqual(3);
        for (const [index, turn] of given.slice(1).entries()) {
          expect([1, 2]).toContain(between(given[index] ?? '', turn) / SECOND);
        }
      }
    },
  );
});
