/** Answers stay within Slack's limits whatever is stored, say what they leave out, and are not lost if Slack refuses them. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import { fitAnswerText } from '../../../manage/slack/fit-reply.ts';
import { event, snapshot, subscription } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ offer: ['task.*'] });
});
afterEach(async () => world.stop());

const posted = () => world.slack.callsOf('chat.postMessage').at(-1);

/** Stores a subscription of the channel as if it was made by a command. */
async function add(name: string, query: string, more: object = {}) {
  const { events, where } = subscriptionFromQuery(query, ['task.updated', 'task.overdue', 'task.closed']);
  const one = subscription(name, {
    events,
    ...(where && { where }),
    to: { channel: 'slack', settings: { channel: 'C1' } },
    declared: false,
    owner: 'slack:C1',
    madeBy: { id: 'UANN', name: 'uann', query, request: name },
    ...more,
  });
  await world.embedded.subscriptions.add(one);
}

/** About 1,800 characters, and 2,900 in the markup of Slack. */
const long = (n: number) =>
  `task.updated ${Array.from({ length: 85 }, (_, m) => `-project:"${n} & <${m}>"`).join(' ')}`;

const shownIn = (message: Args | undefined) =>
  (message?.blocks ?? [])
    .flatMap(({ text, elements = [] }: Args) => [text, ...elements].flatMap((one: Args) => one?.text ?? []))
    .join(' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** Types the command that each message names as the next. */
async function readPages() {
  const pages: string[] = [];
  for (let command: string | undefined = 'list'; command !== undefined; ) {
    const { replies } = await world.type(command);
    const page = shownIn(replies[0]);
    pages.push(page);
    command = /`\/tidings (list \d+)` shows the next/.exec(page)?.[1];
  }
  return pages;
}

describe('a channel with many subscriptions', () => {
  it('lists all of them with their whole queries, in several messages', async () => {
    for (let n = 1; n <= 9; n++) await add(`long-${n}`, long(n));
    const pages = await readPages();
    expect(pages.length).toBeGreaterThan(2);
    const all = pages.join(' ').replaceAll(/[` ]/g, '');
    for (let n = 1; n <= 9; n++) expect(all).toContain(`*long-${n}*${long(n).replaceAll(' ', '')}`);
    expect(pages.at(-1)).toContain('to 9 of 9. `/tidings list 1` shows the first.');
  });

  it('lists a hundred short ones in a few messages, and pages that do not exist as the first', async () => {
    for (let n = 100; n < 200; n++) await add(`short-${n}`, `task.overdue project:"Website ${n}"`);
    const pages = await readPages();
    expect(pages.length).toBeLessThan(4);
    for (let n = 100; n < 200; n++) expect(pages.join(' ')).toContain(`*short-${n}* \``);
    expect(shownIn((await world.type('list 101')).replies[0])).toBe(pages[0]);
  });

  it('lists one of a key with megabytes of event types', async () => {
    const events = Array.from({ length: 100_000 }, (_, n) => `task.of_a_key_${n}`);
    await add('of-key', 'task.overdue', { events, owner: 'key_1', madeBy: undefined });
    const shown = shownIn((await world.type('list')).replies[0]);
    expect(shown).toContain('*of-key* `task.of_a_key_0 ');
    expect(shown).toContain('cut here: the operator of Tidings sees all of it');
  });

  it('names the first that are ended, and how many others', async () => {
    for (let n = 100; n < 200; n++) await add(`${'x'.repeat(50)}-${n}`, 'task.overdue');
    expect(textIn((await world.type('unsubscribe nothing')).replies)).toContain('and 80 more');
    await world.type('unsubscribe all');
    expect(posted()?.text).toContain('and 80 more in this channel.');
    expect(posted()?.text.length).toBeLessThan(4000);
    expect(await world.embedded.subscriptions.list()).toEqual([]);
  });
});

describe('why', () => {
  const record = { id: '1', title: '&"<'.repeat(500), project: 'Shop' };
  const why = async (subject: string) => shownIn((await world.type(`why ${subject}`)).replies[0]);
  beforeEach(async () => {
    await world.embedded.snapshots.commit([
      { snapshot: snapshot('1', { record, version: 10, stage: {} }), expected: 0 },
    ]);
    for (let n = 0; n < 9; n++) {
      const base = event(`${n}`, { type: 'task.updated', subject: 'task/1' });
      const one = { ...base, time: `2026-11-14T0${n}:00:00.000Z`, data: { ...base.data, record, version: n + 2 } };
      await world.record(one);
    }
    for (let n = 10; n < 60; n++) await add(`s-${n}`, long(n).replaceAll('-project', 'project'));
  });

  it('of a record names some subscriptions of each event, and where the others are', async () => {
    const shown = await why('task/1');
    expect(shown).toMatch(/s-10: data\.record\.project is 'Shop', expected/);
    expect(shown).toMatch(/and \d+ more, which `\/tidings why evt_8` shows/);
    expect(shown).toMatch(/and \d older, which the operator of Tidings sees with `tidings explain task\/1`/);
  });

  it('of an event names more of them, and that the operator sees all', async () => {
    const shown = await why('evt_8');
    expect(shown.match(/`s-\d+: /g)?.length ?? 0).toBeGreaterThan(15);
    expect(shown).toMatch(/and \d+ more, which the operator of Tidings sees with `tidings explain evt_8`/);
  });
});

describe('an answer that Slack refuses', () => {
  const REFUSED = { status: 400, body: { ok: false, error: 'invalid_blocks' } };
  const ERROR = { status: 200, body: { ok: false, error: 'invalid_blocks' } };

  it('is replaced by a short text, and logged', async () => {
    await add('website', 'task.overdue');
    world.slack.failures.set('respond', [REFUSED]);
    world.slack.failures.set('chat.postEphemeral', [ERROR]);
    world.slack.failures.set('chat.postMessage', [ERROR]);
    const { replies } = await world.type('list');
    expect(replies.map(({ text }) => text)).toEqual([
      'Slack refused the answer of Tidings (`invalid_blocks`), so it cannot be shown. What you asked for may be done: `/tidings list` shows what this channel gets.',
    ]);
    expect(world.errors).toMatchObject([
      { code: 'TIDINGS_SLACK_REFUSED', message: "Slack refused the answer to 'list': invalid_blocks" },
    ]);
  });

  it('is logged if Slack takes no text either', async () => {
    await add('website', 'task.overdue');
    for (const method of ['respond', 'chat.postEphemeral', 'chat.postMessage'])
      world.slack.failures.set(method, Array(9).fill(method === 'respond' ? REFUSED : ERROR));
    expect((await world.type('list')).replies).toEqual([]);
    expect(world.errors).toHaveLength(1);
  });

  it('leaves no decision of an admin untold', async () => {
    const { replies } = await world.type('subscribe invoice.paid');
    await world.press(findButton(replies[0], 'Ask an admin'));
    const request = posted();
    world.slack.failures.set('chat.postMessage', [ERROR]);
    const told = await world.press(findButton(request, 'Deny'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    expect(textIn(told.replies)).toContain('Slack does not let Tidings tell <@UANN> about it.');
  });
});

it('admins are not asked with a part of the query and the reasons', async () => {
  await world.stop();
  world = await startSlackWorld({ offer: Array.from({ length: 300 }, () => 'task.overdue') });
  const { replies } = await world.type(`subscribe invoice.paid title:"${'&'.repeat(1700)}" client:*`);
  const told = await world.press(findButton(replies[0], 'Ask an admin'));
  expect(textIn(told.replies)).toContain(
    'The admins cannot be asked: the query and the reasons to ask are together too',
  );
  expect(world.slack.callsOf('chat.postMessage')).toEqual([]);
  const shorter = await world.type('subscribe invoice.paid');
  await world.press(findButton(shorter.replies[0], 'Ask an admin'));
  expect(posted()?.channel).toBe('DUADMIN');
});

describe('a form', () => {
  const opened = () => world.slack.callsOf('views.open').at(-1)?.view;

  it('has the first types of a resource with very many, and keeps the others of a query', async () => {
    await world.stop();
    const customEvents = Array.from({ length: 150 }, (_, n) => ({
      type: `task.custom_${'x'.repeat(n)}`,
      meaning: 'A custom one',
      when: { after: { status: ['x'] } },
    }));
    world = await startSlackWorld({ config: { customEvents } });
    const last = customEvents.at(-1)?.type ?? '';
    const { replies } = await world.type(`subscribe ${last} task.overdue`);
    await world.press(findButton(replies[0], 'Change'));
    expect(opened()?.blocks[0].element.initial_options).toMatchObject([{ value: 'task.overdue' }]);
    expect(opened()?.blocks[1].element.initial_value).toBe(last);
  });

  it('offers every one of many accounts', async () => {
    await world.stop();
    const sources = Array.from({ length: 150 }, (_, n) => ({
      name: `account-${n}`,
      baseUrl: `http://127.0.0.1:9/${n}`,
      token: '${TOKEN}',
    }));
    world = await startSlackWorld({ config: { sources } });
    await world.type('connect');
    expect(textIn(opened())).toContain('account-149');
  });
});

describe('a long text', () => {
  it('ends between words, with the end of its code marks', () => {
    const text = fitAnswerText(`Ended ${Array.from({ length: 900 }, (_, n) => `\`name of ${n}\``).join(', ')}`);
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(text).toMatch(/`,? …\nThe rest does not fit into a message of Slack\.$/);
    expect(text.split('`').length % 2).toBe(1);
  });

  it('ends before a mention that does not fit', () => {
    const time = '<!date^1^{date_short_pretty} {time}|then>';
    const text = fitAnswerText(`${'x '.repeat(1960)}${time}${time}`);
    expect(text.split(time).at(-1)).not.toContain('<');
  });
});
