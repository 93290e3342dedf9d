/**
 * `npm run build:cdk`, and by itself before the package is packed: makes lib/ into what `tidings/cdk` exports. JavaScript,
 * because Node strips no types inside node_modules; one file beside functions/, whose sources are bundled at deployment.
 */

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const out = process.argv[2] ?? join(root, 'cdk');

rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: [join(root, 'lib/index.ts')],
  outfile: join(out, 'index.js'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});

const settings = [
  '--ignoreConfig',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--target',
  'es2024',
  '--module',
  'nodenext',
  '--types',
  'node',
];
const emit = ['--declaration', '--emitDeclarationOnly', '--rewriteRelativeImportExtensions', '--skipLibCheck'];
const types = join(out, 'types');
const places = ['--rootDir', root, '--outDir', types];
const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, ...settings, ...emit, ...places, join(root, 'lib/index.ts')], {
  cwd: root,
  stdio: 'inherit',
});

// The compiler leaves our own `.ts` in declarations, where nothing of that name will be.
for (const file of globSync('**/*.d.ts', { cwd: types })) {
  const text = readFileSync(join(types, file), 'utf8');
  writeFileSync(join(types, file), text.replaceAll(/(from '|import\(")(\.[^'"]+)\.ts(?=['"])/g, '$1$2.js'));
}
