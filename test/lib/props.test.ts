/** Properties are the documentation of the constructs: none can be changed, and each that may be left out says what that means. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../lib');

/** Each property that may be left out: the comment right before it, if any, and the property itself. */
const OPTIONAL = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?(?:^|[{;] *)((?:readonly )?\w+\?): /gm;

it.each(globSync('*.ts', { cwd: folder }))('%s: what may be left out is readonly and has a default', (file) => {
  // Parameters of functions stand within brackets, and say it by their own default.
  const code = readFileSync(join(folder, file), 'utf8').replaceAll(/^ {2,}(?=readonly|\w+\?)/gm, '');
  const wrong = [...code.matchAll(OPTIONAL)]
    .filter(([, comment = '', name = '']) => !(name.startsWith('readonly ') && comment.includes('@default')))
    .map(([, , name]) => name);
  expect(wrong).toEqual([]);
});
