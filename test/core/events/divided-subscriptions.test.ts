/** Who is served when, and that a change of one subscription derives little again. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideSubscriptions } from '../../../core/events/divided-subscriptions.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { later } from '../../contract/opened-stores.ts';
import { event, NOON, subscription } from '../../samples.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const COSTLY = { data: { record: { title: Array.from({ length: 199 }, (_, number) => ({ prefix: `${number}` })) } } };

const ofOwner = (owner: string, count: number, rest: Partial<Subscription> = {}) =>
  Array.from({ length: count }, (_, number) => subscription(`${owner}-${number}`, { owner, ...rest }));

const sorted = (...lists: readonly (readonly Subscription[])[]) =>
  lists.flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));

const groupsOf = (list: readonly Subscription[]) => divideSubscriptions(list).late.groups.map((group) => [...group]);

describe('divideSubscriptions', () => {
  it('serves keys with some subscriptions after others, and then each that has many or costly ones', () => {
    const list = sorted(
      [subscription('ops')],
      ofOwner('few', 5),
      ofOwner('some', 6),
      ofOwner('more', 20),
      ofOwner('many', 30),
      ofOwner('fewer', 21),
      ofOwner('costly', 12, { where: COSTLY }),
    );
    expect(groupsOf(list)).toEqual([['more', 'some'], ['costly'], ['fewer'], ['many']]);
  });

  it('finds the owners with costly filters, of those that have not expired', () => {
    const list = sorted(ofOwner('a', 12, { where: COSTLY }), ofOwner('b', 12, { where: COSTLY, expiresAt: later(1) }));
    const { findCostly } = divideSubscriptions(list);
    expect([...findCostly(NOON)]).toEqual(['a', 'b']);
    expect([...findCostly(later(2))]).toEqual(['a']);
    expect(findCostly(later(3))).toBe(findCostly(later(4)));
  });

  it('finds those with the most comparisons, if those of all owners together take long', () => {
    const owners = ['a', 'b', 'c', 'd', 'e', 'f'];
    const list = sorted(
      ofOwner('few', 1, { where: COSTLY }),
      ...owners.map((owner) => ofOwner(owner, 5, { where: COSTLY })),
    );
    expect([...divideSubscriptions(list).findCostly(NOON)]).toEqual(['d', 'e', 'f']);
  });

  it('finds for each event type whom a division by hand finds, however often the list changes', () => {
    const owner = fc.constantFrom(undefined, 'a', 'b', 'c');
    const events = fc.subarray(['task.*', '*', 'task.closed', 'invoice.paid', 'project.*'], { minLength: 1 });
    const change = fc.record({ name: fc.constantFrom(...'abcdefghij'), owner, events, isRemoved: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let list: readonly Subscription[] = [];
        for (const { name, owner, events, isRemoved } of changes) {
          const others = list.filter((one) => one.name !== name);
          list = isRemoved ? others : sorted(others, [subscription(name, { owner, events })]);
          const divided = divideSubscriptions(list);
          const wants = (one: Subscription, type: string) =>
            one.events.some((glob) => glob === '*' || glob === type || (glob === 'task.*' && type.startsWith('task.')));
          for (const type of ['task.closed', 'invoice.paid', 'client.created']) {
            const wanting = list.filter((one) => wants(one, type));
            const isOf = ({ owner }: Subscription) => owner === 'a' || owner === 'b';
            const both = new Set(['a', 'b']);
            expect(divided.all.wanting(type)).toEqual(wanting);
            expect(divided.only(both).wanting(type)).toEqual(wanting.filter(isOf));
            expect(divided.except(both).wanting(type)).toEqual(wanting.filter((one) => !isOf(one)));
            expect(divided.of('c').wanting(type)).toEqual(wanting.filter(({ owner }) => owner === 'c'));
          }
          for (const { name, owner } of list) expect(divided.ownerOf(name)).toBe(owner);
        }
      }),
    );
  });

  it('is the same for the same list, and keeps the owners who are late', () => {
    const list = sorted([subscription('ops')], ofOwner('a', 30), ofOwner('b', 7), ofOwner('c', 2));
    const divided = divideSubscriptions(list);
    expect(divideSubscriptions([...list])).toBe(divided);
    const changed = divideSubscriptions(list.with(0, subscription('a-0', { owner: 'a', events: ['task.closed'] })));
    expect(changed.late).toBe(divided.late);
    expect(changed.of('b')).toBe(divided.of('b'));
    const grown = divideSubscriptions(sorted(list, ofOwner('c', 40).slice(2)));
    expect(grown.late.groups.map((group) => [...group])).toEqual([['b'], ['a'], ['c']]);
  });

  it('does not keep the versions before', async () => {
    const match = async (list: readonly Subscription[]) => {
      const { late, except, only } = divideSubscriptions(list);
      for (const lists of [except(late.all), ...late.groups.map(only)]) await lists.match(event('1'), async () => {});
    };
    const make = (number: number) =>
      sorted([subscription('ops', { concurrency: number })], ofOwner('a', 30), ofOwner('b', 7), ofOwner('c', 2));
    const versions: WeakRef<object>[] = [];
    for (let number = 1; number <= 20; number++) {
      const list = make(number);
      versions.push(new WeakRef(list));
      await match(list);
    }
    await nextTurn();
    collectGarbage();
    await nextTurn();
    // The last one, and perhaps one that the engine holds.
    expect(versions.filter((version) => version.deref() !== undefined).length).toBeLessThanOrEqual(2);
  });
});
