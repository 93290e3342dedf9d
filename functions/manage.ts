/** Lambda entry of `manage`, behind API Gateway: health and unsubscribe pages. The same app as in embedded mode. */

import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { dynamoScanStateStore } from '../adapters/dynamodb/scan-state-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { manageApp } from '../manage/app.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';

export function createManage(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    const { config, snapshots, clock } = aws;
    const resources = config.sources.flatMap(({ name, resources }) =>
      resources.map(({ resource }) => ({ source: name, resource: resource.name })),
    );
    const { manage } = config;
    const unsubscribe = manage && { snapshots, clock, secrets: openSecrets(aws), secret: manage.secret };
    const { table } = openLedger(aws);
    const app = manageApp({
      scanStates: dynamoScanStateStore(table),
      subscriptions: dynamoSubscriptionStore(table),
      resources,
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
