/** Delivers what is queued, and what becomes due, in a world of functions. */

import { MINUTE } from '../../core/model/time.ts';
import type { World } from './world.ts';

type Deliver = World['functions']['deliver'];

/** Delivers until the queue is empty. Failed jobs go back to it. */
export async function drainQueue({ queues }: Pick<World, 'queues'>, deliver: Deliver): Promise<void> {
  for (;;) {
    const records = await queues.receive();
    if (records.length === 0) return;
    const { batchItemFailures } = await deliver(records);
    await queues.settle(
      records,
      batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    );
  }
}

/** Lets tick queue what is due in the next three minutes, and delivers it. */
export async function drainDue(
  world: Pick<World, 'queues' | 'clock'>,
  { tick, deliver }: Pick<World['functions'], 'tick' | 'deliver'>,
): Promise<void> {
  for (let minutes = 0; minutes < 3; minutes++) {
    world.clock.advance(MINUTE);
    await tick();
    await drainQueue(world, deliver);
  }
}
