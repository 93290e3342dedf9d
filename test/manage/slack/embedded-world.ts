/** The Slack app in the embedded mode, without loops: Socket Mode to a simulated Slack, SQLite, and a simulated account. */

import { vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { announceAll, deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { pollCycle } from '../../../runtime/poll-cycle.ts';
import { openServedSlack } from '../../../service/serve-slack.ts';
import { createSlackConnection } from '../../../service/slack-connection.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import type { Slack } from '../../../simulator/slack/slack.ts';
import { movableClock } from '../../movable-clock.ts';
import { slackSection, type WalkWorld } from './walk.ts';

export async function startEmbeddedWalk(slack: Slack): Promise<WalkWorld> {
  const simulator = await startSimulator({ tasks: 30, quota: 10_000_000 });
  const environment = {
    TOKEN: simulator.tokens.Administrator[0] ?? '',
    SLACK_TOKEN: slack.token,
    APP_TOKEN: slack.appToken,
    MASTER: 'the master secret of the tests',
  };
  const off = ['invoice', 'project', 'client', 'expense', 'document', 'group', 'projectmodule'];
  const config = parseTree(
    'test',
    {
      source: {
        baseUrl: simulator.url,
        token: '${TOKEN}',
        timeZone: 'UTC',
        attribution: true,
        resources: {
          ...Object.fromEntries(off.map((name) => [name, 'off'])),
          task: { every: '1s' },
          person: { every: '1s' },
        },
        quota: { perMinute: 100_000 },
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      manage: { url: 'https://tidings.example.com', secret: '${MASTER}' },
      slack: { ...slackSection(slack), appToken: '${APP_TOKEN}' },
    },
    environment,
  );
  const clock = movableClock();
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({ config, database, environment, clock, holder: 'test', random: () => 0.5 });
  const log = {
    note: () => {},
    warn: () => {},
    error: () => {},
  };
  const served = openServedSlack(embedded, 'test', log);
  const connection = createSlackConnection(log);
  connection.use(served);
  await vi.waitFor(() => {
    if (slack.app.sockets.count === 0) throw new Error('not connected');
  }, 20_000);
  return {
    simulator,
    stores: embedded,
    settle: async () => {
      for (const source of config.sources) await pollCycle(embedded, source, {}, {});
      await announceAll(embedded, {});
      await tick(embedded);
      await deliverAll(embedded, {}, served === undefined ? {} : { runTask: served.runTask });
    },
    advance: (millis) => {
      clock.advance(millis);
      simulator.account.clock.advance(millis);
    },
    stop: async () => {
      await connection.close();
      await embedded.close();
      await simulator.stop();
    },
  };
}
