import { expect, it } from 'vitest';
import { runRedmineTruth } from './truth.ts';

it('emits every journalled change once, with its person, instant and values', async () => {
  const { differences, changes } = await runRedmineTruth({ changes: 120, seed: 7 });
  expect(differences).toEqual({ lost: [], false: [], doubled: [], wrong: [], deletions: [] });
  expect(changes).toBeGreaterThanOrEqual(120);
});
