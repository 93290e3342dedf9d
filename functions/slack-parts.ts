/**
 * Composes the Slack app of a deployment: `manage` receives its requests, `deliver` does its work. A module of its own, loaded
 * only if the config has the app.
 */

import type { Hono } from 'hono';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoStores } from '../adapters/dynamodb/stores.ts';
import { type HttpTransport, openHttpTransport } from '../adapters/http/http-transport.ts';
import { openSlackPorts } from '../manage/slack/open-slack.ts';
import { runSlackWork } from '../manage/slack/run-work.ts';
import { slackHttpApp } from '../manage/slack/slack-http.ts';
import { type AwsContext, requireEnv } from '../runtime/aws/context.ts';
import { LEDGER_TABLE, SNAPSHOTS_TABLE } from '../runtime/aws/environment.ts';
import { openQueue } from '../runtime/aws/queue.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { withDeclared } from '../runtime/with-declared.ts';

export interface SlackParts {
  /** Undefined if the config has no signing secret. */
  readonly app: Hono | undefined;
  /** @param report receives the error of a task that is given up */
  readonly runTask: (id: string, report: (error: unknown) => void) => Promise<void>;
}

/** Undefined if the config has no Slack app. */
export function openSlackParts(aws: AwsContext, http: Pick<HttpTransport, 'post'>): SlackParts | undefined {
  const { config, environment, clients, clock, holder } = aws;
  const tables = { snapshots: requireEnv(environment, SNAPSHOTS_TABLE), ledger: requireEnv(environment, LEDGER_TABLE) };
  const stores = dynamoStores({ client: clients.dynamodb, tables, retention: config.retention, clock });
  const ports = openSlackPorts({
    ...stores,
    subscriptions: withDeclared(stores.subscriptions, config, clock),
    queue: openQueue(aws),
    secrets: openSecrets(aws),
    http,
    config,
    channels: channelRegistry,
    mode: 'aws',
    clock,
    holder,
  });
  if (ports === undefined) return undefined;
  const { signingSecret } = ports.config.slack;
  return {
    app: signingSecret === undefined ? undefined : slackHttpApp({ ports, signingSecret }),
    runTask: (id, report) => runSlackWork(ports, id, report),
  };
}

/** The part of `manage`, with connections of its own: Lambda freezes the process between invocations. */
export function openSlackDoor(aws: AwsContext): { readonly app: Hono | undefined; close(): Promise<void> } {
  const http = openHttpTransport({ allow: aws.config.network.allow });
  return { app: openSlackParts(aws, http)?.app, close: () => http.close() };
}
