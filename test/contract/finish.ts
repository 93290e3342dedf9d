/** What a Ledger promises besides when it lives in one store with its Queue. An adapter's test opens both and runs this. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../core/model/delivery.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Queue, ReceivedJob } from '../../core/ports/queue.ts';
import { delivery, event, NOON } from '../samples.ts';

export interface OpenBoth {
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** From now on no job can be taken off the queue. */
  readonly jam: () => void;
  readonly close: () => Promise<void>;
}

export function finishContract(name: string, open: () => Promise<OpenBoth>): void {
  describe(`Ledger and Queue in one: ${name}`, () => {
    let opened: OpenBoth;
    let opening: Delivery;
    beforeEach(async () => {
      opened = await open();
      opening = delivery('1', 'ops');
      await opened.ledger.record([{ event: event('1'), deliveries: [opening] }]);
      await opened.queue.send([{ delivery: opening.id, attempt: 1, group: 'ops' }], NOON);
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
      if (received === undefined || opened.ledger.finish === undefined) throw new Error('nothing to finish');
      return opened.ledger.finish(after, received);
    };
    const comesBack = async () => (await receive(plus(NOON, 2 * MINUTE))) !== undefined;

    it('records the attempt and takes its job off the queue', async () => {
      expect(await finish(await receive())).toBe(true);
      expect(await opened.ledger.delivery(opening.id)).toEqual(settled());
      expect(await comesBack()).toBe(false);
    });

    it('writes nothing when that attempt was recorded before, and leaves the job to be acknowledged', async () => {
      const received = await receive();
      await opened.ledger.saveAttempt(settled());
      expect(await finish(received, { ...settled(), status: 'failed' })).toBe(false);
      expect(await opened.ledger.delivery(opening.id)).toEqual(settled());
      expect(await comesBack()).toBe(true);
    });

    it('leaves a job that somebody else has now, though the attempt counts', async () => {
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
      expect(await opened.ledger.delivery(opening.id)).toEqual(opening);
      expect(await comesBack()).toBe(true);
    });

    it('finishes many at once, each for itself', async () => {
      const others = ['2', '3', '4'].map((id) => delivery(id, 'ops'));
      await opened.ledger.record(others.map((one, index) => ({ event: event(String(index + 2)), deliveries: [one] })));
      await opened.queue.send(
        others.map(({ id }) => ({ delivery: id, attempt: 1, group: 'ops' })),
        NOON,
      );
      const received = await opened.queue.receive({ limit: 9, visibility: MINUTE }, NOON);
      const after = (job: ReceivedJob) => ({ ...settled(), id: job.job.delivery });
      // One of them is no delivery that is known.
      const all = received.map((job, index) =>
        finish(job, index === 1 ? { ...after(job), id: 'dlv_none' } : after(job)),
      );
      expect(await Promise.all(all)).toEqual([true, false, true, true]);
      expect(await opened.queue.receive({ limit: 9, visibility: MINUTE }, plus(NOON, 2 * MINUTE))).toHaveLength(1);
    });
  });
}
