import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import { watchLimits } from '../../../runtime/embedded/watch-limits.ts';
import { subscription } from '../../samples.ts';

let stores: DatabaseStores;
let now: number;
beforeEach(async () => {
  stores = sqliteStores(openDatabase(':memory:'));
  await stores.subscriptions.save(subscription('ops', { concurrency: 3 }));
  now = 0;
});

/** Calls it twice: the first call starts a read and does not wait for it. */
async function after(ms: number, limits: (name: string) => object, name: string) {
  now += ms;
  limits(name);
  await Promise.resolve();
  await new Promise((later) => setImmediate(later));
  return limits(name);
}

describe('watchLimits', () => {
  it('follows changes of a subscription', async () => {
    const limits = await watchLimits(stores.subscriptions, channelRegistry, () => now);
    expect(limits('ops')).toEqual({ concurrency: 3, isOwn: true });
    await stores.subscriptions.save(subscription('ops', { concurrency: 5, rate: { count: 1, per: SECOND } }));
    expect(await after(1_000, limits, 'ops')).toEqual({ concurrency: 3, isOwn: true });
    expect(await after(1_000, limits, 'ops')).toEqual({ concurrency: 5, rate: { count: 1, per: SECOND }, isOwn: true });
  });

  it('derives nothing again as long as no subscription changes', async () => {
    const limits = await watchLimits(stores.subscriptions, channelRegistry, () => now);
    const before = limits('ops');
    expect(await after(2_000, limits, 'ops')).toBe(before);
  });

  it('uses a low limit for new and removed subscriptions', async () => {
    const limits = await watchLimits(stores.subscriptions, channelRegistry, () => now);
    await stores.subscriptions.save(subscription('new'));
    expect(limits('new')).toEqual({ concurrency: 1 });
    expect(await after(2_000, limits, 'new')).toEqual({ concurrency: 8 });
    await stores.subscriptions.remove('new');
    expect(await after(2_000, limits, 'new')).toEqual({ concurrency: 1 });
  });

  it('rereads every few seconds, and keeps the old limits when a read fails', async () => {
    let reads = 0;
    const counting = {
      list: async () => {
        reads += 1;
        if (reads === 2) throw new Error('locked');
        return stores.subscriptions.list();
      },
    };
    const limits = await watchLimits(counting, channelRegistry, () => now);
    for (let n = 0; n < 1_000; n++) limits('ops');
    expect(reads).toBe(1);
    expect(await after(2_000, limits, 'ops')).toEqual({ concurrency: 3, isOwn: true });
    expect(reads).toBe(2);
    await stores.subscriptions.save(subscription('ops', { concurrency: 4 }));
    expect(await after(2_000, limits, 'ops')).toEqual({ concurrency: 4, isOwn: true });
    expect(reads).toBe(3);
  });
});
