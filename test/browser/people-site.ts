/**
 * The console of `startPeopleWorld` on a local port with a browser that is logged in, and the page of a simulated Slack,
 * where a person has subscribed a channel with the Slack app.
 */

import { vi } from 'vitest';
import { BOT_SCOPES } from '../../cli/slack-manifest.ts';
import { SECOND, toMillis } from '../../core/model/time.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { createSlackConnection } from '../../service/slack-connection.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { startPeopleWorld } from '../console/people-world.ts';
import { NOON, snapshot } from '../samples.ts';
import { openPage } from './chromium.ts';
import { serveConsole } from './console-site.ts';

export type PeopleSite = Awaited<ReturnType<typeof startPeopleSite>>;

const QUIET_LOG = { note: () => {}, warn: () => {}, error: () => {} };

export async function startPeopleSite() {
  const slack = await startSlack({
    // The clock of Slack stands still, so that no trigger expires on a busy machine.
    now: () => toMillis(NOON),
    perSecond: Number.POSITIVE_INFINITY,
    people: [{ id: 'U024ANN', name: 'Ann Lee', email: 'ann@example.com' }],
    channels: ['website'],
    scopes: BOT_SCOPES,
    app: { ackTimeoutMs: 60_000 },
  });
  const world = await startPeopleWorld({
    environment: { SLACK_TOKEN: slack.token, SLACK_APP_TOKEN: slack.appToken },
    config: {
      slack: { token: '${SLACK_TOKEN}', appToken: '${SLACK_APP_TOKEN}', offer: ['task.*'], api: slack.apiUrl },
    },
  });
  const connection = createSlackConnection(QUIET_LOG);
  connection.use(world.slackApp);
  await vi.waitFor(() => {
    if (slack.app.sockets.count === 0) throw new Error('the Slack app is not connected');
  }, 20_000);
  const site = await serveConsole(world);

  /** Tasks that were due some days ago, as a poll leaves them. */
  const storeOverdueTasks = (count: number) =>
    world.embedded.snapshots.commit(
      Array.from({ length: count }, (_, n) => {
        const record = { id: `${100 + n}`, title: `Page ${n + 1}`, datedue: '2026-11-10', dateclosed: null };
        const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
        return { snapshot: snapshot(record.id, { record, stage, cause: 'baseline' }), expected: 0 };
      }),
    );

  /** Does the work of the Slack app until the condition holds, as `tidings serve` does it. */
  const workUntil = async (holds: () => Promise<boolean>) => {
    await vi.waitFor(
      async () => {
        await world.pump();
        if (!(await holds())) throw new Error('not yet');
      },
      { timeout: 60_000, interval: 100 },
    );
  };

  /** A person types a command on the page of Slack. Returns the page, and how to see a text on it. */
  const openSlack = async (viewport = { width: 1280, height: 900 }) => {
    const opened = await openPage(site.browser, { bypassCSP: true, viewport, timezoneId: 'Europe/Berlin' });
    const { page } = opened;
    await page.goto(`${slack.url}/?channel=website`);
    const type = async (text: string) => {
      await page.getByLabel('Message #website').fill(text);
      await page.keyboard.press('Enter');
    };
    const see = (text: string) => workUntil(() => page.getByText(text).first().isVisible());
    return { ...opened, type, see };
  };

  /** As `/tidings subscribe` does it, with a look at the preview. */
  const subscribeInSlack = async (query: string) => {
    const { page, type, see, close } = await openSlack();
    await type(`/tidings subscribe ${query}`);
    const button = page.getByRole('button', { name: 'Subscribe', exact: true });
    await workUntil(() => button.isVisible());
    await button.click();
    await see('subscribed this channel to');
    await close();
  };

  /** The attempts that are due half a minute from now are made. */
  const later = async () => {
    world.advance(31 * SECOND);
    await world.pump();
  };
  const stop = async () => {
    await connection.close();
    await site.stop();
    await slack.close();
  };
  return { ...world, ...site, slack, openSlack, subscribeInSlack, storeOverdueTasks, later, stop };
}
