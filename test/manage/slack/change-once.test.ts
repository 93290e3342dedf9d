/** Buttons that change a task, pressed by several people at the same moment, refused, or interrupted at any write. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceClient } from '../../../adapters/sources/definition.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import { MINUTE, SECOND } from '../../../core/model/time.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import { pollCycle } from '../../../runtime/poll-cycle.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { event, NOON, subscription } from '../../samples.ts';
import { dyingPorts } from './killed-world.ts';
import { connectPerson } from './linked-world.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let account: Simulator;
let world: SlackWorld;
/** The calls of the API that changed a task. */
let writes: number;
beforeEach(async () => {
  account = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
  const source = { baseUrl: account.url, token: '${TOKEN}', timeZone: 'UTC', quota: { perMinute: 1_000_000 } };
  world = await startSlackWorld({ config: { source }, token: account.tokens.Administrator[0] });
  for (const one of world.embedded.config.sources) await pollCycle(world.embedded, one, {}, {});
  for (const [name, channel] of [
    ['website', 'C1'],
    ['finance', 'C2'],
  ] as const)
    await world.embedded.subscriptions.add(
      subscription(name, {
        to: { channel: 'slack', settings: { channel } },
        declared: false,
        owner: `slack:${channel}`,
      }),
    );
  await world.record(event('e', { id: 'evt_e', subject: 'task/1', time: world.clock.now() }));
  for (const user of ['UANN', 'UBEN'])
    expect(await connectPerson(world, tokenOf(user), { user })).toContain('Connected as');
  account.account.update('task', 1, { statusid: '1', datedue: '2027-01-01', assigneeid: '' });
  writes = 0;
  onApi((api) => ({
    ...api,
    update: async (...given) => {
      writes += 1;
      return api.update?.(...given) ?? {};
    },
  }));
});
afterEach(async () => {
  await world.stop();
  await account.stop();
});

const tokenOf = (user: string) => (user === 'UANN' ? account.tokens.Administrator : account.tokens.Manager)[0] ?? '';

function onApi(change: (api: SourceClient) => SourceClient) {
  const { openSourceAs } = world.ports;
  Object.assign(world.ports, {
    openSourceAs: async (...given: Parameters<typeof openSourceAs>) => change(await openSourceAs(...given)),
  });
}

const button = (action: string, name = 'website') => ({
  action_id: `tidings:${action}`,
  block_id: `tidings:evt_e:${name}`,
  ...(action === 'due' ? { selected_date: '2027-03-01' } : { value: action }),
});
const send = (action: string, user: string, { channel = 'C1', trigger = `${user}-${action}` } = {}) =>
  world.send(
    world.actionBody(button(action, channel === 'C1' ? 'website' : 'finance'), { user, channel, ts: '1.1', trigger }),
  );
const press = async (action: string, user: string) =>
  textIn((await world.press(button(action), { user, ts: '1.1' })).replies);
const lines = () => world.slack.callsOf('chat.postMessage').map(({ text }) => text);
const told = (trigger: string) => textIn(world.slack.responses.filter(({ to }) => to === `press-${trigger}`));
const taskNow = () => [...account.account.list('task', {})].find(({ id }) => String(id) === '1');

/** Later, until nothing is left to do. */
async function later() {
  for (let run = 0; run < 12; run++) {
    world.advance(10 * SECOND);
    await world.pump();
  }
}

describe('two people at the same moment', () => {
  /** Runs both when each has read the task as it was. */
  async function together(action: string, channel = 'C1') {
    await send(action, 'UANN');
    await send(action, 'UBEN', { channel });
    let reads = 0;
    let go = () => {};
    const bothRead = new Promise<void>((resolve) => {
      go = resolve;
    });
    onApi((api) => ({
      ...api,
      get: async (...given) => {
        const row = await api.get(...given);
        reads += 1;
        if (reads === 2) go();
        await bothRead;
        return row;
      },
    }));
    await Promise.all(['UANN', 'UBEN'].map((user) => world.runTask(taskId(`${user}-${action}`))));
  }

  it.each([
    ['close', 'C1'],
    ['due', 'C1'],
    ['close', 'C2'],
  ])('%s in C1 and %s: one writes and is named, the other one learns it', async (action, channel) => {
    await together(action, channel);
    await later();
    expect(writes).toBe(1);
    expect(lines()).toHaveLength(1);
    const [winner, other] = lines()[0]?.startsWith('<@UANN>') ? ['UANN', 'UBEN'] : ['UBEN', 'UANN'];
    const names = channel === 'C1' ? `<@${winner}> has done that already.` : 'The task is like that already';
    expect(told(`${other}-${action}`)).toContain(names);
    expect(world.errors).toEqual([]);
    const { entries } = await world.embedded.audit.page({ limit: 100 });
    expect(entries.filter(({ action: one }) => one.startsWith('record.'))).toHaveLength(1);
  });

  it('assign: each takes it, and neither loses it to the other', async () => {
    await together('assign');
    await later();
    expect(lines()).toHaveLength(2);
    const people = await Promise.all(
      ['UANN', 'UBEN'].map((user) => world.embedded.documents.get('slack-link', `${user} main`)),
    );
    expect(String(taskNow()?.assigneeid).split(',').sort()).toEqual(people.map((one) => String(one?.person)).sort());
    expect(world.errors).toEqual([]);
  });
});

it('a write that is refused leaves the button to others at once', async () => {
  let isRefused = true;
  onApi((api) => ({
    ...api,
    update: async (...given) => {
      if (isRefused) throw new GiveUp('TIDINGS_SOURCE_FORBIDDEN', 'the role does not allow this');
      return api.update?.(...given) ?? {};
    },
  }));
  expect(await press('close', 'UANN')).toContain('The API refused it');
  isRefused = false;
  await press('close', 'UBEN');
  expect(lines()).toEqual(['<@UBEN> closed this task.']);
});

describe('killed at any write', () => {
  /** Presses, and runs the press until it dies. False if it came to its end. */
  async function dieAt(count: number) {
    await send('close', 'UANN', { trigger: `dies-${count}` });
    const dying = dyingPorts(world.ports, count);
    await runSlackWork(dying.ports, taskId(`dies-${count}`)).catch(() => {});
    return dying.isDead();
  }
  const reopen = () => account.account.update('task', 1, { statusid: '1' });

  it('a repeated run names who pressed once, and writes once', async () => {
    let isKilled = true;
    for (let count = 0; isKilled; count++) {
      reopen();
      [writes] = [0];
      const before = lines().length;
      isKilled = await dieAt(count);
      world.advance(2 * MINUTE);
      await world.pump();
      expect(writes).toBe(1);
      // A line may be posted twice if the process dies at that moment.
      expect(new Set(lines().slice(before))).toEqual(new Set(['<@UANN> closed this task.']));
      expect(await press('close', 'UBEN')).toContain('<@UANN> has done that already.');
      expect(count).toBeLessThan(50);
    }
  });

  it('a press of somebody else works, or says that it is done, although the first one never runs again', async () => {
    let isKilled = true;
    for (let count = 0; isKilled; count++) {
      reopen();
      [writes] = [0];
      isKilled = await dieAt(count);
      await world.embedded.documents.remove('slack-task', taskId(`dies-${count}`));
      const before = lines().length;
      const isWritten = writes === 1;
      await send('close', 'UBEN', { trigger: `ben-${count}` });
      for (let run = 0; run < 20; run++) {
        world.advance(10 * SECOND);
        await world.pump();
      }
      // Those who pressed while the claim of the dead one held may have given up.
      await press('close', 'UBEN');
      expect(writes).toBe(1);
      expect(lines().slice(before)).toEqual(isWritten ? [] : ['<@UBEN> closed this task.']);
      world.errors.splice(0);
      expect(count).toBeLessThan(50);
    }
  });
});
