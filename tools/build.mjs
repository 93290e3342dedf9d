/**
 * `npm run build`, which npm also runs before packing: writes dist/, the JavaScript of the installed package. Node strips no
 * types inside node_modules, so the package cannot run its sources. A clone runs them directly and needs no build.
 *
 * Plain JavaScript, because an installation from git may run it with an older Node than ours.
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
// All files are flat in one folder below the root, so that relative paths to examples/ and functions/ stay the same as in
// the sources. Splitting makes each command load only its own code. Packages are installed by npm and stay external.
await build({
  entryPoints: { cdk: join(root, 'lib/index.ts'), tidings: join(root, 'bin/tidings.ts') },
  outdir: out,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  logLevel: 'warning',
});

// The construct once more for apps in CommonJS, such as those of `cdk init` and their tests with Jest. Packages that are ES
// modules, or load one, become part of the file.
const ES_MODULES_ONLY = ['entities', 'leven', 'sanitize-html'];
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
await build({
  entryPoints: { cdk: join(root, 'lib/index.ts') },
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  external: Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !ES_MODULES_ONLY.includes(name)),
  define: { 'import.meta.dirname': '__dirname' },
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
});

execFileSync(process.execPath, [join(root, 'tools/build-kit.mjs'), join(out, 'kit')], { stdio: ['ignore', 2, 2] });

const settings = '--ignoreConfig --strict --target es2024 --module nodenext --types node';
// `npm run check` has checked the types already.
const emit = '--declaration --emitDeclarationOnly --rewriteRelativeImportExtensions --skipLibCheck --noCheck';
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const argv = [...settings.split(' '), ...emit.split(' '), '--rootDir', root, '--outDir', types];
// Compiler messages go to stderr: `npm pack --json` prints its result to stdout.
execFileSync(process.execPath, [compiler, ...argv, join(root, 'lib/index.ts')], { cwd: root, stdio: ['ignore', 2, 2] });

// The compiler keeps the `.ts` extensions in declarations, where only `.d.ts` files exist.
for (const file of readdirSync(types, { recursive: true }).map(String)) {
  if (!file.endsWith('.d.ts')) continue;
  const text = readFileSync(join(types, file), 'utf8');
  writeFileSync(join(types, file), text.replace(/(from '|import\(")(\.[^'"]+)\.ts(?=['"])/g, '$1$2.js'));
}

// The same declarations serve both builds of the construct: read as CommonJS, they may be imported and required.
writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n');
