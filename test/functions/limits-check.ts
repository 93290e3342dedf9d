/**
 * Enforces limits of AWS that the emulators do not: Lambda refuses large responses, and DynamoDB leaves items of a batch
 * unprocessed. `limits.test.ts` shows which limits the emulators enforce themselves.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RunAs } from './iam-check.ts';

/** Bytes of a response as JSON. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** Fails an invocation as Lambda does if its response is too large. */
export function enforcePayloadLimit(runAs: RunAs): RunAs {
  return async (name, invoke) => {
    const response = await runAs(name, invoke);
    const bytes = Buffer.byteLength(JSON.stringify(response) ?? '');
    if (bytes <= MAX_PAYLOAD_BYTES) return response;
    throw new Error(`${name}: Response payload size (${bytes} bytes) exceeded maximum allowed payload size`);
  };
}

interface BatchInput {
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

/**
 * Leaves the last item of every batch with several items unprocessed, as a throttled table does. Returns the number of
 * items that were left so far.
 */
export function leaveUnprocessed(client: DynamoDBClient): () => number {
  let left = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const [table, request] = Object.entries((args.input as BatchInput).RequestItems ?? {})[0] ?? [];
        const isWrite = commandName === 'BatchWriteItemCommand';
        const requests = isWrite ? request : (request as { readonly Keys?: unknown } | undefined)?.Keys;
        if (table === undefined || !Array.isArray(requests) || requests.length < 2) return next(args);
        left += 1;
        const withRequests = (some: readonly unknown[]) => ({
          [table]: isWrite ? some : { ...(request as object), Keys: some },
        });
        const input = { ...args.input, RequestItems: withRequests(requests.slice(0, -1)) };
        const result = await next({ ...args, input } as typeof args);
        const rest = withRequests(requests.slice(-1));
        Object.assign(result.output, isWrite ? { UnprocessedItems: rest } : { UnprocessedKeys: rest });
        return result;
      },
    { step: 'initialize', priority: 'low' },
  );
  return () => left;
}
