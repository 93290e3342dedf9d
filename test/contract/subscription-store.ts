/** The contract of SubscriptionStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { subscription } from '../samples.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

export function subscriptionStoreContract(name: string, open: OpenStores): void {
  describe(`SubscriptionStore: ${name}`, () => {
    const opened = openForEach(open);

    it('replaces the declared subscriptions, and returns the changes', async () => {
      const { stores } = opened;
      const first = await stores.subscriptions.applyDeclared([subscription('b'), subscription('a')]);
      expect(first).toEqual({ added: ['b', 'a'], changed: [], removed: [] });
      const moved = subscription('b', { events: ['task.closed'], where: { subject: [{ prefix: 'task/' }, null] } });
      expect(await stores.subscriptions.applyDeclared([moved, subscription('c')])).toEqual({
        added: ['c'],
        changed: ['b'],
        removed: ['a'],
      });
      expect(await stores.subscriptions.list()).toEqual([moved, subscription('c')]);
      expect(await stores.subscriptions.get('b')).toEqual(moved);
      expect(await stores.subscriptions.get('a')).toBeUndefined();
      expect(await stores.subscriptions.applyDeclared([moved, subscription('c')])).toEqual({
        added: [],
        changed: [],
        removed: [],
      });
    });

    it('lists those whose names begin alike', async () => {
      const { subscriptions } = opened.stores;
      for (const one of ['ops-2', 'ops', 'ops-1', 'opt-1', 'o']) await subscriptions.save(subscription(one));
      expect((await subscriptions.listNamed('ops-')).map(({ name }) => name)).toEqual(['ops-1', 'ops-2']);
      expect(await subscriptions.listNamed('ops-1')).toEqual([subscription('ops-1')]);
      expect(await subscriptions.listNamed('none')).toEqual([]);
    });

    describe('a subscription that is changed', () => {
      const rotation = { secret: 'ssm:/new', replaces: 'ssm:/old', previous: 'ssm:/old', until: later(9) };

      it('keeps the merged state when it is declared again', async () => {
        const { stores } = opened;
        await stores.subscriptions.applyDeclared([subscription('ops', { rotation })]);
        const seen: unknown[] = [];
        const declared = [subscription('ops', { events: ['task.closed'] }), subscription('new')];
        const applied = await stores.subscriptions.applyDeclared(declared, (one, kept) => {
          seen.push(kept?.rotation);
          return kept?.rotation === undefined ? one : { ...one, rotation: kept.rotation };
        });
        expect(applied).toEqual({ added: ['new'], changed: ['ops'], removed: [] });
        expect(seen).toContainEqual(rotation);
        expect(await stores.subscriptions.get('ops')).toEqual(
          subscription('ops', { events: ['task.closed'], rotation }),
        );
      });

      it('is updated atomically, and not created', async () => {
        const { stores } = opened;
        await stores.subscriptions.save(subscription('ops'));
        expect(await stores.subscriptions.update('ops', (kept) => ({ ...kept, rotation }))).toBe(true);
        expect(await stores.subscriptions.get('ops')).toEqual(subscription('ops', { rotation }));
        expect(await stores.subscriptions.update('nobody', (kept) => kept)).toBe(false);
        expect(await stores.subscriptions.get('nobody')).toBeUndefined();
      });

      it('loses neither of two concurrent changes', async () => {
        const { stores } = opened;
        await stores.subscriptions.applyDeclared([subscription('ops')]);
        const declared = subscription('ops', { events: ['task.closed'] });
        await Promise.all([
          stores.subscriptions.update('ops', (kept) => ({ ...kept, rotation })),
          stores.subscriptions.applyDeclared([declared], (one, kept) =>
            kept?.rotation === undefined ? one : { ...one, rotation: kept.rotation },
          ),
          stores.subscriptions.update('ops', (kept) => ({ ...kept, rate: { count: 1, per: 1000 } })),
        ]);
        expect((await stores.subscriptions.get('ops'))?.rotation).toEqual(rotation);
        expect((await stores.subscriptions.get('ops'))?.events).toEqual(['task.closed']);
      });
    });

    describe('subscriptions that are not declared', () => {
      it('are added, replaced and removed by name, and not affected by the config', async () => {
        const { stores } = opened;
        const own = subscription('own', { declared: false });
        await stores.subscriptions.save(own);
        await stores.subscriptions.applyDeclared([subscription('ops')]);
        const changed = subscription('own', { declared: false, events: ['invoice.*'] });
        await stores.subscriptions.save(changed);
        expect(await stores.subscriptions.list()).toEqual([subscription('ops'), changed]);
        expect(await stores.subscriptions.remove('own')).toBe(true);
        expect(await stores.subscriptions.remove('own')).toBe(false);
        expect(await stores.subscriptions.list()).toEqual([subscription('ops')]);
      });

      it('are added once, and replace only what the caller accepts', async () => {
        const { subscriptions } = opened.stores;
        const own = subscription('own', { declared: false, owner: 'key', expiresAt: later(9), removeWhenGone: true });
        const added = await Promise.all([1, 2, 3].map(() => subscriptions.add(own)));
        expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
        expect(await subscriptions.get('own')).toEqual(own);
        const other = subscription('own', { declared: false, owner: 'other' });
        expect(await subscriptions.add(other, (stored) => stored.owner === 'other')).toBe(false);
        expect(await subscriptions.add(other, (stored) => stored.owner === 'key')).toBe(true);
        expect(await subscriptions.get('own')).toEqual(other);
      });

      it('stay as they are if a change or a removal is refused', async () => {
        const { subscriptions } = opened.stores;
        const own = subscription('own', { declared: false });
        await subscriptions.save(own);
        const refuse = () => {
          throw new Error('refused');
        };
        await expect(subscriptions.update('own', refuse)).rejects.toThrow('refused');
        await expect(subscriptions.remove('own', refuse)).rejects.toThrow('refused');
        expect(await subscriptions.remove('nobody', refuse)).toBe(false);
        expect(await subscriptions.get('own')).toEqual(own);
      });
    });
  });
}
