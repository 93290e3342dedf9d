import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../core/events/derive.ts';
import { MINUTE } from '../../../core/model/time.ts';
import { digestChange } from '../../../core/snapshot/digest-change.ts';
import { snapshot } from '../../samples.ts';
import { baselined, recordedEvents } from '../source/poll-world.ts';

const state = (overdue: boolean) => ({ stage: { closed: false, overdue }, deletedAt: null });

describe('digestChange', () => {
  it('does not depend on the order of fields, or on when the change was noticed', () => {
    const changes = [
      { field: 'title', from: 'A', to: 'B' },
      { field: 'extra', from: { a: 1, b: 2 }, to: null },
    ];
    const reordered = [{ field: 'extra', from: { b: 2, a: 1 }, to: null }, ...changes.slice(0, 1)];
    const restored = { stage: { overdue: false, closed: false }, deletedAt: null };
    expect(digestChange(restored, state(true), reordered)).toBe(digestChange(state(false), state(true), changes));
  });

  it('does not depend on the day on which logged hours were found', () => {
    const hours = [{ field: 'actual', from: 1, to: 3 }];
    const found = (activeDay: number) => ({ ...state(false), stage: { ...state(false).stage, activeDay } });
    expect(digestChange(state(false), found(20_771), hours)).toBe(digestChange(state(false), found(20_773), hours));
    expect(digestChange(found(20_700), found(20_771), hours)).toBe(digestChange(state(false), state(false), hours));
  });

  it('differs for another value, another stage and a deletion', () => {
    const change = (to: string) => [{ field: 'title', from: 'A', to }];
    const digests = [
      digestChange(state(false), state(false), change('B')),
      digestChange(state(false), state(false), change('C')),
      digestChange(state(false), state(true), change('B')),
      digestChange(state(false), { ...state(false), deletedAt: '2026-11-14T12:00:00.000Z' }, change('B')),
      digestChange(null, state(false), []),
      digestChange(state(false), state(false), []),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('event ids', () => {
  it('stay as they were for snapshots without a digest', () => {
    const hash = createHash('sha256').update(JSON.stringify(['main', 'task', '1', 2, 'task.closed']));
    const stored = snapshot('1', { version: 2 });
    expect(eventId(stored, 'task.closed')).toBe(`evt_${hash.digest('hex').slice(0, 32)}`);
    expect(eventId({ ...stored, digest: 'x' }, 'task.closed')).not.toBe(eventId(stored, 'task.closed'));
  });

  it('leave out what a restore added to the version, except of a change that was made after it', () => {
    const restoredAt = '2026-11-14T12:00:00.000Z';
    const before = snapshot('1', { version: 2, digest: 'x' });
    const after = (at: string | null) =>
      snapshot('1', {
        ...{ version: 1002, versionOffset: 1000, restoredAt, digest: 'x' },
        occurred: { after: at, before: '2026-11-14T13:00:00.000Z' },
      });
    const id = eventId(before, 'task.closed');
    expect(eventId(after('2026-11-14T11:59:00.000Z'), 'task.closed')).toBe(id);
    expect(eventId(after(null), 'task.closed')).toBe(id);
    expect(eventId(after(restoredAt), 'task.closed')).not.toBe(id);
  });

  it('differ when a restored backup gives the same version to another change, and not for the same change', async () => {
    const histories = ['First', 'Second', 'First'].map(async (title, index) => {
      const world = await baselined(3);
      world.clock.advance((index + 1) * MINUTE);
      world.api.put('2', { title });
      world.clock.advance(10 * MINUTE);
      await world.run();
      const [event] = (await recordedEvents(world)).filter(({ type }) => type === 'task.updated');
      return { id: event?.id, version: event?.data.version };
    });
    const [first, second, again] = await Promise.all(histories);
    expect(first?.version).toBe(second?.version);
    expect(first?.id).not.toBe(second?.id);
    expect(again).toEqual(first);
  });
});
