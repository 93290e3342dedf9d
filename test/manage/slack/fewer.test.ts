/** Fewer like this and its Undo, and Snooze, of subscriptions that were changed, ended and made again since. */

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../core/filters/query-parse.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { changeSubscription } from '../../../core/subscriptions/verbs.ts';
import { compileChannelQuery } from '../../../manage/slack/draft.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import { event } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
  for (const [id, project] of Object.entries({ a: 'Secret', b: 'Shop' })) {
    const { data } = event(id);
    const record = { id: '1', title: 'Draft', project, client: 'ACME' };
    await world.record(
      event(id, {
        id: `evt_${id}`,
        type: 'invoice.paid',
        subject: 'invoice/1',
        time: world.clock.now(),
        data: { ...data, record },
      }),
    );
  }
});
afterEach(async () => world.stop());

const website = () => world.embedded.subscriptions.get('website');
const query = async () => (await website())?.madeBy?.query;
const said = () => world.slack.callsOf('chat.postMessage').at(-1);

/** A member asks, and an admin allows it. */
async function allow(wanted: string) {
  const { replies } = await world.type(`subscribe ${wanted}`);
  await world.press(findButton(replies[0], 'Ask an admin'));
  await world.press(findButton(said(), 'Allow'), { user: 'UADMIN', channel: 'DUADMIN' });
  expect(await query()).toBe(wanted);
}

let messages = 0;
const ts = () => `1731750000.${++messages}`;
const pressOn = (action: string, id: string, user = 'UANN') =>
  world.press(
    { action_id: `tidings:${action}`, block_id: `tidings:evt_${id}:website`, value: action },
    { user, ts: ts() },
  );

/** Presses it in a message about this event, and returns the button Undo. */
async function fewer(id: string): Promise<Args> {
  await pressOn('fewer', id);
  return findButton(said(), 'Undo');
}

const undo = async (button: Args) => textIn((await world.press(button, { user: 'UBEN', ts: ts() })).replies);

/** As the console, the API or a command changes it. */
async function changeElsewhere(next: string, more: Partial<Subscription> = {}) {
  const author = { kind: 'console', id: 'ann', scopes: ['admin'] } as const;
  const { where, events } = compileChannelQuery(world.ports, next);
  const types = ['invoice.paid'];
  await changeSubscription(
    { ...world.embedded, randomBytes },
    author,
    'website',
    ({ madeBy: _, where: __, ...rest }) => ({ ...rest, events, ...(where && { where }), ...more }),
    { types },
  );
}

describe('Undo', () => {
  it('removes what its press added, and nothing else', async () => {
    await allow('invoice.paid');
    const first = await fewer('a');
    await fewer('b');
    expect(await query()).toBe('invoice.paid -project:Secret -project:Shop');
    expect(await undo(first)).toContain('<@UBEN> undid the exclusion of `-project:Secret` from `website`.');
    expect(await query()).toBe('invoice.paid -project:Shop');
    expect(await undo(first)).toContain('This exclusion was undone already');
  });

  it('does not remove a condition of a later subscription of the same name, which an admin made', async () => {
    await allow('invoice.paid');
    const stale = await fewer('a');
    await world.type('unsubscribe website');
    await allow('invoice.paid -project:Secret');
    expect(await undo(stale)).toContain('the conditions of `website` were changed since: nothing was changed.');
    expect(await query()).toBe('invoice.paid -project:Secret');
    expect(world.errors).toEqual([]);
  });

  it('does not remove what somebody set on purpose after it was undone', async () => {
    await allow('invoice.paid');
    const button = await fewer('a');
    await undo(button);
    await changeElsewhere('invoice.paid -project:Secret');
    expect(await undo(button)).toContain('nothing was changed');
    expect(await query()).toBe('invoice.paid -project:Secret');
  });

  it('does not remove what an admin removed and set again', async () => {
    await allow('invoice.paid');
    const button = await fewer('a');
    await changeElsewhere('invoice.paid');
    await changeElsewhere('invoice.paid -project:Secret');
    expect(await undo(button)).toContain('nothing was changed');
    expect(await query()).toBe('invoice.paid -project:Secret');
  });

  it('still works after the time of the messages was changed elsewhere', async () => {
    await allow('invoice.paid');
    const button = await fewer('a');
    await changeElsewhere('invoice.paid -project:Secret', { digest: { at: '08:30' } });
    expect(await undo(button)).toContain('undid the exclusion');
    expect(await query()).toBe('invoice.paid daily 08:30');
  });

  it('of an earlier version changes nothing, and says why', async () => {
    await allow('invoice.paid -project:Secret');
    const told = await undo({ action_id: 'tidings:undo', value: JSON.stringify(['website', '-project:Secret']) });
    expect(told).toContain('This button is of an earlier version, which did not store who excluded `-project:Secret`');
    expect(await query()).toBe('invoice.paid -project:Secret');
  });

  it('says that it was done also if the process died before the answer', async () => {
    await allow('invoice.paid');
    const button = await fewer('a');
    await world.send(world.actionBody(button, { trigger: 'dies', ts: ts() }));
    const killed = { ...world.ports, http: { post: () => Promise.reject(new Error('killed')) } };
    const { documents } = world.ports;
    const open = {
      ...documents,
      // A process that dies writes nothing more.
      update: (kind: string, id: string, change: Parameters<typeof documents.update>[2]) =>
        documents.update(kind, id, (stored) => {
          const next = change(stored);
          if (next.status === 'failed') throw new Error('killed');
          return next;
        }),
    };
    await runSlackWork({ ...killed, documents: open }, taskId('dies')).catch(() => {});
    expect(await query()).toBe('invoice.paid');
    world.advance(120_000);
    await world.pump();
    expect(textIn(world.slack.responses.at(-1))).toContain('undid the exclusion of `-project:Secret`');
  });
});

describe('Fewer like this', () => {
  it('says who has excluded it, and is too old for what others excluded', async () => {
    await allow('invoice.paid');
    await fewer('a');
    expect(textIn((await pressOn('fewer', 'a', 'UBEN')).replies)).toContain(
      '<@UANN> has excluded `-project:Secret` already.',
    );
    await changeElsewhere('invoice.paid -project:Secret -project:Other');
    const before = world.slack.calls.length;
    expect(textIn((await pressOn('fewer', 'a', 'UBEN')).replies)).toContain('its subscription has changed since');
    expect(textIn(world.slack.calls.slice(before))).not.toContain('Undo');
    expect(parseQuery((await query()) ?? '').conditions).toHaveLength(2);
  });

  it('acts again once somebody has removed the condition elsewhere', async () => {
    await allow('invoice.paid');
    await fewer('a');
    await changeElsewhere('invoice.paid');
    await fewer('a');
    expect(await query()).toBe('invoice.paid -project:Secret');
  });
});

it('Snooze of another subscription that got the name is not taken for one of the first', async () => {
  await allow('invoice.paid');
  await pressOn('snooze', 'a');
  expect(textIn((await pressOn('snooze', 'a', 'UBEN')).replies)).toContain('<@UANN> has snoozed this until');
  await world.type('unsubscribe website');
  await allow('invoice.paid');
  const { replies } = await pressOn('snooze', 'a', 'UBEN');
  expect(replies).toEqual([]);
  expect(said()?.text).toContain('<@UBEN> snoozed this');
});
