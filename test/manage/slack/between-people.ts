/** What people notice of what others do, or have done, with the app: the same in both modes. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readFreshHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { type Delivery, ofIncarnation, openDelivery } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { type Instant, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import { delivery, event, snapshot, subscription } from '../../samples.ts';
import type { Args, FakeSlack } from './fake-slack.ts';
import { findButton } from './slack-world.ts';

export interface PeopleWorld {
  readonly slack: FakeSlack;
  readonly stores: Pick<DatabaseStores, 'subscriptions' | 'deliveries' | 'events' | 'snapshots'>;
  /** Sends a body as Slack signs it. Returns the status. */
  send(body: string, type: string): Promise<number>;
  /** Does all work that is queued. */
  settle(): Promise<void>;
  /** Records an event with a delivery, and queues it. */
  announce(event: TidingsEvent, delivery: Delivery): Promise<void>;
  now(): Instant;
  advance(millis: number): void;
  stop(): Promise<void>;
}

const FORM = 'application/x-www-form-urlencoded';

/** What AWS hands to one execution. */
const BATCH = 10;

export function betweenPeople(mode: string, start: () => Promise<PeopleWorld>): void {
  describe(`what people in Slack notice of each other, ${mode}`, () => {
    let world: PeopleWorld;
    let requests = 0;
    beforeAll(async () => {
      world = await start();
      world.slack.guests.add('UGUEST');
      await world.stores.subscriptions.add(
        subscription('website', {
          declared: false,
          owner: 'slack:C1',
          to: { channel: 'slack', settings: { channel: 'C1' } },
        }),
      );
    });
    afterAll(async () => world?.stop());

    const command = async (text: string, user: string, channel = 'C1') => {
      const body = new URLSearchParams({
        team_id: 'T1',
        api_app_id: 'A1',
        channel_id: channel,
        channel_name: channel.toLowerCase(),
        user_id: user,
        user_name: user.toLowerCase(),
        command: '/tidings',
        text,
        response_url: world.slack.respondUrl(user),
        trigger_id: `trigger-${++requests}`,
      });
      expect(await world.send(body.toString(), FORM)).toBe(200);
    };

    /** Presses a button of a message in a channel. */
    const press = async (action: Args, user: string, channel = 'C1') => {
      const payload = {
        type: 'block_actions',
        team: { id: 'T1' },
        user: { id: user, username: user.toLowerCase(), team_id: 'T1' },
        api_app_id: 'A1',
        container: { type: 'message', message_ts: '1.1', channel_id: channel, is_ephemeral: true },
        channel: { id: channel, name: channel.toLowerCase() },
        trigger_id: `trigger-${++requests}`,
        response_url: world.slack.respondUrl(`press-${user}`),
        actions: [{ type: 'button', action_ts: '1', block_id: 'b', ...action }],
      };
      expect(await world.send(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM)).toBe(200);
    };

    it('delays nobody in a channel by more than one piece of the work of another', async () => {
      const { slack } = world;
      for (let n = 1; n < BATCH; n++) await command('preview', 'UGUEST');
      await command('list', 'UBEN');
      const first = Promise.withResolvers<void>();
      slack.gates.set('UGUEST', () => first.promise);
      const settled = world.settle();
      try {
        await vi.waitFor(() => expect(slack.responses.map(({ to }) => to)).toEqual(['UBEN']), 10_000);
      } finally {
        first.resolve();
        slack.gates.clear();
        await settled;
      }
      expect(slack.responses).toHaveLength(BATCH);
    });

    it('lets nobody wait for more than one change of another to the subscriptions of a channel', async () => {
      const { slack } = world;
      world.advance(2 * MINUTE);
      const before = slack.callsOf('chat.postMessage').length;
      for (let n = 1; n < BATCH; n++) await command('pause 1h', 'UANN');
      await command('resume', 'UBEN');
      await world.settle();
      const said = slack.callsOf('chat.postMessage').slice(before);
      expect(said).toHaveLength(BATCH);
      expect(said.findIndex(({ text }) => text.startsWith('<@UBEN>'))).toBeLessThan(3);
    });

    it('shows no delivery of an ended subscription to the channel that uses its name next', async () => {
      const { slack, stores } = world;
      world.advance(2 * MINUTE);
      const one = event('900001');
      await stores.snapshots.commit([{ snapshot: snapshot('900001', { version: 3 }), expected: 0 }]);
      const former = { declared: false, createdAt: '2026-11-01T08:00:00.000Z' };
      const ofFormer = ofIncarnation(delivery('900001', 'reused', { status: 'settled', dueAt: null }), former);
      await stores.events.record([{ event: one, deliveries: [ofFormer] }]);
      const reused = subscription('reused', {
        declared: false,
        createdAt: '2026-11-02T08:00:00.000Z',
        owner: 'slack:C2',
        to: { channel: 'slack', settings: { channel: 'C2' } },
      });
      await stores.subscriptions.add(reused);
      const why = async () => {
        const before = slack.responses.length;
        await command('why task/900001', 'UBEN', 'C2');
        await world.settle();
        return JSON.stringify(slack.responses.slice(before));
      };
      const answer = await why();
      expect(answer).toContain('reused: matches now, but did not exist or match at that time');
      expect(answer).not.toContain('sent');
      const again = ofIncarnation(
        delivery('900001', 'reused', { id: 'dlv_own', status: 'settled', dueAt: null }),
        reused,
      );
      await stores.events.record([{ event: one, deliveries: [again] }]);
      expect(await why()).toContain('reused: sent');
    });

    it('begins a thread of its own for a subscription that uses the name of an ended one', async () => {
      const { slack, stores } = world;
      const add = async (channel: string, createdAt: Instant) => {
        const to = { channel: 'slack', settings: { channel } };
        const added = subscription('threaded', {
          declared: false,
          createdAt,
          gather: 0,
          owner: `slack:${channel}`,
          to,
        });
        await stores.subscriptions.add(added);
        return added;
      };
      const post = async (id: string, to: Subscription) => {
        const one = event(id, { type: 'task.due_date_changed', subject: 'task/900002', time: world.now() });
        await world.announce(one, ofIncarnation(openDelivery(one, 'threaded', world.now()), to));
        await world.settle();
        const { channel, thread_ts } = slack.callsOf('chat.postMessage').at(-1) ?? {};
        return { channel, isReply: thread_ts !== undefined };
      };
      const former = await add('C1', '2026-11-01T08:00:00.000Z');
      expect(await post('t1', former)).toEqual({ channel: 'C1', isReply: false });
      expect(await post('t2', former)).toEqual({ channel: 'C1', isReply: true });
      await stores.subscriptions.remove('threaded');
      const next = await add('C2', '2026-11-02T08:00:00.000Z');
      expect(await post('t3', next)).toEqual({ channel: 'C2', isReply: false });
      expect(await post('t4', next)).toEqual({ channel: 'C2', isReply: true });
    });

    it('lets one person snooze 50 records of a subscription, and others theirs', async () => {
      const { slack, stores } = world;
      const to = { channel: 'slack', settings: { channel: 'C1' } };
      await stores.subscriptions.add(subscription('quiet', { declared: false, gather: 0, owner: 'slack:C1', to }));
      const ids = Array.from({ length: 52 }, (_, n) => String(910_000 + n));
      const events = ids.map((id) => event(id, { type: 'task.due_date_changed', time: world.now() }));
      await stores.events.record(events.map((one) => ({ event: one, deliveries: [] })));
      const snooze = (id: string, user: string) =>
        press({ action_id: 'tidings:snooze', block_id: `tidings:evt_${id}:quiet`, value: 'snooze' }, user);
      const [first = '', ...others] = ids;
      await snooze(first, 'UBEN');
      for (const id of others) {
        // More often the rate of one person does not allow.
        world.advance(6 * SECOND);
        await snooze(id, 'UANN');
      }
      await world.settle();
      const { snoozes } = await readFreshHealth(stores, 'quiet');
      const keys = ids.slice(0, 51).map((id) => `/sources/main task/${id}`);
      expect(Object.keys(snoozes ?? {}).toSorted()).toEqual(keys);
      expect(JSON.stringify(slack.responses.at(-1))).toContain('You have snoozed 50 records of `quiet` already');
      await snooze(ids.at(-1) ?? '', 'UBEN');
      await world.settle();
      const after = await readFreshHealth(stores, 'quiet');
      expect(Object.keys(after.snoozes ?? {})).toHaveLength(52);
    });

    it.each([
      { what: 'by one person in two channels', people: ['UBEN', 'UBEN'], channels: ['C1', 'C2'], full: 'person' },
      { what: 'of one channel by two people', people: ['UANN', 'UEVE'], channels: ['C3', 'C3'], full: 'channel' },
    ])('makes no more than 100 subscriptions $what who press at the same time', async ({ people, channels, full }) => {
      const { slack, stores } = world;
      world.advance(5 * MINUTE);
      slack.channel('C3', 'crowded');
      const channelOf = full === 'channel' ? 'C3' : 'C9';
      for (let n = 1; n < 100; n++)
        await stores.subscriptions.add(
          subscription(`${full}-${n}`, {
            declared: false,
            owner: `slack:${channelOf}`,
            to: { channel: 'slack', settings: { channel: channelOf } },
            madeBy: { id: full === 'person' ? 'UBEN' : 'UOTHER', name: 'any', request: `earlier ${full} ${n}` },
          }),
        );
      const countOwn = async () =>
        (await stores.subscriptions.list(true)).filter(({ owner, madeBy }) =>
          full === 'person' ? madeBy?.id === 'UBEN' : owner === 'slack:C3',
        ).length;
      const before = slack.responses.length;
      for (const [n, user] of people.entries()) {
        await command('subscribe task.overdue', user, channels[n]);
        await world.settle();
      }
      const drafts = slack.responses.slice(before).map(({ body }) => findButton(body, 'Subscribe'));
      const posting: string[] = [];
      const lines = Promise.withResolvers<void>();
      slack.gates.set('chat.postMessage', () => {
        posting.push('line');
        return lines.promise;
      });
      for (const [n, user] of people.entries()) await press(drafts[n] ?? {}, user, channels[n]);
      const settled = world.settle();
      const refusals = () =>
        slack.responses.slice(before).filter(({ body }) => /Nothing was subscribed/.test(JSON.stringify(body)));
      try {
        // One at a time in the channel of both: the next press waits for the line.
        const expected = full === 'channel' ? 1 : 2;
        await vi.waitFor(() => expect(posting.length + refusals().length).toBe(expected), 10_000);
      } finally {
        lines.resolve();
        slack.gates.clear();
        await settled;
      }
      expect(await countOwn()).toBe(100);
      // In the channel of both, the second one is pressed after the first one is made: then an admin is asked.
      const answers = slack.responses.slice(before + people.length).map(({ body }) => JSON.stringify(body));
      expect(answers.filter((one) => one.includes('Done: '))).toHaveLength(1);
      expect(
        answers.filter((one) => /"Nothing was subscribed: .* 100 subscriptions|"Asked <@UADMIN>/.test(one)),
      ).toHaveLength(1);
    });
  });
}
