/** What the app says will come is what comes: the same forecast as `tidings preview`, digests included. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDelivery } from '../../../core/model/delivery.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { listAhead } from '../../../manage/slack/messages-ahead.ts';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({
    config: { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' } },
  });
});
afterEach(async () => world.stop());

const HOUR = 3_600_000;

/** Stores tasks that are due on a day. */
async function storeTasks(count: number, datedue: string, from = 1) {
  const commits = Array.from({ length: count }, (_, n) => {
    const id = String(from + n);
    const record = { id, title: `Task ${id}`, datedue, dateclosed: null, project: 'Website' };
    const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
    // The start of the day after the due date, in Berlin.
    const nextMoment = stage.overdue === true ? null : `${datedue}T23:00:00.000Z`;
    return { snapshot: snapshot(id, { record, stage, nextMoment }), expected: 0 };
  });
  await world.embedded.snapshots.commit(commits);
}

async function subscribe(query: string) {
  const asked = await world.type(`subscribe ${query}`);
  const confirmed = await world.press(findButton(asked.replies[0], 'Subscribe'));
  return { asked: textIn(asked.replies), confirmed: textIn(confirmed.replies) };
}

const posts = () => world.slack.callsOf('chat.postMessage');

describe('a digest of what is open', () => {
  it('is announced with its time and its number before and after subscribing, and comes so', async () => {
    await storeTasks(40, '2026-11-10');
    const { asked, confirmed } = await subscribe('task.overdue daily 08:30');
    expect(asked).toContain('tomorrow 08:30: 40 tasks overdue');
    expect(confirmed).toContain('The first message comes tomorrow 08:30: 40 tasks overdue.');
    const preview = textIn((await world.type('preview')).replies);
    expect(preview).toContain('tomorrow 08:30: 40 tasks overdue');
    expect(preview).toContain('Times of Europe/Berlin');
    expect(preview).not.toContain('00:00');
    const before = posts().length;
    world.advance(19.6 * HOUR);
    await world.pump();
    expect(posts().slice(before)).toMatchObject([{ text: expect.stringContaining('40 tasks overdue') }]);
  });

  it('counts what becomes overdue by its time', async () => {
    await storeTasks(3, '2026-11-10');
    await storeTasks(2, '2026-11-14', 10);
    await storeTasks(4, '2026-11-15', 20);
    expect((await subscribe('task.overdue daily 08:30')).confirmed).toContain('tomorrow 08:30: 5 tasks overdue');
  });

  it('is said to be held while the channel is paused', async () => {
    await storeTasks(2, '2026-11-10');
    await subscribe('task.overdue daily 08:30');
    await world.type('pause');
    expect(textIn((await world.type('preview')).replies)).toContain(
      'tomorrow 08:30: 2 tasks overdue (held: the subscription is paused)',
    );
  });

  it('says when the next one is due if there is nothing to list', async () => {
    const { confirmed } = await subscribe('task.overdue weekly mon 09:00');
    expect(confirmed).toContain('The next digest is due Mon 16 Nov 09:00: nothing is to be listed so far');
    expect(textIn((await world.type('preview')).replies)).toContain('The next digest is due Mon 16 Nov 09:00');
  });

  it('comes as announced to a subscription that is made again after the digest of the day', async () => {
    await storeTasks(3, '2026-11-10');
    expect((await subscribe('task.overdue daily 13:30')).confirmed).toContain('today 13:30: 3 tasks overdue');
    world.advance(HOUR / 2);
    await world.pump();
    const [first] = await world.embedded.subscriptions.list();
    await world.type(`unsubscribe ${first?.name}`);
    world.advance(HOUR / 2);
    expect(await world.embedded.subscriptions.list()).toEqual([]);
    const { asked, confirmed } = await subscribe('task.overdue daily 17:00');
    const [again] = await world.embedded.subscriptions.list();
    expect(again?.name).toBe(first?.name);
    expect(asked).toContain('today 17:00: 3 tasks overdue');
    expect(confirmed).toContain('today 17:00: 3 tasks overdue');
    expect(textIn((await world.type('preview')).replies)).toContain('today 17:00: 3 tasks overdue');
    const before = posts().length;
    world.advance(3 * HOUR);
    await world.pump();
    expect(posts().slice(before)).toMatchObject([{ text: expect.stringContaining('3 tasks overdue') }]);
  });

  it('is announced for tomorrow after its time was changed on a day that has had one, and what is new for today', async () => {
    await storeTasks(3, '2026-11-10');
    await storeTasks(1, '2026-11-14', 10);
    await subscribe('task.overdue task.closed daily 13:30');
    world.advance(HOUR / 2);
    await world.pump();
    const [stored] = await world.embedded.subscriptions.list();
    if (stored === undefined) throw new Error('no subscription');
    const changed = { ...stored, digest: { at: '17:00' } };
    await world.embedded.subscriptions.save(changed);
    const ahead = await listAhead(world.ports, [changed], 32 * HOUR);
    expect(ahead.map(({ at, count }) => [at, count])).toEqual([['2026-11-15T16:00:00.000Z', 4]]);
    const closed = event('1', { time: world.clock.now() });
    const delivery = openDelivery(closed, stored.name, world.clock.now(), '2026-11-14T16:00:00.000Z');
    await world.embedded.events.record([{ event: closed, deliveries: [delivery] }]);
    const preview = textIn((await world.type('preview')).replies);
    expect(preview).toContain('today 17:00');
    expect(preview).not.toContain('overdue');
    const before = posts().length;
    world.advance(3.5 * HOUR);
    await world.pump();
    expect(posts().slice(before)).toHaveLength(1);
    expect(posts().at(-1)?.text).not.toContain('overdue');
  });
});

describe('other messages', () => {
  it('come at the start of the day, as the preview says', async () => {
    await storeTasks(3, '2026-11-14');
    expect((await subscribe('task.overdue')).confirmed).toContain(
      'The first message comes with the next event, or tomorrow 08:00: 3 tasks overdue.',
    );
    expect(textIn((await world.type('preview')).replies)).toContain('tomorrow 08:00: 3 tasks overdue');
  });

  it('that wait already are part of it', async () => {
    await subscribe('task.closed daily 17:00');
    for (const id of ['1', '2']) {
      const one = event(id, { time: world.clock.now() });
      const delivery = openDelivery(one, 'website', world.clock.now(), '2026-11-14T16:00:00.000Z');
      await world.embedded.events.record([{ event: one, deliveries: [delivery] }]);
    }
    expect(textIn((await world.type('preview')).replies)).toContain('today 17:00: 2 tasks closed');
  });

  it('have no forecast without records', async () => {
    expect((await subscribe('task.overdue')).confirmed).toContain('The first message comes with the next event.');
  });
});
