/** Props document the constructs: all are readonly, and each optional one has a `@default`. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../lib');

/** Each optional property with the comment before it. */
const OPTIONAL = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?(?:^|[{;] *)((?:readonly )?\w+\?): /gm;

it.each(globSync('*.ts', { cwd: folder }))('%s: optional props are readonly and have a default', (file) => {
  // Parameters of functions are in brackets, and have default values.
  const code = readFileSync(join(folder, file), 'utf8').replaceAll(/^ {2,}(?=readonly|\w+\?)/gm, '');
  const wrong = [...code.matchAll(OPTIONAL)]
    .filter(([, comment = '', name = '']) => !(name.startsWith('readonly ') && comment.includes('@default')))
    .map(([, , name]) => name);
  expect(wrong).toEqual([]);
});
