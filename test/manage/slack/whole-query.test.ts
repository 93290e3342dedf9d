/** A query of up to 2,000 characters is shown as a whole to those who decide about it, and to the channel that gets it. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { sayQuery } from '../../../manage/slack/blocks.ts';
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
