/** Every picture of README and docs exists, is shown somewhere, and is made by a browser test (`npm run pictures`). */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const readAll = (folder: string, end: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
    .join('\n');

const stored = readdirSync(join(ROOT, 'docs/images')).toSorted();
const pages = [readFileSync(join(ROOT, 'README.md'), 'utf8'), readAll('docs', '.md')].join('\n');

it('no page shows a missing picture, and no picture is unused', () => {
  const shown = [...pages.matchAll(/images\/([\w-]+\.png)/g)].map(([, name]) => name);
  expect([...new Set(shown)].toSorted()).toEqual(stored);
});

it('each is made by a test', () => {
  const tests = readAll('test/browser', '.test.ts');
  const missing = stored.filter((name) => !tests.includes(`'${name.replace('.png', '')}'`));
  expect(missing).toEqual([]);
});
