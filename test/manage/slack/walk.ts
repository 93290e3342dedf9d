/** The walk of docs/slack.md on the simulated Slack and the simulated account, for both modes. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionId } from '../../../adapters/channels/slack/message-buttons.ts';
import { MINUTE, SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { Simulator } from '../../../simulator/simulator.ts';
import { type PostedMessage, type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { type Args, findButton, textIn } from './slack-world.ts';

export interface WalkWorld {
  readonly simulator: Simulator;
  readonly stores: Pick<DatabaseStores, 'subscriptions' | 'events' | 'audit' | 'snapshots' | 'documents'>;
  /** Polls, announces, delivers, and does the work of the app until nothing is left. */
  settle(): Promise<void>;
  advance(millis: number): void;
  stop(): Promise<void>;
}

const ANN = 'U024ANN';
const ADMIN = 'U024ADMIN';

/** The section `slack` for the stand-in, without the door. */
export const slackSection = (slack: Slack) => ({
  token: '${SLACK_TOKEN}',
  api: slack.apiUrl,
  offer: ['task.*', 'project.*'],
  admins: [ADMIN],
});

/** @param now its clock, in milliseconds: it signs requests with it */
function startStandIn(now: () => number): Promise<Slack> {
  return startSlack({
    now,
    perSecond: Number.POSITIVE_INFINITY,
    channels: ['website', 'finance'],
    people: [
      { id: ANN, name: 'Ann Vogt', email: 'ann@example.com' },
      { id: ADMIN, name: 'Otto Admin' },
    ],
  });
}

export function slackWalk(mode: string, start: (slack: Slack) => Promise<WalkWorld>): void {
  describe(`the Slack app, ${mode}`, () => {
    let slack: Slack;
    let ahead = 0;
    let world: WalkWorld;
    beforeAll(async () => {
      slack = await startStandIn(() => Date.now() + ahead);
      const started = await start(slack);
      world = {
        ...started,
        advance: (millis) => {
          ahead += millis;
          started.advance(millis);
        },
      };
      await world.settle();
    });
    afterAll(async () => {
      await world?.stop();
      await slack?.close();
    });

    const ann = () => slack.as(ANN);
    const last = (channel: string) => ann().sees(channel).at(-1) as PostedMessage;
    const press = async (message: PostedMessage, label: string, value?: string) => {
      const button = findButton(message as unknown as Args, label);
      await ann().press('website', message.ts, {
        action: button.action_id,
        ...(button.block_id === 'b' ? {} : { block: button.block_id }),
        ...(value === undefined ? {} : { value }),
      });
      await world.settle();
    };
    /** The subscription that was made in a channel. */
    const madeIn = async (channel: string) =>
      (await world.stores.subscriptions.list(true)).find(({ madeBy }) => madeBy?.channelName === `#${channel}`);
    const change = async (task: number, fields: Record<string, string>) => {
      world.simulator.account.update('task', task, fields);
      world.advance(5 * SECOND);
      await world.settle();
      world.advance(MINUTE);
      await world.settle();
    };

    it('subscribes a channel with one command, after a preview', async () => {
      await ann().type('website', '/tidings subscribe task.due_date_changed task.closed');
      await world.settle();
      const preview = last('website');
      expect(textIn(preview)).toContain('would have brought no messages in the last 7 days');
      await press(preview, 'Subscribe');
      const line = slack.messages.at(-1);
      expect(line?.text).toContain(`<@${ANN}> subscribed this channel to`);
      expect(await madeIn('website')).toMatchObject({
        name: expect.stringMatching(/^website-[a-z2-9]{4}$/),
        owner: expect.stringMatching(/^slack:C/),
      });
    });

    it('delivers the first message, with buttons, and says why', async () => {
      const before = slack.messages.length;
      await change(1, { datedue: '2027-03-01' });
      expect(slack.messages).toHaveLength(before + 1);
      const message = last('website');
      for (const label of ['Why?', 'Snooze until tomorrow', 'Fewer like this', 'Close task', 'Assign to me']) {
        expect(findButton(message as unknown as Args, label)).toBeDefined();
      }
      await press(message, 'Why?');
      expect(textIn(last('website'))).toContain('task.due_date_changed');
      expect(slack.messages).toHaveLength(before + 1);
    });

    it('is silent about a snoozed record until tomorrow, and says who snoozed it', async () => {
      const message = slack.messages.at(-1) as PostedMessage;
      await press(message, 'Snooze until tomorrow');
      expect(slack.messages.at(-1)?.text).toContain(`<@${ANN}> snoozed this in this channel until`);
      const before = slack.messages.length;
      await change(1, { datedue: '2027-03-02' });
      expect(slack.messages).toHaveLength(before);
      await change(2, { datedue: '2027-04-01' });
      expect(slack.messages).toHaveLength(before + 1);
      await press(message, 'Snooze until tomorrow');
      expect(textIn(last('website'))).toContain('already');
    });

    it('asks for a token, links it, and closes a task as that person, once', async () => {
      const message = slack.messages.at(-1) as PostedMessage;
      await press(message, 'Close task');
      expect(textIn(last('website'))).toContain('/tidings connect');
      await ann().type('website', '/tidings connect');
      expect(ann().modal()).toBeDefined();
      await ann().submit({ token: { value: 'wrong' } });
      await world.settle();
      expect(textIn(last('website'))).toContain('not kept');

      const [token = ''] = world.simulator.tokens.Manager;
      await ann().type('website', '/tidings connect');
      await ann().submit({ token: { value: token } });
      await world.settle();
      expect(textIn(last('website'))).toContain('Connected as');
      const stored = JSON.stringify(
        await Promise.all([ANN].map((id) => world.stores.documents.get('slack-link', `${id} main`))),
      );
      expect(stored).toContain('sealed:');
      expect(stored).not.toContain(token);

      await press(message, 'Close task');
      expect(slack.messages.at(-1)?.text).toBe(`<@${ANN}> closed this task.`);
      const lines = slack.messages.length;
      await press(message, 'Close task');
      expect(slack.messages).toHaveLength(lines);
      world.advance(5 * SECOND);
      await world.settle();
      world.advance(MINUTE);
      await world.settle();
      const { events } = await world.stores.events.list({ limit: 100 });
      const closed = events.findLast(({ type, subject }) => type === 'task.closed' && subject === 'task/2');
      expect(closed?.data.by).toMatchObject({ name: expect.any(String) });
      // The first message about the task shows that it is closed.
      const parent = ann()
        .sees('website')
        .find(({ ts }) => ts === message.ts);
      expect(textIn(parent)).toContain('task.closed');
    });

    it('excludes events like this one, and includes them again', async () => {
      await change(3, { datedue: '2027-05-01' });
      const message = slack.messages.at(-1) as PostedMessage;
      await press(message, 'Fewer like this');
      const line = slack.messages.at(-1) as PostedMessage;
      expect(line.text).toMatch(/excluded `-project:/);
      expect((await madeIn('website'))?.madeBy?.query).toContain('-project:');
      const before = slack.messages.length;
      await change(3, { datedue: '2027-05-02' });
      expect(slack.messages).toHaveLength(before);
      await press(line, 'Undo');
      expect((await madeIn('website'))?.madeBy?.query).not.toContain('-project:');
      await change(3, { datedue: '2027-05-03' });
      expect(slack.messages).toHaveLength(before + 1);
    });

    it('opens a form with the same choices, and shows what is wrong beside the field', async () => {
      await ann().type('finance', '/tidings');
      expect(ann().modal()).toBeDefined();
      await ann().submit({ events: { value: ['task.overdue'] }, conditions: { value: 'projekt:Website' } });
      expect(textIn(ann().modal())).toContain('did you mean');
      await ann().submit({
        events: { value: ['task.overdue'] },
        conditions: { value: '' },
        schedule: { value: 'daily 08:30' },
      });
      await world.settle();
      expect(textIn(last('finance'))).toContain('task.overdue daily 08:30');
    });

    it('asks the admins for what is not offered, and obeys the first answer', async () => {
      await ann().type('finance', '/tidings subscribe invoice.paid');
      await world.settle();
      const offer = last('finance');
      expect(textIn(offer)).toContain('needs the consent of an admin');
      await ann().press('finance', offer.ts, {
        action: findButton(offer as unknown as Args, 'Ask an admin').action_id,
      });
      await world.settle();
      const asked = slack.messages.findLast(({ text }) => text.includes('asks to subscribe')) as PostedMessage;
      const allow = findButton(asked as unknown as Args, 'Allow');
      await slack.as(ADMIN).press(asked.channel, asked.ts, { action: allow.action_id });
      await world.settle();
      expect(await madeIn('finance')).toMatchObject({
        events: ['invoice.paid'],
        madeBy: { id: ANN, allowedBy: ADMIN },
      });
    });

    it('starts and ends the digest that a person chooses in the home', async () => {
      const digests = async () =>
        (await world.stores.subscriptions.list()).filter(({ owner = '' }) => owner.startsWith('slack:D'));
      const choose = async (value: string) => {
        await ann().pressInView('home', { action: actionId('digest'), value });
        await world.settle();
      };
      await ann().openHome();
      await world.settle();
      await choose('daily 08:00');
      expect(await digests()).toMatchObject([{ digest: { at: '08:00' }, madeBy: { id: ANN } }]);
      await choose('off');
      expect(await digests()).toEqual([]);
      await choose('daily 08:00');
      expect(await digests()).toHaveLength(1);
      await ann().type('website', '/tidings disconnect');
      await world.settle();
      expect(textIn(last('website'))).toContain('The digest of your tasks has ended');
      expect(await digests()).toEqual([]);
    });

    it('shows a home, and ends what the channel subscribed to', async () => {
      await ann().openHome();
      await world.settle();
      expect(textIn(ann().home())).toContain('website');
      await ann().type('website', '/tidings list');
      await world.settle();
      expect(textIn(last('website'))).toContain('website');
      expect(textIn(last('website'))).not.toContain('finance');
      const [website, finance] = [await madeIn('website'), await madeIn('finance')];
      await ann().type('website', `/tidings unsubscribe ${finance?.name}`);
      await world.settle();
      expect(await madeIn('finance')).toBeDefined();
      await ann().type('website', '/tidings unsubscribe all');
      await world.settle();
      expect(await madeIn('website')).toBeUndefined();
      expect(slack.messages.at(-1)?.text).toContain(`ended \`${website?.name}\``);
      const { entries } = await world.stores.audit.page({ limit: 100 });
      expect(entries.map(({ action }) => action)).toEqual(
        expect.arrayContaining([
          'subscription.created',
          'subscription.snoozed',
          'record.closed',
          'subscription.removed',
        ]),
      );
    });
  });
}
