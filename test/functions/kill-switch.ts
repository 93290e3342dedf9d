/** Ends a function at one of its writes to the tables: from then on none of its calls succeeds until the switch is off. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

const WRITES = ['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand', 'BatchWriteItemCommand'];

export interface TableKillSwitch {
  /** Runs the work, and ends it before its write with this number, counted from 0. Returns whether it was ended. */
  killAt(write: number, work: () => Promise<unknown>): Promise<boolean>;
  /** How many writes the work makes. */
  count(work: () => Promise<unknown>): Promise<number>;
}

export function installTableKillSwitch(client: DynamoDBClient): TableKillSwitch {
  let writes = 0;
  let limit = Number.POSITIVE_INFINITY;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (writes > limit) throw killed();
        if (!WRITES.includes(commandName)) return next(args);
        writes += 1;
        if (writes > limit) throw killed();
        return next(args);
      },
    { step: 'initialize', priority: 'high' },
  );
  const run = async (max: number, work: () => Promise<unknown>): Promise<number> => {
    writes = 0;
    limit = max;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('killed by the test')) throw error;
    } finally {
      limit = Number.POSITIVE_INFINITY;
    }
    return writes;
  };
  return {
    killAt: async (write, work) => (await run(write, work)) > write,
    count: (work) => run(Number.POSITIVE_INFINITY, work),
  };
}

const killed = () => new Error('killed by the test');
