/** The defects of the truth run `mutations` are where their list says: else it would run the product without them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MUTATIONS } from './mutations.ts';

it.each(MUTATIONS)('$file contains the text that is replaced once: $name', ({ file, find, replace }) => {
  const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});
