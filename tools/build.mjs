/**
 * `npm run build`, which npm also runs before packing: writes dist/, the JavaScript of the installed package, and schema/events.json.
 * Node strips no types inside node_modules, so the package cannot run its sources. A clone runs them directly and needs no build.
 *
 * Plain JavaScript, because an installation from git may run it with an older Node than ours.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist');
const types = join(out, 'types');

const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const peers = Object.keys(peerDependencies);

rmSync(out, { recursive: true, force: true });
// All files are flat in one folder below the root, so that relative paths to examples/ and functions/ stay the same as in
// the sources. Splitting makes each command load only its own code. Packages become part of the files: finding and loading
// the hundreds of small files they consist of took a quarter of the time of a command. Only the SDK stays external, which the
// commands with --aws load.
const { metafile } = await build({
  entryPoints: {
    cdk: join(root, 'lib/index.ts'),
    tidings: join(root, 'bin/tidings.ts'),
    // Each thread starts with a file of its own.
    'api-thread': join(root, 'service/api-thread.ts'),
    'filter-thread': join(root, 'runtime/embedded/filter-thread.ts'),
    'http-thread': join(root, 'service/http-thread.ts'),
    'template-thread': join(root, 'runtime/embedded/template-thread.ts'),
  },
  outdir: out,
  bundle: true,
  splitting: true,
  external: [...peers, '@aws-sdk/*'],
  // ES modules where a package has them: unused parts are left out.
  mainFields: ['module', 'main'],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  // CommonJS packages call `require` for Node's own modules, and an ES module has none.
  banner: {
    js: "import { createRequire as tidingsCreateRequire } from 'node:module';\nconst require = tidingsCreateRequire(import.meta.url);",
  },
  absWorkingDir: root,
  metafile: true,
  logLevel: 'warning',
});
writeLicences(Object.keys(metafile.inputs));

// The construct once more for apps in CommonJS, such as those of `cdk init` and their tests with Jest. Packages that are ES
// modules, or load one, become part of the file.
const ES_MODULES_ONLY = ['entities', 'leven', 'sanitize-html'];
await build({
  entryPoints: { cdk: join(root, 'lib/index.ts') },
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  external: [...Object.keys(dependencies).filter((name) => !ES_MODULES_ONLY.includes(name)), ...peers],
  define: { 'import.meta.dirname': '__dirname' },
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
});

// Compiled first: Node may be too old to run the sources.
const { outputFiles } = await build({
  entryPoints: [join(root, 'tools/events-document.ts')],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
const { eventsDocument } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
writeFileSync(join(root, 'schema/events.json'), eventsDocument());

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

// The declarations once more for apps in CommonJS: a declaration is of the kind of its package.
const typesForCommonJs = join(out, 'types-cjs');
cpSync(types, typesForCommonJs, { recursive: true });
writeFileSync(join(typesForCommonJs, 'package.json'), '{ "type": "commonjs" }\n');

/**
 * The licences of the packages that are part of the files, which ask to be kept with every copy.
 *
 * @param {readonly string[]} inputs
 */
function writeLicences(inputs) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}
