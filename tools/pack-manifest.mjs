/**
 * npm's `prepack` and `postpack`: replaces package.json by the manifest of the package while npm packs, and puts it back. The manifest
 * names the Node that the installed command needs; a clone accepts older ones, because npm installs Node 24 beside it. It has no
 * scripts and no settings of development, so that npm offers nothing to run.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = join(dirname(fileURLToPath(import.meta.url)), '../package.json');
const original = `${file}.original`;

const INSTALLED_NODE = '>=24';
const OF_DEVELOPMENT = ['scripts', 'devDependencies', 'overrides', 'allowScripts'];

const [action] = process.argv.slice(2);
if (action === 'write') {
  // Left by a run that was interrupted.
  if (!existsSync(original)) writeFileSync(original, readFileSync(file));
  const manifest = JSON.parse(readFileSync(original, 'utf8'));
  const kept = Object.entries(manifest).filter(([key]) => !OF_DEVELOPMENT.includes(key));
  const packed = { ...Object.fromEntries(kept), engines: { node: INSTALLED_NODE } };
  writeFileSync(file, `${JSON.stringify(packed, null, 2)}\n`);
} else if (existsSync(original)) {
  renameSync(original, file);
}
