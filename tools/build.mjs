/**
 * `npm run build`, and by itself before the package is packed: makes dist/, what an installed package runs, for Node strips
 * no types inside node_modules. Changes nothing else; in a clone nothing needs it, there the sources run as they are.
 *
 * Plain JavaScript, for whoever installs from git may have an older Node than ours, and no other yet.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist');
const types = join(out, 'types');

rmSync(out, { recursive: true, force: true });
// All files flat in one folder of the root: examples/ and functions/ are beside it as they are beside cli/ and lib/.
// Split, so that a command loads itself and no other. Packages are installed beside us, and stay there.
await build({
  entryPoints: { cdk: join(root, 'lib/index.ts'), tidings: join(root, 'bin/tidings.ts') },
  outdir: out,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});

const settings = '--ignoreConfig --strict --exactOptionalPropertyTypes --target es2024 --module nodenext --types node';
// Checked they are by `npm run check`: here it would only take its time again.
const emit = '--declaration --emitDeclarationOnly --rewriteRelativeImportExtensions --skipLibCheck --noCheck';
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const argv = [...settings.split(' '), ...emit.split(' '), '--rootDir', root, '--outDir', types];
// Its complaints are no result: whoever reads our stdout, as npm pack --json, wants none of them there.
execFileSync(process.execPath, [compiler, ...argv, join(root, 'lib/index.ts')], { cwd: root, stdio: ['ignore', 2, 2] });

// The compiler leaves our own `.ts` in declarations, where nothing of that name will be.
for (const file of readdirSync(types, { recursive: true }).map(String)) {
  if (!file.endsWith('.d.ts')) continue;
  const text = readFileSync(join(types, file), 'utf8');
  writeFileSync(join(types, file), text.replace(/(from '|import\(")(\.[^'"]+)\.ts(?=['"])/g, '$1$2.js'));
}
