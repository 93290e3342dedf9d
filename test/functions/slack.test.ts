/** The Slack app through the real functions on the local AWS: requests over HTTP to `manage`, work on the queue in `deliver`. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { slackSection, slackWalk } from '../manage/slack/walk.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

const OFF = ['invoice', 'project', 'client', 'expense', 'document', 'group', 'projectmodule'];

slackWalk('in AWS', async (slack) => {
  const world = await startWorld({
    source: {
      attribution: true,
      resources: {
        ...Object.fromEntries(OFF.map((name) => [name, 'off'])),
        task: { every: '1s' },
        person: { every: '1s' },
      },
    },
    secrets: { SLACK_TOKEN: slack.token, SIGNING: slack.app.signingSecret },
    config: {
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      slack: { ...slackSection(slack), signingSecret: '${SIGNING}' },
    },
  });
  captureOutput();
  const gateway = await startGateway(world);
  slack.app.http.urls = gateway.url;
  await world.functions.setup();
  return {
    simulator: world.simulator,
    stores: world.stores,
    settle: async () => {
      await world.functions.poll();
      await world.functions.announce(world.changes());
      await world.functions.tick();
      for (let records = await world.queues.receive(); records.length > 0; records = await world.queues.receive()) {
        const { batchItemFailures } = (await world.functions.deliver(records)) as Failures;
        await world.queues.settle(
          records,
          batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
        );
      }
      // Snoozes and pauses are changes of our own records.
      await world.functions.announce(world.changes());
    },
    advance: (millis) => world.clock.advance(millis),
    stop: async () => {
      vi.restoreAllMocks();
      await gateway.stop();
      await world.stop();
    },
  };
});

interface Failures {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** API Gateway in front of `manage`: hands requests over in its format, with the body as it was received. */
async function startGateway(world: World) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const http = { method: request.method, path: request.url, sourceIp: '::1', userAgent: '' };
    const event = {
      version: '2.0',
      rawPath: request.url,
      rawQueryString: '',
      headers: request.headers,
      // API Gateway encodes the bodies of forms.
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
      requestContext: { http },
    };
    const answer = (await world.functions.manage(event as never)) as unknown as Answer;
    response.writeHead(answer.statusCode, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack`;
  return {
    url,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}
