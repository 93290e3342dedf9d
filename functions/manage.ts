/** Lambda entry of `manage`, behind API Gateway: health and unsubscribe pages. The same app as in embedded mode. */

import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { dynamoAgenda } from '../adapters/dynamodb/agenda.ts';
import { dynamoScanStateStore } from '../adapters/dynamodb/scan-state-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { manageApp } from '../manage/app.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { withDeclared } from '../runtime/with-declared.ts';

export function createManage(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    const { config, snapshots, clock } = aws;
    const { manage } = config;
    const unsubscribe = manage && { snapshots, secrets: openSecrets(aws), secret: manage.secret };
    const { table } = openLedger(aws);
    const app = manageApp({
      scanStates: dynamoScanStateStore(table),
      agenda: dynamoAgenda(table),
      // Renamed subscriptions are declared ones, and the role may not list the others.
      subscriptions: {
        ...withDeclared(dynamoSubscriptionStore(table), config, clock),
        list: async () => config.subscriptions,
      },
      clock,
      sources: config.sources,
      unsubscribe,
    });
    // By default Hono turns an error into a response, and Lambda would not count it.
    app.onError((error) => {
      throw error;
    });
    return handle(app);
  });
  return createLambdaHandler('manage', (event: LambdaEvent) => open()(event));
}

export const handler = createManage();
