/** What `finishJob` promises where deliveries and queue share one database: the outcome and the acknowledgement in one write. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storedId } from '../../adapters/stored-job.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { Queue, ReceivedJob } from '../../core/ports/queue.ts';
import { delivery, event, NOON } from '../samples.ts';

export interface OpenedQueue {
  readonly stores: DatabaseStores;
  readonly queue: Queue;
  readonly finishJob: (delivery: Delivery, received: ReceivedJob) => Promise<boolean>;
  /** From now on no job can be taken off the queue. */
  readonly jam: () => void;
  readonly close: () => Promise<void>;
}

export function finishJobContract(name: string, open: () => Promise<OpenedQueue>): void {
  describe(`finishJob: ${name}`, () => {
    let opened: OpenedQueue;
    let opening: Delivery;
    beforeEach(async () => {
      opened = await open();
      opening = delivery('1', 'ops');
      await opened.stores.events.record([{ event: event('1'), deliveries: [opening] }]);
      await opened.queue.send([{ kind: 'attempt', delivery: opening.id, attempt: 1, group: 'ops' }], NOON);
    });
    afterEach(async () => opened.close());

    const receive = async (now = NOON): Promise<ReceivedJob | undefined> => {
      const [received] = await opened.queue.receive({ limit: 1, visibility: MINUTE }, now);
      return received;
    };
    const settled = (): Delivery => ({
      ...opening,
      status: 'settled',
      settledAt: NOON,
      dueAt: null,
      attempts: [{ number: 1, at: NOON, ms: 3, outcome: 'accepted', status: 204, body: '' }],
    });
    const finish = (received: ReceivedJob | undefined, after = settled()) => {
      if (received === undefined) throw new Error('nothing to finish');
      return opened.finishJob(after, received);
    };
    const comesBack = async () => (await receive(plus(NOON, 2 * MINUTE))) !== undefined;

    it('records the attempt and takes its job off the queue', async () => {
      expect(await finish(await receive())).toBe(true);
      expect(await opened.stores.deliveries.get(opening.id)).toEqual(settled());
      expect(await comesBack()).toBe(false);
    });

    it('writes nothing when that attempt was recorded before, and leaves the job to be acknowledged', async () => {
      const received = await receive();
      await opened.stores.deliveries.saveAttempt(settled());
      expect(await finish(received, { ...settled(), status: 'failed' })).toBe(false);
      expect(await opened.stores.deliveries.get(opening.id)).toEqual(settled());
      expect(await comesBack()).toBe(true);
    });

    it('leaves a job that another worker has now, though the attempt counts', async () => {
      const first = await receive();
      const second = await receive(plus(NOON, 2 * MINUTE));
      expect(second?.receives).toBe(2);
      expect(await finish(first)).toBe(true);
      expect((await receive(plus(NOON, 4 * MINUTE)))?.receives).toBe(3);
    });

    it('does both or neither', async () => {
      const received = await receive();
      opened.jam();
      await expect(finish(received)).rejects.toThrow();
      expect(await opened.stores.deliveries.get(opening.id)).toEqual(opening);
      expect(await comesBack()).toBe(true);
    });

    it('finishes many at once, each for itself', async () => {
      const others = ['2', '3', '4'].map((id) => delivery(id, 'ops'));
      await opened.stores.events.record(
        others.map((one, index) => ({ event: event(String(index + 2)), deliveries: [one] })),
      );
      await opened.queue.send(
        others.map(({ id }) => ({ kind: 'attempt', delivery: id, attempt: 1, group: 'ops' })),
        NOON,
      );
      const received = await opened.queue.receive({ limit: 9, visibility: MINUTE }, NOON);
      const after = (job: ReceivedJob) => ({ ...settled(), id: storedId(job.job) });
      // One of them is no delivery that is known.
      const all = received.map((job, index) =>
        finish(job, index === 1 ? { ...after(job), id: 'dlv_none' } : after(job)),
      );
      expect(await Promise.all(all)).toEqual([true, false, true, true]);
      expect(await opened.queue.receive({ limit: 9, visibility: MINUTE }, plus(NOON, 2 * MINUTE))).toHaveLength(1);
    });
  });
}
