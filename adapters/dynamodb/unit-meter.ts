/**
 * UnitMeter on DynamoDB: the requests to tables that are sent within some work, also by stores that others opened. Counts read units, and
 * each write unit as 5, which is the ratio of their prices.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { ConditionalCheckFailedException, type ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { UnitMeter, UnitUse } from '../../core/ports/unit-meter.ts';

const UNITS_PER_WRITE = 5;

const using = new AsyncLocalStorage<UnitUse>();

export const dynamoUnitMeter: UnitMeter = { run: (use, work) => using.run(use, work) };

/** Part of each command, so that its response says what it consumed. */
export const COUNTED = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** Of a command that may have a condition. One that fails consumes what the stored item takes, and DynamoDB returns only the item. */
export const COUNTED_WRITE = { ...COUNTED, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

export interface CountedResponse {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined;
}

const isRead = (operation: string) => /^(Get|BatchGet|Query|Scan)/.test(operation);

/** Sends a request and counts what it consumed, if it is part of work that is metered. */
export async function countUnits<T extends CountedResponse>(operation: string, send: () => Promise<T>): Promise<T> {
  const use = using.getStore();
  if (use === undefined) return send();
  const price = isRead(operation) ? 1 : UNITS_PER_WRITE;
  if (price === 1) use.beforeRead();
  try {
    const response = await send();
    const consumed = [response.ConsumedCapacity ?? []].flat();
    await use.count(price * consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0));
    return response;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) await use.count(price * unitsOf(error.Item));
    throw error;
  }
}

/** About one for each KB: as JSON an item is a little larger. */
const unitsOf = (item: ConditionalCheckFailedException['Item'] = {}) =>
  Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(item)) / 1024));
