/** Templates of several owners in one thread: in turn, and each within its time. */

import { afterEach, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { type ThreadedTemplates, threadedTemplates } from '../../../runtime/embedded/threaded-templates.ts';
import { event, NOON, subscription } from '../../samples.ts';

/** About a millisecond: far less than the limit of one rendering. */
const COSTLY =
  '{% for i in (1..25) %}{% for j in (1..25) %}{% assign x = j | plus: 1 %}{% endfor %}{% endfor %}{{ line }}';

const limits = { subscription: 200, owner: 300 };

let templates: ThreadedTemplates;
let now = 0;

afterEach(async () => {
  await templates.close();
});

function message(name: string, owner: string | undefined, text: string): OutboundMessage {
  return {
    subscription: subscription(name, { owner, template: { body: { text } } }),
    ...{ events: [event('evt_1')], delivery: 'dlv_1', at: NOON, timeZone: 'UTC' },
  };
}

/** Sends one, and returns what the channel gets. */
async function send(one: OutboundMessage): Promise<OutboundMessage['rendered']> {
  let got: OutboundMessage['rendered'];
  const channel = templates.channelWith({
    send: async ({ rendered }) => {
      got = rendered;
      return {};
    },
  });
  await channel.send(one);
  return got;
}

describe('templates of several owners', () => {
  it('are rendered in turn: one does not wait for all of another', async () => {
    templates = threadedTemplates({});
    const order: string[] = [];
    const sendAll = (name: string, owner: string) => send(message(name, owner, COSTLY)).then(() => order.push(owner));
    const all = Array.from({ length: 12 }, (_, index) => sendAll(`many-${index}`, 'greedy'));
    await Promise.all([...all, sendAll('one', 'modest')]);
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
  });

  it('have a time for all of a key, and that of another key is its own', async () => {
    templates = threadedTemplates({}, { now: () => now, limits });
    const answers: (string | undefined)[] = [];
    // Each subscription stays below its own limit.
    for (let index = 0; index < 5000 && answers.at(-1) === undefined; index++) {
      answers.push((await send(message(`many-${index}`, 'greedy', COSTLY)))?.problem);
    }
    expect(answers.at(-1)).toBe('template: the templates of this key took more than 0.3 s within a minute');
    expect(await send(message('one', 'modest', 'ok'))).toMatchObject({ texts: {}, isSlow: false });
    expect((await send(message('one', 'modest', 'ok')))?.problem).toBeUndefined();
    now += 10 * MINUTE;
    expect((await send(message('many-1', 'greedy', 'ok')))?.problem).toBeUndefined();
  }, 120_000);

  it('count as slow once in ten minutes when they take too long together, and a good one in between changes nothing', async () => {
    templates = threadedTemplates({}, { now: () => now, limits });
    const judged: unknown[] = [];
    for (let minutes = 0; minutes < 3; minutes++) {
      let rendered: OutboundMessage['rendered'];
      for (let index = 0; index < 5000 && rendered?.problem === undefined; index++) {
        rendered = await send(message('busy', undefined, COSTLY));
      }
      judged.push(rendered?.isUnjudged === true ? 'nothing' : 'slow');
      const next = await send(message('busy', undefined, COSTLY));
      judged.push(next?.isUnjudged === true ? 'nothing' : 'slow');
      now += 11 * MINUTE;
      const later = await send(message('busy', undefined, 'ok'));
      judged.push(later?.isUnjudged === true ? 'nothing' : 'judged');
    }
    expect(judged).toEqual(['slow', 'nothing', 'nothing', 'slow', 'nothing', 'nothing', 'slow', 'nothing', 'nothing']);
    now += 20 * MINUTE + SECOND;
    expect((await send(message('busy', undefined, 'ok')))?.isUnjudged).toBeUndefined();
  }, 120_000);
});
