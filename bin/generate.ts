/** `npm run generate`: writes the files that are made from the code. A test fails when one of them is stale. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFiles } from '../runtime/generated-files.ts';

for (const [file, content] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  process.stdout.write(`${file}\n`);
}
