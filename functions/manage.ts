/** Behind a URL: whether all is well, and the way out of mails. The same app the embedded mode serves. */

import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { manageApp } from '../manage/app.ts';
import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { ledgerOf } from '../runtime/aws/ledger.ts';
import { secretsOf } from '../runtime/aws/secrets.ts';

export function createManage(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    const { config, snapshots, clock } = aws;
    const resources = config.sources.flatMap(({ name, resources }) =>
      resources.map(({ resource }) => ({ source: name, resource: resource.name })),
    );
    const { manage } = config;
    const unsubscribe =
      manage === undefined ? {} : { unsubscribe: { snapshots, clock, secrets: secretsOf(aws), secret: manage.secret } };
    const app = manageApp({ ledger: ledgerOf(aws), resources, ...unsubscribe });
    // Hono would make an answer of it, and neither Lambda nor the alarm on its errors would hear of one.
    app.onError((error) => {
      throw error;
    });
    return handle(app);
  });
  return lambda('manage', (event: LambdaEvent) => open()(event));
}

export const handler = createManage();
