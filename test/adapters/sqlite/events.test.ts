import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { toJson } from '../../../core/model/event-json.ts';
import { event } from '../../samples.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase(':memory:');
});
afterEach(() => db.close());

describe('events read for delivery', () => {
  it('keep their stored JSON text, so that it is not serialized again', async () => {
    const stores = sqliteStores(db);
    const all = ['1', '2', '3'].map((id) => event(id));
    await stores.events.record(all.map((one) => ({ event: one, deliveries: [] })));
    // Another text of the same event: it is lost if the event is serialized again.
    const spaced = JSON.stringify(event('2'), null, 1);
    db.prepare("UPDATE events SET body = ? WHERE id = 'evt_2'").run(spaced);
    const read = await stores.events.getMany(['evt_3', 'evt_none', 'evt_2']);
    expect(read).toEqual([event('3'), event('2')]);
    expect(read.map(toJson)).toEqual([JSON.stringify(event('3')), spaced]);
  });

  it('are serialized when no text is cached', async () => {
    expect(toJson(event('7'))).toBe(JSON.stringify(event('7')));
    const stores = sqliteStores(db);
    await stores.events.record([{ event: event('7'), deliveries: [] }]);
    const found = await stores.events.get('evt_7');
    expect(found === undefined ? undefined : toJson(found)).toBe(JSON.stringify(event('7')));
  });
});
