/** The names that the app gives: they tell nobody which names others have. */

import { afterEach, expect, it } from 'vitest';
import { hashedEnding } from '../../../manage/slack/name-ending.ts';
import { subscription } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld } from './slack-world.ts';

let world: SlackWorld;
afterEach(async () => world.stop());

/** Makes a subscription of the channel website, where others have these names. */
async function makeBeside(...taken: readonly string[]): Promise<string> {
  world = await startSlackWorld({ nameEnding: hashedEnding });
  for (const name of taken) await world.embedded.subscriptions.add(subscription(name, { declared: false }));
  const { replies } = await world.type('subscribe task.overdue');
  await world.press(findButton(replies[0], 'Subscribe'));
  const own = (await world.embedded.subscriptions.list()).filter(({ madeBy }) => madeBy?.id === 'UANN');
  expect(own).toHaveLength(1);
  return own[0]?.name ?? '';
}

it('have the same form whether the name of the channel, or the whole name, is taken or free', async () => {
  const free = await makeBeside();
  expect(free).toMatch(/^website-[bcdfghjkmnpqrstvwxz2-9]{4}$/);
  await world.stop();
  const besideWebsite = await makeBeside('website', 'website-2');
  expect(besideWebsite).toBe(free);
  await world.stop();
  const besideFree = await makeBeside(free);
  expect(besideFree).toMatch(/^website-[bcdfghjkmnpqrstvwxz2-9]{4}$/);
  expect(besideFree).not.toBe(free);
});
