import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { replay } from '../../../core/delivery/replay.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { type Instant, MINUTE } from '../../../core/model/time.ts';
import type { Channel } from '../../../core/ports/channel.ts';
import { deliverJob } from '../../deliver-job.ts';
import { event, subscription } from '../../samples.ts';

/** The pipeline on SQLite with a manual clock, and the times at which the receiver was asked. */
function world() {
  const stores = sqliteStores(openDatabase(':memory:'));
  const sent: Instant[] = [];
  const self = { now: '', isDown: false };
  const channel: Channel = {
    send: async () => {
      sent.push(self.now);
      if (self.isDown) throw new RetryLater('TIDINGS_SLACK_STATUS', 'Slack answered 503');
      return { status: 200 };
    },
  };
  const ports = {
    ...stores,
    clock: { now: () => self.now },
    random: () => 0.5,
    zoneOf: async () => 'Europe/Berlin',
    channels: channelRegistry,
    channelFor: () => channel,
  };
  const at = async (now: Instant) => {
    self.now = now;
    while ((await tick(ports)) > 0) {
      for (const received of await stores.queue.receive({ limit: 100, visibility: MINUTE }, now)) {
        await deliverJob(ports, received.job);
        await stores.queue.acknowledge(received);
      }
    }
  };
  /** Opens a delivery that is due at this time. */
  const open = async (id: string, dueAt: Instant) => {
    const one = event(id);
    const delivery = { ...openDelivery(one, 'team', dueAt), dueAt };
    await stores.events.record([{ event: one, deliveries: [delivery] }]);
  };
  return { ...ports, self, sent, at, open };
}

const team = (change: Partial<Subscription> = {}) =>
  subscription('team', {
    to: { channel: 'slack', settings: { webhook: 'https://hooks.example.com/x' } },
    quiet: { from: '20:00', until: '07:30' },
    ...change,
  });

let w: ReturnType<typeof world>;
beforeEach(() => {
  w = world();
});

describe('quiet hours', () => {
  it('bind a retry: it is made when they end', async () => {
    await w.subscriptions.applyDeclared([team()]);
    // 19:58 in Berlin. The third attempt is due at 20:03.
    await w.open('1', '2026-11-14T18:58:00.000Z');
    w.self.isDown = true;
    await w.at('2026-11-14T18:58:00.000Z');
    await w.at('2026-11-14T18:58:10.000Z');
    expect(w.sent).toHaveLength(2);
    w.self.isDown = false;
    for (const time of ['19:04', '19:30', '23:00']) await w.at(`2026-11-14T${time}:00.000Z`);
    for (const time of ['02:00', '06:29']) await w.at(`2026-11-15T${time}:00.000Z`);
    expect(w.sent).toHaveLength(2);
    expect(await w.deliveries.list({ limit: 9 })).toMatchObject([
      { status: 'pending', dueAt: '2026-11-15T06:30:00.000Z' },
    ]);
    await w.at('2026-11-15T06:30:00.000Z');
    expect(w.sent).toHaveLength(3);
    expect(await w.deliveries.list({ limit: 9 })).toMatchObject([{ status: 'settled' }]);
  });

  it('bind quiet days in the zone of the subscription', async () => {
    await w.subscriptions.applyDeclared([team({ quiet: { days: ['sun'] }, timeZone: 'Asia/Tokyo' })]);
    // Saturday noon in UTC, Saturday evening in Tokyo; Sunday begins at 15:00 UTC.
    await w.open('1', '2026-11-14T15:30:00.000Z');
    await w.at('2026-11-14T15:30:00.000Z');
    expect(await w.deliveries.list({ limit: 9 })).toMatchObject([{ dueAt: '2026-11-15T15:00:00.000Z' }]);
    await w.at('2026-11-15T15:00:00.000Z');
    expect(w.sent).toHaveLength(1);
  });

  it('do not delay a replay that a person asks for, but bind its retries', async () => {
    await w.subscriptions.applyDeclared([team()]);
    await w.events.record([{ event: event('1'), deliveries: [] }]);
    w.self.now = '2026-11-14T22:00:00.000Z';
    w.self.isDown = true;
    await replay(w, team(), [event('1')]);
    await w.at(w.self.now);
    expect(w.sent).toHaveLength(1);
    await w.at('2026-11-14T23:00:00.000Z');
    expect(w.sent).toHaveLength(1);
    w.self.isDown = false;
    await w.at('2026-11-15T06:30:00.000Z');
    expect(w.sent).toHaveLength(2);
  });
});
