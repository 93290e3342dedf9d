/** Every minute: puts the deliveries whose time has come on the queue. */

import { dynamoAgenda } from '../adapters/dynamodb/agenda.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openQueue } from '../runtime/aws/queue.ts';
import { tickAll } from '../runtime/aws/tick.ts';

export function createTick(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    const agenda = dynamoAgenda(openLedger(aws).table);
    return { ...aws, agenda, queue: openQueue(aws) };
  });
  return createLambdaHandler('tick', (_event: unknown, call) => tickAll(open(), call));
}

export const handler = createTick();
