/** A subscription store with the declared subscriptions of a config that is not applied yet. */

import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { fixedClock } from '../../core/model/time.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { withDeclared } from '../../runtime/with-declared.ts';
import { NOON, subscription } from '../samples.ts';

const clock = fixedClock(NOON);
const signed = (name: string, secret: string) =>
  subscription(name, { to: { channel: 'http', settings: { url: 'https://example.com/hook', secret } } });

describe('withDeclared', () => {
  it('lists what the store holds once the config is applied', async () => {
    const ports = { channels: channelRegistry, ...sqliteStores(openDatabase(':memory:')), clock };
    const store = ports.subscriptions;
    await declareSubscriptions(ports, [signed('changed', '${A}'), signed('removed', '${A}')]);
    await store.save({ ...signed('by-hand', '${A}'), declared: false });
    await store.save({ ...signed('taken-over', '${A}'), declared: false });
    const config = {
      subscriptions: [signed('new', '${A}'), signed('changed', '${B}'), signed('taken-over', '${A}')],
    };
    const merged = withDeclared(store, config, clock);
    const seen = await merged.list();
    expect(seen.map(({ name }) => name)).toEqual(['by-hand', 'changed', 'new', 'taken-over']);
    expect(await merged.get('changed')).toMatchObject({ rotation: { secret: '${B}', previous: '${A}' } });
    expect(await merged.get('removed')).toMatchObject({ name: 'removed' });
    expect(await merged.get('unknown')).toBeUndefined();
    await declareSubscriptions(ports, config.subscriptions);
    expect(await store.list()).toEqual(seen);
  });

  it('lists the same array as long as neither the store nor a rotation changes', async () => {
    const ports = { channels: channelRegistry, ...sqliteStores(openDatabase(':memory:')), clock };
    const store = ports.subscriptions;
    await declareSubscriptions(ports, [signed('rotated', '${A}'), signed('same', '${A}')]);
    await store.save({ ...signed('own', '${A}'), declared: false });
    const config = { subscriptions: [signed('rotated', '${B}'), signed('same', '${A}')] };
    const merged = withDeclared(store, config, clock);
    const before = await merged.list();
    expect(before[1]).toMatchObject({ name: 'rotated', rotation: { previous: '${A}' } });
    expect(await merged.list()).toBe(before);
    await store.update('own', (stored) => ({ ...stored, events: ['task.closed'] }));
    const after = await merged.list();
    expect(after.map((one, index) => one === before[index])).toEqual([false, true, true]);
    await declareSubscriptions(ports, config.subscriptions);
    expect(await merged.list()).toEqual(after);
  });
});
