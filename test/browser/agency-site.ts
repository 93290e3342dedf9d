/**
 * A working week of a simulated agency, polled, announced and delivered as `tidings serve` does it: to an endpoint that is
 * down for a while, to people by mail, and to a simulated Slack. For the pictures of the console and for a look at all pages.
 */

import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { mute } from '../../core/delivery/signing/unsubscribe.ts';
import { HOUR, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { putSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { pollCycle } from '../../runtime/poll-cycle.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { startConsoleWorld } from '../console/console-world.ts';
import { NOON } from '../samples.ts';
import { serveConsole } from './console-site.ts';

const OPERATOR = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
/** A poll after this time. */
const STEP = 30 * MINUTE;
/** From Saturday noon until Monday noon. */
const STEPS = (2 * 24 * HOUR) / STEP;
/** The endpoint of the operators is down in the last hours. */
const FAILING_STEPS = 6;

export type AgencySite = Awaited<ReturnType<typeof startAgencySite>>;

export async function startAgencySite() {
  const [simulator, mailbox, slack] = await Promise.all([
    startSimulator({ seed: 7, tasks: 60, now: NOON, speed: 0, life: 25 * MINUTE }),
    startMailbox(),
    startSlack({ perSecond: Number.POSITIVE_INFINITY, channels: ['projects', 'mornings'], now: () => toMillis(NOON) }),
  ]);
  const world = await startConsoleWorld({
    environment: {
      TOKEN: simulator.tokens.Administrator[0] ?? '',
      SLACK_TOKEN: slack.token,
    },
    config: {
      source: {
        name: 'agency',
        baseUrl: simulator.url,
        token: '${TOKEN}',
        timeZone: 'Europe/Berlin',
        attribution: true,
        resources: { task: { every: '5m' }, invoice: { every: '15m' }, projectmodule: 'off', group: 'off' },
        // The requests of days are made within seconds.
        quota: { perMinute: 100_000 },
      },
      mail: { from: 'Tidings <tidings@example.com>', smtp: mailbox.smtpUrl },
      slack: { token: '${SLACK_TOKEN}', signingSecret: '${OPS}', api: slack.apiUrl, offer: ['task.*'] },
      links: { task: 'https://work.example.com/tasks/{id}', invoice: 'https://work.example.com/invoices/{id}' },
      subscriptions: [],
    },
  });
  const { api, embedded, receiver } = world;
  // Attempts take the time that they take.
  let last = Date.now();
  const ticking = setInterval(() => {
    world.advance(Date.now() - last);
    last = Date.now();
  }, 1);
  const put = (name: string, body: object) => putSubscription(api, OPERATOR, name, body);
  const work = async () => {
    for (const source of embedded.config.sources) await pollCycle(embedded, source, {}, {});
    await announceAll(embedded, {});
    await world.pump();
    // What was gathered for half a minute.
    world.advance(31 * SECOND);
    await world.pump();
  };
  await work();
  await put('ops', { url: receiver.url, events: ['task.*', 'invoice.*'] });
  await put('assignees', { to: { email: { to: 'assignees' } }, query: 'task.assigned task.overdue' });
  await put('finance', { to: { email: { to: ['finance@example.com'] } }, query: 'invoice.*' });
  await put('mornings', {
    to: { slack: { channel: '#mornings' } },
    query: 'task.overdue task.due_soon daily 08:30 mon-fri',
  });
  await put('projects', { to: { slack: { channel: '#projects' } }, query: 'task.closed quiet 18:00-08:00' });
  for (let step = 1; step <= STEPS; step += 1) {
    receiver.status = step > STEPS - FAILING_STEPS ? 503 : 200;
    world.advance(STEP - 31 * SECOND);
    simulator.account.clock.advance(STEP);
    await work();
    // One of the people who got a mail wants no more of them.
    const reader = mailbox.mails.at(-1)?.envelope.to[0];
    if (step === STEPS / 2 && reader !== undefined) {
      await changeHealth(embedded, 'assignees', 'person', (before) => mute(before, reader, false));
    }
  }
  await createKey(api, OPERATOR, { name: 'billing export', scopes: ['read'], events: ['invoice.*'] });
  clearInterval(ticking);
  const site = await serveConsole(world);
  const stop = async () => {
    await site.stop();
    await Promise.all([simulator.stop(), mailbox.close(), slack.close()]);
  };
  return { ...world, ...site, simulator, mailbox, slack, stop };
}
