/** What requests of a key keep in memory: all requests share one thread, which ends when its memory is full. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let world: ApiWorld;

afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const EVENTS = 3000;

/** Notes the events that are read, and how many of them are in memory at most when more are read or recorded. */
async function startWithNotes() {
  const read: WeakRef<TidingsEvent>[] = [];
  const notes = { inMemory: 0 };
  const note = async (events: readonly TidingsEvent[]) => {
    read.push(...events.map((event) => new WeakRef(event)));
    await nextEventLoopTurn();
  };
  const count = async () => {
    // A reference that was made or read in this turn keeps its event.
    await nextEventLoopTurn();
    collectGarbage();
    notes.inMemory = Math.max(notes.inMemory, read.filter((one) => one.deref() !== undefined).length);
    await nextEventLoopTurn();
  };
  world = await startApiWorld({
    wrap: (api) => ({
      ...api,
      events: {
        ...api.events,
        async list(query) {
          await count();
          const page = await api.events.list(query);
          await note(page.events);
          return page;
        },
        async getMany(ids) {
          await count();
          const events = await api.events.getMany(ids);
          await note(events);
          return events;
        },
      },
    }),
  });
  await world.api.events.record(
    Array.from({ length: EVENTS }, (_, index) => ({ event: taskEvent(`evt_${index}`), deliveries: [] })),
  );
  return notes;
}

describe('a replay', () => {
  it('has few of its events in memory at a time, however many match', async () => {
    const notes = await startWithNotes();
    const { token } = await world.makeKey(['subscribe']);
    const made = { name: 'own', url: world.receiver.url, events: ['task.closed'] };
    await world.ask('POST', '/subscriptions', made, { key: token });
    const replay = (body: object) => world.ask('POST', '/subscriptions/own/replay', body, { key: token });
    expect((await replay({ since: '30d', dryRun: true })).body).toMatchObject({ count: EVENTS, messages: EVENTS });
    expect((await replay({ since: '30d' })).body).toMatchObject({ count: EVENTS, messages: EVENTS });
    expect(notes.inMemory).toBeLessThanOrEqual(1000);
  });
});
