/** The Slack app of `tidings serve`: its work on the queue, its URL, and what its socket asks and receives. */

import type { Hono } from 'hono';
import { slackApi } from '../adapters/channels/slack/slack-api.ts';
import { GiveUp } from '../core/model/errors.ts';
import { openSlackPorts } from '../manage/slack/open-slack.ts';
import { runSlackWork } from '../manage/slack/run-work.ts';
import { receiveSlackRequest, SlackRequestRefused } from '../manage/slack/slack-app.ts';
import { slackHttpApp } from '../manage/slack/slack-http.ts';
import { readSlackRequest } from '../manage/slack/slack-request.ts';
import type { Embedded } from '../runtime/embedded/embedded.ts';
import type { RunQueuedTask } from '../runtime/embedded/pipeline.ts';
import type { SlackPayload } from '../runtime/embedded/slack-socket.ts';
import type { ServiceLog } from './service-log.ts';

export interface ServedSlack {
  readonly runTask: RunQueuedTask;
  /** @default - the config has no signing secret */
  readonly app?: Hono;
  /** @default - the config has no app-level token */
  readonly socket?: {
    readonly openUrl: () => Promise<string>;
    readonly receive: (payload: SlackPayload) => Promise<SlackPayload>;
  };
}

/** Undefined if the config has no Slack app. */
export function openServedSlack(
  embedded: Embedded,
  holder: string,
  log: Pick<ServiceLog, 'error'>,
): ServedSlack | undefined {
  const ports = openSlackPorts({ ...embedded, mode: 'embedded', holder });
  if (ports === undefined) return undefined;
  const { signingSecret, appToken, api } = ports.config.slack;
  const report = (error: unknown) => log.error('a Slack command failed', error);
  return {
    runTask: (id) =>
      runSlackWork(ports, id, report).catch((error: unknown) => {
        report(error);
        throw error;
      }),
    app: signingSecret === undefined ? undefined : slackHttpApp({ ports, signingSecret }),
    socket:
      appToken === undefined
        ? undefined
        : {
            openUrl: () => openSocketUrl({ ...ports, api, token: () => ports.secrets.resolve(appToken) }),
            receive: async (payload) => {
              const request = readSlackRequest(payload);
              if (request === undefined) return {};
              return receiveSlackRequest(ports, request).catch((error: unknown) => {
                // Acknowledged, or Slack would send it again.
                if (!(error instanceof SlackRequestRefused)) throw error;
                log.error('a Slack request was refused', error);
                return {};
              });
            },
          },
  };
}

/** Each socket has a URL of its own, which is valid once. */
export async function openSocketUrl(options: Parameters<typeof slackApi>[0]): Promise<string> {
  const opened = await slackApi(options).call('apps.connections.open', {});
  if (opened.ok && typeof opened.body.url === 'string') return opened.body.url;
  const problem = opened.ok ? 'no URL' : opened.error;
  throw new GiveUp(
    'TIDINGS_SLACK_SOCKET',
    `slack.appToken: Slack opens no socket: ${problem}; check it with: tidings slack check`,
  );
}
