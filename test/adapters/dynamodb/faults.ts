/** Makes one call of a client fail: before it is sent, after it took effect, or by throttling. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export type Fault = 'before' | 'after' | 'throttled';

export interface FaultyCalls {
  /** Number of calls sent, retries included. */
  count(): number;
}

/** `at`: the number of the call, from 0; -1: none fails. */
export function failOnce(client: DynamoDBClient, at: number, fault: Fault): FaultyCalls {
  let calls = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const isMeant = calls++ === at;
      if (isMeant && fault === 'throttled') throw named('ThrottlingException');
      if (isMeant && fault === 'before') throw named('TimeoutError');
      const result = await next(args);
      if (isMeant) throw named('TimeoutError');
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return { count: () => calls };
}

function named(name: string): Error {
  return Object.assign(new Error('made up by a test'), { name, $metadata: {} });
}
