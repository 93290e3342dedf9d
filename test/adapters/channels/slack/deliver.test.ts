/** The channel with `deliver` on SQLite, against the simulated Slack. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../../adapters/channels/registry.ts';
import { type SlackChannels, slackChannels } from '../../../../adapters/channels/slack/channel.ts';
import { type HttpTransport, openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../../adapters/sqlite/stores.ts';
import type { DeliverPorts } from '../../../../core/delivery/deliver.ts';
import { tick } from '../../../../core/delivery/tick.ts';
import { announce } from '../../../../core/events/announce.ts';
import type { Transition } from '../../../../core/model/snapshot.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import { fixedClock, MINUTE, plus, SECOND } from '../../../../core/model/time.ts';
import type { DatabaseStores } from '../../../../core/ports/database-stores.ts';
import type { Queue } from '../../../../core/ports/queue.ts';
import type { SnapshotStore } from '../../../../core/ports/snapshot-store.ts';
import { type Slack, startSlack } from '../../../../simulator/slack/slack.ts';
import { deliverJob } from '../../../deliver-job.ts';
import { NOON, snapshot, subscription } from '../../../samples.ts';

const zoneOf = async () => 'Europe/Berlin';
const slackTarget = () => ({ token: '${SLACK_TOKEN}', channel: '#projects', api: slack.apiUrl });

let slack: Slack;
let http: HttpTransport;
let channels: SlackChannels;
let snapshots: SnapshotStore;
let stores: DatabaseStores;
let queue: Queue;

beforeEach(async () => {
  slack = await startSlack({ perSecond: Number.POSITIVE_INFINITY });
  const secrets = localSecrets({ environment: { SLACK_TOKEN: slack.token }, directory: '' });
  http = openHttpTransport({ allow: ['127.0.0.0/8'] });
  channels = slackChannels({ http, secrets, links: {} });
  const db = openDatabase(':memory:');
  snapshots = sqliteSnapshotStore(db);
  stores = sqliteStores(db);
  queue = sqliteQueue(db);
});

afterEach(() => Promise.all([http.close(), slack.close()]));

const subscribe = (change: Partial<Subscription> = {}) =>
  stores.subscriptions.applyDeclared([
    subscription('team', { to: { channel: 'slack', settings: slackTarget() }, ...change }),
  ]);

/** Even versions are closed, odd versions are open. */
function step(id: string, version: number): Transition {
  const at = (number: number) => {
    const closed = number % 2 === 0;
    const record = { id, title: `Task ${id}`, status: closed ? 'Closed' : 'Open', dateclosed: null };
    return snapshot(id, { version: number, record, stage: { closed } });
  };
  return { before: at(version - 1), after: at(version) };
}

async function announceAt(transitions: readonly Transition[], now: string): Promise<void> {
  await announce(
    { channels: channelRegistry, customEvents: [], zoneOf, ...stores, queue, clock: fixedClock(now) },
    transitions,
  );
}

/** Ticks at this time, and makes every attempt that is due. */
async function work(now: string) {
  await tick({ ...stores, queue, clock: fixedClock(now) });
  const ports: DeliverPorts = {
    ...stores,
    snapshots,
    zoneOf,
    channels: channelRegistry,
    channelFor: () => channels.channelFor(slackTarget()),
    clock: fixedClock(now),
    random: () => 0.5,
  };
  for (const { job } of await queue.receive({ limit: 1000, visibility: MINUTE }, now)) await deliverJob(ports, job);
}

describe('deliveries to Slack', () => {
  it('has one thread per record', async () => {
    await subscribe({ gather: 0 });
    for (const [minute, transition] of [
      step('1', 2),
      step('2', 2),
      step('1', 3),
      step('1', 4),
      step('2', 3),
    ].entries()) {
      const now = plus(NOON, minute * MINUTE);
      await announceAt([transition], now);
      await work(now);
    }
    const [one, two] = slack.messages.map(({ ts }) => ts);
    expect(slack.messages.map(({ threadTs }) => threadTs)).toEqual([undefined, undefined, one, one, two]);
    expect(await stores.deliveries.list({ status: 'settled', limit: 9 })).toHaveLength(5);
  });

  it('sends one message for a bulk edit of 500 tasks', async () => {
    await subscribe();
    await announceAt(
      Array.from({ length: 500 }, (_, index) => step(String(index + 1), 2)),
      NOON,
    );
    await work(NOON);
    expect(slack.messages).toEqual([]);
    await work(plus(NOON, 31 * SECOND));
    expect(slack.messages.map(({ text }) => text)).toEqual(['500 tasks closed']);
    expect(slack.requests).toBe(1);
  });

  it('retries after the delay that Slack asks for, and not before', async () => {
    await subscribe({ gather: 0 });
    slack.setFault({ error: 'ratelimited', status: 429, retryAfter: 600, times: 1 });
    await announceAt([step('1', 2)], NOON);
    await work(NOON);
    await work(plus(NOON, 5 * MINUTE));
    expect(slack.requests).toBe(1);
    await work(plus(NOON, 15 * MINUTE));
    expect(slack.messages).toHaveLength(1);
  });

  it('holds deliveries for an archived channel, and disables the subscription', async () => {
    await subscribe({ gather: 0 });
    slack.archive('projects');
    await announceAt([step('1', 2)], NOON);
    await work(NOON);
    expect(await stores.deliveries.list({ limit: 9 })).toMatchObject([
      { status: 'held', attempts: [{ outcome: 'gave-up' }] },
    ]);
    const health = await snapshots.get({ source: '_tidings', resource: 'subscription', id: 'team' });
    expect(health?.record).toMatchObject({
      state: 'disabled',
      reason: 'Slack answered 200 is_archived: unarchive the channel, or configure another',
    });
  });

  it('gives up on a message that Slack rejects, and sends the next', async () => {
    await subscribe({ gather: 0 });
    slack.setFault({ error: 'invalid_blocks', times: 1 });
    await announceAt([step('1', 2), step('2', 2)], NOON);
    await work(NOON);
    const statuses = (await stores.deliveries.list({ limit: 9 })).map(({ status }) => status).toSorted();
    expect(statuses).toEqual(['failed', 'settled']);
  });
});
