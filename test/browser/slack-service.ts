/** `tidings serve` with the Slack app, a simulated account and a simulated Slack, for tests and pictures of its page. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BOT_SCOPES } from '../../cli/slack-manifest.ts';
import { fromMillis } from '../../core/model/time.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { runCommand } from '../cli/run-command.ts';

/** Time runs faster for the service and the account, because messages wait for 30 seconds. */
const SPEED = 20;

export interface SlackService {
  readonly simulator: Simulator;
  readonly slack: Slack;
  /** The visitor, a manager of the account. */
  readonly me: { readonly id: string; readonly name: string; readonly personid: string; readonly token: string };
  stop(): Promise<void>;
}

export async function startSlackService(): Promise<SlackService> {
  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-slack-page-'));
  const simulator = await startSimulator({
    seed: 7,
    tasks: 40,
    quota: Number.POSITIVE_INFINITY,
    now: fromMillis(started),
    speed: SPEED,
  });
  const manager = simulator.tokenHolders().find(({ role }) => role === 'Manager');
  if (manager === undefined) throw new Error('no manager');
  const me = { ...manager, id: 'U0000ANN' };
  const slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    people: [me],
    channels: ['team'],
    scopes: BOT_SCOPES,
    app: { ackTimeoutMs: 60_000 },
    // The clock of Slack stands still, so that no trigger expires on a busy machine.
    now: () => started,
  });
  const config = join(folder, 'tidings.json');
  writeFileSync(
    config,
    JSON.stringify({
      source: {
        name: 'main',
        baseUrl: simulator.url,
        token: '${TOKEN}',
        attribution: true,
        resources: { task: { every: '5s' } },
      },
      slack: { token: '${SLACK_TOKEN}', appToken: '${SLACK_APP_TOKEN}', offer: ['task.*'], api: slack.apiUrl },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    }),
  );
  const stop = new AbortController();
  let output = '';
  let isServing = true;
  const served = runCommand(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'], {
    clock: { now: () => fromMillis(started + (Date.now() - started) * SPEED) },
    environment: {
      TOKEN: simulator.tokens.Administrator[0] ?? '',
      SLACK_TOKEN: slack.token,
      SLACK_APP_TOKEN: slack.appToken,
    },
    stop: stop.signal,
    onWrite: (_, text) => {
      output += text;
    },
  }).finally(() => {
    isServing = false;
  });
  // The first scan has been committed, and Slack reaches the app.
  while (isServing && !(slack.app.sockets.count > 0 && output.includes('main/task: baseline'))) await wait(50);
  if (!isServing) throw new Error(`serve ended: ${output}`);
  return {
    simulator,
    slack,
    me,
    stop: async () => {
      stop.abort();
      await served;
      await Promise.all([slack.close(), simulator.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
