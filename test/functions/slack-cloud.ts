/** The Slack app of a deployment for tests: the real functions on the local AWS, a fake Slack, and requests as Slack signs them. */

import { vi } from 'vitest';
import { signSlackRequest } from '../../manage/slack/verify-signature.ts';
import { startFakeSlack } from '../manage/slack/fake-slack.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld } from './world.ts';

const SIGNING = 'the signing secret of the tests';
const OFF = ['invoice', 'project', 'client', 'expense', 'document', 'group', 'projectmodule'];

export async function startSlackCloud() {
  const slack = await startFakeSlack();
  const world = await startWorld({
    simulator: { tasks: 20, quota: 1_000_000 },
    source: { resources: Object.fromEntries(OFF.map((name) => [name, 'off'])), quota: { perMinute: 1_000_000 } },
    secrets: { BOT: 'xoxb-test', SIGNING },
    config: {
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      slack: {
        token: '${BOT}',
        signingSecret: '${SIGNING}',
        api: slack.api,
        offer: ['task.*', 'project.*'],
        admins: ['UADMIN', 'UOLDADMIN'],
      },
    },
  });
  captureOutput();
  await world.functions.setup();
  await world.functions.poll();
  return {
    slack,
    simulator: world.simulator,
    stores: world.stores,
    clock: world.clock,
    queues: world.queues,
    /** Returns the status. */
    send: async (body: string, type: string): Promise<number> => {
      const timestamp = String(Math.floor(Date.parse(world.clock.now()) / 1000));
      const { statusCode } = (await world.functions.manage({
        version: '2.0',
        rawPath: '/slack',
        rawQueryString: '',
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': signSlackRequest(timestamp, body, SIGNING),
        },
        // API Gateway encodes the bodies of forms.
        body: Buffer.from(body).toString('base64'),
        isBase64Encoded: true,
        requestContext: { http: { method: 'POST', path: '/slack', sourceIp: '::1', userAgent: '' } },
      } as never)) as unknown as { readonly statusCode: number };
      return statusCode;
    },
    /** Does all work that is queued, in batches of ten. */
    settle: async (): Promise<void> => {
      for (let records = await world.queues.receive(); records.length > 0; records = await world.queues.receive()) {
        const { batchItemFailures } = (await world.functions.deliver(records)) as Failures;
        await world.queues.settle(
          records,
          batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
        );
      }
    },
    stop: async () => {
      vi.restoreAllMocks();
      await world.stop();
      await slack.stop();
    },
  };
}

interface Failures {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}
