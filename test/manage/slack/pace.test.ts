/** Long work of the app: deliveries and requests run in between, however many commands are typed. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TASK_PREFIX, taskGroup } from '../../../adapters/stored-job.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { createChangeTurns } from '../../../manage/slack/change-in-turn.ts';
import { backtestQuery, describeBacktest } from '../../../manage/slack/describe-subscription.ts';
import { createTurns } from '../../../manage/slack/take-turns.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { cpuMillis } from '../../cpu-time.ts';
import { event, snapshot, subscription } from '../../samples.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  let isCounting = true;
  const next = () => {
    turns += 1;
    if (isCounting) setImmediate(next);
  };
  setImmediate(next);
  return {
    now: () => turns,
    stop: () => {
      isCounting = false;
    },
  };
}

function burn(millis: number) {
  for (const until = performance.now() + millis; performance.now() < until; );
}

it('runs one piece of work at a time, in slices, also after one that failed', async () => {
  const inTurn = createTurns();
  const turns = countTurns();
  const order: string[] = [];
  const work = (name: string) =>
    inTurn(async (pace) => {
      order.push(`${name} begins`);
      const from = turns.now();
      for (let piece = 0; piece < 40; piece++) {
        burn(1);
        await pace();
      }
      expect(turns.now() - from).toBeGreaterThan(4);
      order.push(`${name} ends`);
      if (name === 'a') throw new Error('failed');
      return name;
    });
  const results = await Promise.allSettled(['a', 'b', 'c'].map(work));
  turns.stop();
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('runs the work of whoever has used the least time lately before that of others', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const work = (person: string) =>
    inTurn(async () => {
      burn(20);
      order.push(person);
    }, person);
  await Promise.all([work('eve'), work('eve'), work('eve'), work('ann'), work('eve'), work('ben')]);
  expect(order).toEqual(['eve', 'ann', 'ben', 'eve', 'eve', 'eve']);
});

/** Work of so many steps on a clock of its own, which says when it begins and ends. */
function createSteppedTurns() {
  let now = 0;
  const inTurn = createTurns(() => now);
  const log: string[] = [];
  let steps = 0;
  const work = (person: string, count: number, onStep: (step: number) => void = () => {}) =>
    inTurn(async (pace) => {
      log.push(`${person} begins`);
      for (let step = 1; step <= count; step++) {
        now += 5;
        steps += 1;
        onStep(step);
        await pace();
      }
      log.push(`${person} ends`);
    }, person);
  return { work, log, steps: () => steps };
}

it('interrupts long work for others who have used less, and then goes on with it', async () => {
  const { work, log, steps } = createSteppedTurns();
  const others: Promise<number>[] = [];
  const ask = (person: string) => work(person, 6).then(steps);
  const long = work('eve', 400, (step) => {
    if (step === 1) others.push(ask('ann'), ask('ben'));
  });
  await long;
  expect(log).toEqual(['eve begins', 'ann begins', 'ann ends', 'ben begins', 'ben ends', 'eve ends']);
  // Of 412 steps, in turns of eight.
  for (const ended of await Promise.all(others)) expect(ended).toBeLessThan(30);
});

it('has little work begun at a time, and of each person one piece', async () => {
  const { work, log } = createSteppedTurns();
  const people = Array.from({ length: 12 }, (_, n) => `p${n % 6}`);
  await Promise.all(people.map((person) => work(person, 50)));
  const begun: string[] = [];
  for (const [person = '', what] of log.map((line) => line.split(' '))) {
    if (what === 'begins') {
      expect(begun).not.toContain(person);
      begun.push(person);
    } else begun.splice(begun.indexOf(person), 1);
    expect(begun.length).toBeLessThanOrEqual(4);
  }
  expect(log).toHaveLength(24);
});

/** The turns in which pages of events were read. */
function watchPages() {
  const { list } = world.ports.events;
  const turns = countTurns();
  const pages: number[] = [];
  const watched = (query: Parameters<typeof list>[0]) => {
    pages.push(turns.now());
    return list(query);
  };
  Object.assign(world.ports, { events: { ...world.ports.events, list: watched } });
  return { pages, stop: turns.stop };
}

async function recordEvents(count: number) {
  const time = world.clock.now();
  const events = Array.from({ length: count }, (_, n) => event(`evt_${n}`, { type: 'task.updated', time }));
  await world.embedded.events.record(events.map((one) => ({ event: one, deliveries: [] })));
}

it('reads the events of a week and the records of an account in slices', async () => {
  await recordEvents(6000);
  const { pages, stop } = watchPages();
  const { replies } = await world.type('subscribe task.updated');
  stop();
  expect(textIn(replies)).toContain('would have brought 1 message with 6000 events');
  expect(pages.length).toBeGreaterThan(11);
  // Without slices, no turn passes between the pages.
  expect(new Set(pages).size).toBeGreaterThan(3);
});

it('searches for the events of tests in slices', async () => {
  await recordEvents(1000);
  const to = { channel: 'slack', settings: { channel: 'C1' } };
  const where = { data: { record: { title: ['Nothing has this title'] } } };
  for (let n = 0; n < 10; n++)
    await world.embedded.subscriptions.add(subscription(`s${n}`, { declared: false, owner: 'slack:C1', where, to }));
  const { pages, stop } = watchPages();
  await world.type('test');
  stop();
  expect(pages.length).toBeGreaterThanOrEqual(100);
  const byTurn = [...Map.groupBy(pages, (turn) => turn).values()].map(({ length }) => length);
  expect(Math.max(...byTurn)).toBeLessThan(60);
});

it('leaves places to deliveries while Slack answers nothing and hundreds of people wait', async () => {
  const { embedded } = world;
  const now = world.clock.now();
  const to = { channel: 'slack', settings: { channel: 'C1' } };
  await embedded.subscriptions.add(subscription('zeta', { declared: false, gather: 0, to }));
  const tasks = Array.from({ length: 400 }, (_, n) => n);
  await embedded.queue.send(
    tasks.map(
      (n) => ({ kind: 'task', task: `${TASK_PREFIX}${n}`, attempt: 1, group: taskGroup(`D${n}`, `U${n}`) }) as const,
    ),
    now,
  );
  const one = event('evt_later', { type: 'task.assigned', time: now });
  const delivery = openDelivery(one, 'zeta', now);
  await embedded.events.record([{ event: one, deliveries: [delivery] }]);
  await embedded.queue.send([{ kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'zeta' }], now);
  const answer = Promise.withResolvers<void>();
  const delivering = deliverAll(embedded, {}, { runTask: () => answer.promise });
  try {
    await vi.waitFor(() => expect(world.slack.callsOf('chat.postMessage')).toHaveLength(1), 5000);
  } finally {
    answer.resolve();
    await delivering;
  }
});

it('shows a home with many people and tasks in slices', async () => {
  world.slack.emails.set('UANN', 'ann@example.com');
  const people = Array.from({ length: 4000 }, (_, n) => {
    const record = { id: String(n), firstname: 'P', lastname: String(n), email: `p${n}@example.com`, active: true };
    return snapshot(String(n), { key: { source: 'main', resource: 'person', id: String(n) }, record, stage: {} });
  });
  await world.embedded.snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  const turns = countTurns();
  let from = 0;
  const { list } = world.ports.snapshots;
  Object.assign(world.ports, {
    snapshots: {
      ...world.ports.snapshots,
      async *list(...names: Parameters<typeof list>) {
        from = turns.now();
        yield* list(...names);
        from = turns.now() - from;
      },
    },
  });
  await world.openHome('UANN');
  turns.stop();
  expect(from).toBeGreaterThan(2);
});

it('compares the people of an account with the mentions of subscriptions in linear time, and in slices', async () => {
  const numbers = Array.from({ length: 2000 }, (_, n) => n);
  const mentions = Object.fromEntries(numbers.map((n) => [`p${n}@example.com`, `U${String(n).padStart(6, '0')}`]));
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const to = { channel: 'slack', settings: { to: 'assignees', mentions } };
    await world.embedded.subscriptions.save(subscription(name, { to, declared: false }));
  }
  const people = numbers.map((n) => {
    const record = { id: String(n), firstname: 'P', lastname: String(n), email: `p${n}@example.com`, active: true };
    return snapshot(String(n), { key: { source: 'main', resource: 'person', id: String(n) }, record, stage: {} });
  });
  await world.embedded.snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  const begun = cpuMillis();
  const { replies } = await world.type('why task/1', { user: 'U000007', channel: 'DU000007' });
  expect(textIn(replies)).toContain('Nothing about `task/1` is known');
  expect(cpuMillis() - begun).toBeLessThan(1000);
});

it('explains the newest events of a record only, however many it has and whoever asks', async () => {
  const to = { channel: 'slack', settings: { channel: 'C1' } };
  for (let n = 0; n < 5; n++)
    await world.embedded.subscriptions.add(subscription(`s${n}`, { declared: false, owner: 'slack:C1', to }));
  await world.embedded.snapshots.commit([{ snapshot: snapshot('1', { version: 61 }), expected: 0 }]);
  await world.record(
    ...Array.from({ length: 60 }, (_, n) =>
      event(`x${n}`, { type: 'task.updated', subject: 'task/1', data: { ...event('1').data, version: n + 1 } }),
    ),
  );
  const { deliveries } = world.ports;
  const explained: string[] = [];
  const listByEvent: typeof deliveries.listByEvent = (id, names) => {
    explained.push(id);
    return deliveries.listByEvent(id, names);
  };
  Object.assign(world.ports, { deliveries: { ...deliveries, listByEvent } });
  world.slack.guests.add('UGUEST');
  for (const user of ['UANN', 'UGUEST']) {
    explained.length = 0;
    const { replies } = await world.type('why task/1', { user });
    expect(textIn(replies)).toContain('task/1: 60 events');
    expect(textIn(replies)).toContain('and 52 older');
    expect(explained.toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `evt_x${n + 52}`));
  }
});

it('makes changes of a channel one at a time, in the order of the people who made them', async () => {
  const inTurn = createChangeTurns();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const change = (name: string, channel: string, second: number) =>
    inTurn(channel, `2026-11-14T12:00:0${second}.000Z`, async () => {
      order.push(`${name} begins`);
      if (name === 'a') await first.promise;
      order.push(`${name} ends`);
      if (name === 'a') throw new Error('failed');
    });
  const all = [change('a', 'C1', 1), change('c', 'C1', 3), change('b', 'C1', 2)];
  await change('other', 'C2', 4);
  first.resolve();
  const results = await Promise.allSettled(all);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(order).toEqual(
    ['a begins', 'other begins', 'other ends', 'a ends'].concat(
      ['b', 'c'].flatMap((one) => [`${one} begins`, `${one} ends`]),
    ),
  );
});

it('changes no subscription of a channel while another change of the channel runs, and answers others meanwhile', async () => {
  const to = { channel: 'slack', settings: { channel: 'C1' } };
  await world.embedded.subscriptions.add(subscription('website', { declared: false, owner: 'slack:C1', to }));
  const line = Promise.withResolvers<void>();
  world.slack.gates.set('chat.postMessage', () => line.promise);
  const { changeInTurn } = world.ports;
  let changes = 0;
  const counted: typeof changeInTurn = (...change) => {
    changes += 1;
    return changeInTurn(...change);
  };
  Object.assign(world.ports, { changeInTurn: counted });
  await world.send(world.commandBody('pause 1h', { user: 'UANN' }));
  await world.send(world.commandBody('unsubscribe website', { user: 'UBEN' }));
  await world.send(world.commandBody('list', { user: 'UEVE' }));
  const pumped = world.pump();
  try {
    await vi.waitFor(() => expect([changes, world.slack.responses.length]).toEqual([2, 1]), 10_000);
    expect(await world.embedded.subscriptions.get('website')).toBeDefined();
  } finally {
    line.resolve();
    await pumped;
  }
  expect(await world.embedded.subscriptions.get('website')).toBeUndefined();
});

it.each([
  { found: 'task.*', said: 'at least 1 message in the last 7 days. There are too many events to read all.' },
  {
    found: 'invoice.*',
    said: 'no messages with the oldest events in the last 7 days. There are too many events to read all.',
  },
])('ends the preview of very many events after a time, and says so: $found', async ({ found, said }) => {
  await recordEvents(6000);
  const { pages, stop } = watchPages();
  // Each look at the clock is a tenth of a second later.
  let now = 0;
  const tested = await backtestQuery(world.ports, { events: [found] }, 'UTC', () => {
    now += 100;
    return now;
  });
  stop();
  expect(pages.length).toBeLessThan(3);
  expect(describeBacktest(tested)).toBe(said);
});
