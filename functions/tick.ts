/** Every minute: does what only the passing of time makes due. Asks nothing of the API. */

import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf } from '../runtime/aws/ledger.ts';
import { queueOf } from '../runtime/aws/queue.ts';
import { tickAll } from '../runtime/aws/tick.ts';

export function createTick(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    return { ...aws, ledger: ledgerOf(aws), rules: aws.config.rules, queue: queueOf(aws) };
  });
  return lambda('tick', (_event: unknown, call) => tickAll(open(), call));
}

export const handler = createTick();
