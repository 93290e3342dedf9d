/**
 * The stream of a table, which dynalite lacks: the old and new image of each put, as Lambda passes them. Recorded from the
 * requests, so it contains exactly what the store wrote.
 */

import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBClient, PutItemCommandInput, PutItemCommandOutput } from '@aws-sdk/client-dynamodb';
import type { StreamRecord } from '../../../adapters/dynamodb/stream.ts';
import { reverseMap } from './reverse-maps.ts';

export interface RecordedStream {
  /** The records since the last call, in the order of the writes. */
  take(): readonly StreamRecord[];
}

/** `table`: the table with the stream. @default - all tables the client writes to */
export function recordStream(client: DynamoDBClient, table?: string): RecordedStream {
  let records: StreamRecord[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'PutItemCommand') return next(args);
        const input = args.input as PutItemCommandInput;
        if (table !== undefined && input.TableName !== table) return next(args);
        const result = await next({ ...args, input: { ...input, ReturnValues: 'ALL_OLD' } });
        const { Attributes: OldImage } = result.output as PutItemCommandOutput;
        const { Item: NewImage } = input;
        // A put without changes causes no record.
        if (NewImage === undefined || isDeepStrictEqual(NewImage, OldImage)) return result;
        // The old image was reversed with the response.
        records.push({ dynamodb: { NewImage: reverseMap(NewImage), ...(OldImage === undefined ? {} : { OldImage }) } });
        return result;
      },
    { step: 'initialize' },
  );
  return {
    take() {
      const taken = records;
      records = [];
      return taken;
    },
  };
}
