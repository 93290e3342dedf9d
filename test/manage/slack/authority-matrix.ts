/**
 * The authority matrix: every command, button and form of the app by everyone who may send it. The rows are those of the
 * app's own tables, so that a new one without an expectation here fails.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionId } from '../../../adapters/channels/slack/message-buttons.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { slackOwner } from '../../../core/model/subscription.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import { digestAccounts } from '../../../manage/slack/linked-person.ts';
import { CONNECT_FORM } from '../../../manage/slack/modal.ts';
import type { Simulator } from '../../../simulator/simulator.ts';
import { event, subscription } from '../../samples.ts';
import type { Args, FakeSlack } from './fake-slack.ts';
import { EVERYONE, EXPECTED, type Expectation, listRows, PEOPLE, type Who } from './matrix-expectations.ts';

export interface MatrixWorld {
  readonly slack: FakeSlack;
  readonly simulator: Simulator;
  readonly stores: Pick<
    DatabaseStores,
    'subscriptions' | 'events' | 'audit' | 'snapshots' | 'documents' | 'deliveries'
  >;
  now(): Instant;
  /** Sends a body as Slack signs it. Returns the status. */
  send(body: string, type: string): Promise<number>;
  /** Does all work that is queued. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** These act on a subscription of the channel: from another channel they must not reach it. */
const ON_CHANNEL = ['command unsubscribe', 'command pause', 'command resume', 'command test'].concat(
  ['snooze', 'fewer', 'undo'].map((action) => `button ${action}`),
  'event mention',
);

const REFUSAL = /Guests may not|Only (?:people|members) of this workspace|is deactivated|Only admins of Tidings/;

/** @param who the columns to run. @default - all */
export function slackMatrix(mode: string, start: () => Promise<MatrixWorld>, who: readonly Who[] = EVERYONE): void {
  describe(`the authority matrix of the Slack app, ${mode}`, () => {
    let world: MatrixWorld;
    let cells = 0;
    beforeAll(async () => {
      world = await start();
      const people = [...world.simulator.account.list('person', {})].map(({ email }) => String(email));
      for (const [index, { id }] of Object.values(PEOPLE).entries()) {
        world.slack.emails.set(id, people[index] ?? '');
        await submit(CONNECT_FORM, id, 'C1', { token: { value: world.simulator.tokens.Administrator[0] } });
      }
      await world.settle();
      // All of them have linked their tokens while they were members.
      for (const { id, shown } of Object.values(PEOPLE)) {
        if (shown === undefined) world.slack.unseen.add(id);
        else world.slack.people.set(id, shown);
      }
    });
    afterAll(async () => world?.stop());

    const accounts = () => digestAccounts([{ name: 'main', kind: 'work', baseUrl: world.simulator.url }]);
    const origin = (over: Origin = {}) => ({ team: 'T1', app: 'A1', ...over });
    const form = (fields: Record<string, string>) =>
      world.send(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded');
    const interact = (payload: Args) => form({ payload: JSON.stringify(payload) });
    const command = (text: string, user: string, channel: string, over?: Origin) => {
      const { team, app } = origin(over);
      return form({
        team_id: team,
        api_app_id: app,
        channel_id: channel,
        channel_name: channel.toLowerCase(),
        user_id: user,
        user_name: user.toLowerCase(),
        command: '/tidings',
        text,
        response_url: world.slack.respondUrl(user),
        trigger_id: `trigger-${++cells}`,
      });
    };
    const press = (action: string, button: Args, user: string, channel: string, over?: Origin) => {
      const { team, app } = origin(over);
      return interact({
        type: 'block_actions',
        team: { id: team },
        api_app_id: app,
        user: { id: user, username: user.toLowerCase(), team_id: team },
        ...(channel === '' ? {} : { channel: { id: channel, name: channel.toLowerCase() } }),
        container: { message_ts: `${++cells}.1`, ...(channel === '' ? {} : { channel_id: channel }) },
        trigger_id: `trigger-${cells}`,
        response_url: world.slack.respondUrl(user),
        actions: [{ action_id: actionId(action), block_id: 'b', ...button }],
      });
    };
    const submit = (callback: string, user: string, channel: string, values: Args, over?: Origin) => {
      const { team, app } = origin(over);
      const blocks = Object.entries(values).map(([block, input]) => [block, { [block]: input }]);
      return interact({
        type: 'view_submission',
        team: { id: team },
        api_app_id: app,
        user: { id: user, username: user.toLowerCase(), team_id: team },
        trigger_id: `trigger-${++cells}`,
        view: {
          callback_id: callback,
          private_metadata: JSON.stringify({ channel, channelName: channel.toLowerCase(), accounts: accounts() }),
          state: { values: Object.fromEntries(blocks) },
        },
      });
    };

    /** A channel with a subscription of its own, and an event that it got. */
    async function prepare() {
      const id = `M${++cells}`;
      const channel = `C${id}`;
      const name = `cell-${id.toLowerCase()}`;
      const query = 'task.overdue -project:Website';
      const exclusions = [{ condition: '-project:Website', by: 'UANN', press: `slk_${id}` }];
      const task = String([...world.simulator.account.list('task', { excludeclosed: 't' })][0]?.id);
      // As nobody has changed it: a button that would change nothing writes nothing.
      world.simulator.account.update('task', Number(task), { assigneeid: '', datedue: '2026-12-01' });
      world.slack.channel(channel, channel.toLowerCase());
      await world.stores.subscriptions.add(
        subscription(name, {
          events: ['task.overdue'],
          to: { channel: 'slack', settings: { channel } },
          declared: false,
          owner: slackOwner(channel),
          madeBy: { id: 'UANN', name: 'uann', query, request: id, exclusions },
        }),
      );
      const sent = event(id, { type: 'task.overdue', subject: `task/${task}`, time: world.now() });
      const record = { ...sent.data.record, project: 'Shop' };
      await world.stores.events.record([{ event: { ...sent, data: { ...sent.data, record } }, deliveries: [] }]);
      return { id, channel, name, block: `tidings:evt_${id}:${name}` };
    }
    type Cell = Awaited<ReturnType<typeof prepare>>;

    /** A preview that this person has not confirmed, or a request of theirs to the admins. */
    async function saveDraft(user: string, { channel, id }: Cell, query: string) {
      const place = { user, userName: user, channel, channelName: channel.toLowerCase() };
      await world.stores.documents.save('slack-draft', id, { query, place }, null);
      return id;
    }

    async function send(row: string, user: string, cell: Cell, channel: string, over?: Origin): Promise<number> {
      const [kind, name = ''] = row.split(' ');
      if (kind === 'command') {
        const rest: Readonly<Record<string, string>> = {
          subscribe: 'task.overdue',
          unsubscribe: cell.name,
          pause: '2h',
          why: 'task/1',
        };
        return command(`${name} ${rest[name] ?? ''}`.trim(), user, channel, over);
      }
      if (kind === 'form') {
        const token = { value: world.simulator.tokens.Administrator[0] };
        const events = { selected_options: [{ value: 'task.overdue' }] };
        return submit(name, user, channel, name === CONNECT_FORM ? { token } : { events }, over);
      }
      if (kind === 'event') {
        const { team, app } = origin(over);
        const text = `<@UBOT> unsubscribe ${cell.name}`;
        const event =
          name === 'home'
            ? { type: 'app_home_opened', tab: 'home', user }
            : { type: 'app_mention', user, channel, text, ts: '1.1' };
        const payload = { type: 'event_callback', event_id: cell.id, team_id: team, api_app_id: app, event };
        return world.send(JSON.stringify(payload), 'application/json');
      }
      switch (name) {
        case 'confirm':
        case 'cancel':
        case 'change':
          return press(name, { value: await saveDraft(user, cell, 'task.closed') }, user, channel, over);
        case 'request':
          return press(name, { value: await saveDraft(user, cell, 'invoice.paid') }, user, channel, over);
        case 'allow':
        case 'deny': {
          // Of a person without other subscriptions: those of the cells are UANN's.
          const value = await saveDraft('UASKER', cell, 'invoice.paid');
          const objection = 'only task.*, project.* may be subscribed to freely, not invoice.paid';
          const request = { state: 'open', objection, messages: [] };
          await world.stores.documents.save('slack-request', value, request, null);
          return press(name, { value }, user, channel, over);
        }
        case 'undo':
          return press(name, { value: JSON.stringify([cell.name, `slk_${cell.id}`]) }, user, channel, over);
        case 'digest':
          return press(name, { selected_option: { value: 'daily 08:00' } }, user, '', over);
        case 'due':
          return press(name, { selected_date: '2027-03-01', block_id: cell.block }, user, channel, over);
        default:
          return press(name, { value: name, block_id: cell.block }, user, channel, over);
      }
    }

    /** Everything that a person of Slack could have changed. */
    async function readState(user: string, { name }: Cell) {
      const { subscriptions, audit, deliveries, documents, snapshots } = world.stores;
      return {
        own: await subscriptions.get(name),
        all: (await subscriptions.list()).length,
        health: await readHealth({ snapshots }, name),
        changes: (await audit.page({ limit: 1 })).entries.map(({ id }) => id),
        sent: (await deliveries.list({ subscription: name, limit: 100 })).length,
        link: await documents.get('slack-link', `${user} main`),
      };
    }

    /** What this person was told, and whether something changed. */
    async function run(row: string, user: string, cell: Cell, channel = cell.channel, over?: Origin) {
      if (row === 'command resume') await command('pause', 'UADMIN', cell.channel);
      await world.settle();
      const [told, called] = [world.slack.responses.length, world.slack.calls.length];
      if (row === `form ${CONNECT_FORM}`) await world.stores.documents.remove('slack-link', `${user} main`);
      const before = await readState(user, cell);
      const status = await send(row, user, cell, channel, over);
      await world.settle();
      const after = await readState(user, cell);
      const calls = world.slack.calls.slice(called).filter(({ method }) => method.startsWith('chat.'));
      const text = JSON.stringify([world.slack.responses.slice(told), calls]);
      return { status, hasChanged: JSON.stringify(after) !== JSON.stringify(before), text, calls };
    }

    it('has an expectation for each command, button and form of the app', () => {
      expect(listRows()).toEqual(Object.keys(EXPECTED));
    });

    describe.each(listRows())('%s', (row) => {
      it.each(who)('by a %s', async (column) => {
        const { id } = PEOPLE[column];
        const { changes, answers } = EXPECTED[row] as Expectation;
        const { status, hasChanged, text } = await run(row, id, await prepare());
        const isRefused = REFUSAL.test(text);
        expect({ status, hasChanged, isRefused, text }).toMatchObject({
          status: 200,
          hasChanged: changes.includes(column),
          isRefused: !changes.includes(column) && !answers.includes(column),
        });
      });

      it('from another workspace or another app is refused with 403, whoever sends it', async () => {
        for (const over of [{ team: 'T2' }, { app: 'A2' }]) {
          const { status, hasChanged, text } = await run(row, 'UADMIN', await prepare(), undefined, over);
          expect({ status, hasChanged, text }).toEqual({ status: 403, hasChanged: false, text: '[[],[]]' });
        }
      });
    });

    it.each(ON_CHANNEL)('%s from another channel does not reach the subscription', async (row) => {
      world.slack.channel('COTHER', 'other');
      for (const user of ['UADMIN', 'UMEMBER']) {
        const cell = await prepare();
        const { status, hasChanged } = await run(row, user, cell, 'COTHER');
        expect({ status, hasChanged }).toEqual({ status: 200, hasChanged: false });
      }
    });
  });
}

interface Origin {
  readonly team?: string;
  readonly app?: string;
}
