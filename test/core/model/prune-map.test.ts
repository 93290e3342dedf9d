import { expect, it } from 'vitest';
import { createMapPruner } from '../../../core/model/prune-map.ts';

it('keeps a map of names that come and go at twice the size of what is in use', () => {
  const entries = new Map<string, number>();
  const prune = createMapPruner(entries, (until, now) => until <= now);
  let most = 0;
  for (let now = 0; now < 100_000; now++) {
    prune(now);
    entries.set(`name ${now}`, now + 2000);
    most = Math.max(most, entries.size);
  }
  expect(most).toBeLessThan(2 * 2000 + 1000);
});

it('removes nothing that is in use, and looks at all entries rarely', () => {
  const entries = new Map<string, number>();
  let looks = 0;
  const prune = createMapPruner(entries, () => {
    looks += 1;
    return false;
  });
  for (let index = 0; index < 100_000; index++) {
    prune(0);
    entries.set(`name ${index}`, 0);
  }
  expect(entries.size).toBe(100_000);
  expect(looks).toBeLessThan(200_000);
});
