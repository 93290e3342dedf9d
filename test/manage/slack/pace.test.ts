/** Long work of the app: deliveries and requests run in between, however many commands are typed. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSharedPace } from '../../../manage/slack/shared-pace.ts';
import { event, snapshot } from '../../samples.ts';
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

it('gives all tasks together one slice between two turns of the event loop', async () => {
  const pace = createSharedPace();
  const turns = countTurns();
  const pieces = new Map<number, number>();
  const work = async () => {
    for (let piece = 0; piece < 40; piece++) {
      await pace();
      pieces.set(turns.now(), (pieces.get(turns.now()) ?? 0) + 1);
      burn(1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  turns.stop();
  const [first = 0, ...more] = pieces.values();
  // All begin at once.
  expect(first).toBeLessThan(20 + 5);
  expect(Math.max(...more)).toBeLessThanOrEqual(5);
});

it('reads the events of a week and the records of an account in slices', async () => {
  const { list } = world.ports.events;
  const turns = countTurns();
  const pages: number[] = [];
  Object.assign(world.ports, {
    events: {
      ...world.ports.events,
      list: (query: Parameters<typeof list>[0]) => {
        pages.push(turns.now());
        return list(query);
      },
    },
  });
  const time = world.clock.now();
  const events = Array.from({ length: 6000 }, (_, n) => event(`evt_${n}`, { type: 'task.updated', time }));
  await world.embedded.events.record(events.map((one) => ({ event: one, deliveries: [] })));
  const { replies } = await world.type('subscribe task.updated');
  turns.stop();
  expect(textIn(replies)).toContain('would have brought 1 message with 6000 events');
  expect(pages.length).toBeGreaterThan(11);
  // Without slices, no turn passes between the pages.
  expect(new Set(pages).size).toBeGreaterThan(6);
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
