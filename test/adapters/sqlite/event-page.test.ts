import { expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { selectEventPage } from '../../../adapters/sqlite/event-page.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { event } from '../../samples.ts';

it('a search reads a few megabytes at a time, and goes on where it stopped', async () => {
  const db = openDatabase(':memory:');
  const sample = event('1');
  const data = { ...sample.data, record: { ...sample.data.record, description: 'x'.repeat(250_000) } };
  const events = Array.from({ length: 40 }, (_, index) => event(String(index + 1), { data }));
  await sqliteStores(db).events.record(events.map((one) => ({ event: one, deliveries: [] })));
  let read = 0;
  const matches = ({ id }: { readonly id: string }) => {
    read += 1;
    return id === 'evt_35';
  };
  const pages: number[] = [];
  const found: string[] = [];
  for (let after: string | undefined, isEnd = false; !isEnd; ) {
    read = 0;
    const page = selectEventPage(db, { matches, limit: 5, ...(after === undefined ? {} : { after }) });
    pages.push(read);
    found.push(...page.events.map(({ id }) => id));
    after = page.cursor;
    isEnd = !page.more;
  }
  expect(found).toEqual(['evt_35']);
  expect(Math.max(...pages)).toBeLessThanOrEqual(11);
  expect(pages.reduce((sum, count) => sum + count, 0)).toBe(40);
  db.close();
});
