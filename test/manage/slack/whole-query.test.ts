/** A query of up to 2,000 characters is shown as a whole, with every character, to those who decide about it, and to the channel that gets it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sayQuery } from '../../../manage/slack/blocks.ts';
import { SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ offer: ['task.*', 'project.*'] });
});
afterEach(async () => world.stop());

/** What people read in the sections of a message. */
const shownIn = (message: Args | undefined) =>
  (message?.blocks ?? [])
    .filter(({ type }: Args) => type === 'section')
    .map(({ text }: Args) => String(text.text))
    .join(' ')
    .replaceAll('`', '')
    .replaceAll('⟨…⟩', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
const reasonsIn = (message: Args | undefined) =>
  (message?.blocks ?? []).flatMap(({ elements = [] }: Args) => elements.map(({ text }: Args) => text?.text ?? text));
const posted = (channel: string) =>
  world.slack
    .callsOf('chat.postMessage')
    .filter((one) => one.channel === channel)
    .at(-1);

const many = (count: number, title: string) =>
  Array.from({ length: count }, (_, n) => `title:"${title} ${n}"`).join(' ');

it.each([
  ['with many conditions', `task.overdue invoice.* ${many(45, 'Website relaunch of the shop')} title:*`],
  ['with long words', `invoice.paid title:"a ${'x'.repeat(1890)}" client:*`],
  ['that is longer in the markup of Slack', `invoice.paid title:"${'&<'.repeat(900)}" client:*`],
])('a query %s', async (_, query) => {
  expect(query.length).toBeGreaterThan(1500);
  const { replies } = await world.type(`subscribe ${query}`);
  const whole = (message: Args | undefined) => {
    expect(message?.text.length).toBeLessThan(4000);
    for (const { type, text } of message?.blocks ?? [])
      if (type === 'section') expect(text.text.length).toBeLessThan(3000);
    // A long word is divided, too.
    expect(shownIn(message).replaceAll(' ', '')).toContain(query.replaceAll(' ', ''));
  };
  whole(replies[0]);
  await world.press(findButton(replies[0], 'Ask an admin'));
  const request = posted('DUADMIN');
  whole(request);
  await world.press(findButton(request, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
  expect((await world.embedded.subscriptions.list()).map(({ madeBy }) => madeBy?.query)).toEqual([query]);
  whole(posted('C1'));
  whole(posted('DUANN'));
  whole(world.slack.callsOf('chat.update').at(-1));
});

it('the reasons name the event types that are not offered', async () => {
  const { replies } = await world.type('subscribe task.overdue person.* project.created invoice.paid');
  expect(shownIn(replies[0])).toContain(
    'only task.*, project.* may be subscribed to freely, not person.*, invoice.paid.',
  );
  await world.press(findButton(replies[0], 'Ask an admin'));
  expect(reasonsIn(posted('DUADMIN'))[0]).toContain('freely, not person.*, invoice.paid. Everyone');
});

it('long reasons are in several notes', async () => {
  await world.stop();
  const offer = Array.from({ length: 250 }, () => 'task.overdue');
  world = await startSlackWorld({ offer });
  const { replies } = await world.type('subscribe person.* invoice.*');
  await world.press(findButton(replies[0], 'Ask an admin'));
  const reasons = reasonsIn(posted('DUADMIN')).filter((text: unknown) => typeof text === 'string');
  expect(reasons.join(' ')).toContain('task.overdue may be subscribed to freely, not person.*, invoice.*. ');
  for (const text of reasons) expect(text.length).toBeLessThan(3000);
});

it('a short query is in one line', () => {
  const text = '<@U1> asks for `task.*`.';
  const { blocks, ...rest } = sayQuery('<@U1> asks for ', 'task.*', '.');
  expect(rest).toEqual({ text });
  expect(blocks).toMatchObject([{ type: 'section', text: { text }, expand: true }]);
});

describe('a character that people do not see, or take for another one', () => {
  const LRM = '\u200e';
  const QUERY = `task.* -project:"B\u043eard${LRM}"`;
  const SHOWN = 'task.* -project:"B⟨U+043E⟩ard⟨U+200E⟩"';

  it.each([
    ['a left-to-right mark', `Board${LRM}`, 'Board⟨U+200E⟩'],
    ['a byte order mark', 'Board\ufeff', 'Board⟨U+FEFF⟩'],
    ['a zero-width space', 'Board\u200b', 'Board⟨U+200B⟩'],
    ['a no-break space', 'Board\u00a0room', 'Board⟨U+00A0⟩room'],
    ['two spaces', 'Board  room', 'Board ⟨U+0020⟩room'],
    ['a backtick', 'Board`s', 'Board⟨U+0060⟩s'],
    ['a non-breaking hyphen', 'Re\u2011organisation', 'Re⟨U+2011⟩organisation'],
    ['a Cyrillic letter', 'B\u043eard room', 'B⟨U+043E⟩ard room'],
  ])('is shown to the admin: %s', async (_, project, shown) => {
    world.slack.guests.add('UGUEST');
    const { replies } = await world.type(`subscribe task.* -project:"${project}"`, { user: 'UGUEST' });
    await world.press(findButton(replies[0], 'Ask an admin'), { user: 'UGUEST' });
    const request = posted('DUADMIN');
    expect(request?.blocks[0].text.text).toContain(`\`task.* -project:"${shown}"\``);
    expect(request?.text).toContain(shown);
    expect(reasonsIn(request)[0]).toContain('stands for a character that cannot be seen');
    await world.press(findButton(request, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    const [made] = await world.embedded.subscriptions.list();
    expect(made?.where).toEqual({
      data: { record: { project: [{ 'none-of': [{ 'equals-ignore-case': project }] }] } },
    });
  });

  it('is shown to the channel, in its list and on the home', async () => {
    const { replies } = await world.type(`subscribe ${QUERY}`);
    expect(shownIn(replies[0])).toContain(SHOWN);
    await world.press(findButton(replies[0], 'Subscribe'));
    expect(shownIn(posted('C1'))).toContain(SHOWN);
    expect(shownIn((await world.type('list')).replies[0])).toContain(SHOWN);
    const direct = { channel: 'DUANN' };
    await world.press(findButton((await world.type(`subscribe ${QUERY}`, direct)).replies[0], 'Subscribe'), direct);
    await world.openHome('UANN');
    expect(shownIn(world.slack.callsOf('views.publish').at(-1)?.view)).toContain(SHOWN);
  });

  const TOO_MANY = `task.* title:"${'\u200b'.repeat(1900)}"`;

  it('is refused if there are so many that no message can show them', async () => {
    const { ack } = await world.type(`subscribe ${TOO_MANY}`);
    expect(ack.json.text).toContain('expected a shorter query: it has so many special characters');
    const inputs = { events: { selected_options: [{ value: 'task.*' }] }, conditions: { value: TOO_MANY.slice(7) } };
    const form = await world.submit(SUBSCRIBE_FORM, inputs);
    expect(form.ack.json.errors.events).toContain('expected a shorter query');
  });
});

it('two queries that differ in the space where a long text is divided are not shown alike', () => {
  const shown = (end: string) => JSON.stringify(sayQuery('', `title:"a ${'x'.repeat(2760)}${end}"`, '').blocks);
  const divided = Array.from({ length: 60 }, (_, n) => [shown(`${'y'.repeat(n)} z`), shown(`${'y'.repeat(n)}z`)]);
  for (const [spaced, joined] of divided) expect(spaced).not.toBe(joined);
});
