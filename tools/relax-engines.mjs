/**
 * `npm run relax-engines`, after a change of dependencies: removes `engines` of packages from the lockfile. npm compares them with
 * the Node that runs npm, and would warn on Node 20, or fail with `--engine-strict`. But every script runs with the Node 24 that npm
 * installs beside the project. A test fails when the script is needed.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = join(dirname(fileURLToPath(import.meta.url)), '../package-lock.json');

const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
