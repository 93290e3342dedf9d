/**
 * Compiles kit/ to JavaScript and declarations: `node tools/build-kit.mjs FOLDER` writes verify.js, client.js and their declarations
 * there. `npm run build` puts them into dist/kit; tests put them into a temporary project.
 */

import { execFileSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [folder = join(root, 'dist/kit')] = process.argv.slice(2);

const compiler = join(root, 'node_modules/typescript/bin/tsc');
// Node 18 and all current edge runtimes run ES2022.
const settings = '--ignoreConfig --strict --declaration --target es2022 --module nodenext --types node'.split(' ');
const argv = [
  compiler,
  ...settings,
  '--outDir',
  resolve(folder),
  ...['verify', 'client'].map((name) => join(root, `kit/${name}.ts`)),
];
// Compiler messages go to stderr: `npm pack --json` prints its result to stdout.
execFileSync(process.execPath, argv, { cwd: root, stdio: ['ignore', 2, 2] });
