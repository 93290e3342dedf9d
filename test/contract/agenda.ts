/** The contract of Agenda. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { delivery, event, NOON } from '../samples.ts';
import { attempted, later, type OpenStores, openForEach } from './opened-stores.ts';

export function agendaContract(name: string, open: OpenStores): void {
  describe(`Agenda: ${name}`, () => {
    const opened = openForEach(open);

    it('returns due attempts ordered by time, with their number', async () => {
      const { stores } = opened;
      const [a, b, c] = [
        delivery('1', 'ops', { dueAt: later(3) }),
        delivery('2', 'ops', { dueAt: later(1) }),
        delivery('3', 'ops', { dueAt: later(9) }),
      ];
      await stores.events.record(
        [a, b, c].map((opening, n) => ({ event: event(String(n + 1)), deliveries: [opening] })),
      );
      await stores.deliveries.saveAttempt(attempted(a, { dueAt: later(2) }));
      expect(await stores.agenda.due(later(5), 10)).toEqual([
        { kind: 'attempt', at: later(1), delivery: b.id, subscription: 'ops', attempt: 1 },
        { kind: 'attempt', at: later(2), delivery: a.id, subscription: 'ops', attempt: 2 },
      ]);
      expect(await stores.agenda.due(later(5), 1)).toHaveLength(1);
      expect(await stores.agenda.due(NOON, 10)).toEqual([]);
    });

    it('does not contain finished deliveries', async () => {
      const { stores } = opened;
      const opening = delivery('1', 'ops', { dueAt: NOON });
      await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
      await stores.deliveries.saveAttempt(attempted(opening, { status: 'failed', dueAt: null }));
      expect(await stores.agenda.due(later(9), 10)).toEqual([]);
    });

    it('postpones an attempt only if its due time has not changed', async () => {
      const { stores } = opened;
      const opening = delivery('1', 'ops', { dueAt: NOON });
      await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
      const [moment] = await stores.agenda.due(NOON, 1);
      if (moment === undefined) throw new Error('nothing was due');
      expect(await stores.agenda.postpone(moment, later(2))).toBe(true);
      expect(await stores.agenda.postpone(moment, later(7))).toBe(false);
      expect((await stores.deliveries.get(opening.id))?.dueAt).toBe(later(2));
      expect((await stores.agenda.due(later(2), 1)).map(({ at }) => at)).toEqual([later(2)]);
    });
  });
}
