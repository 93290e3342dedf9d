import fs from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Preloaded before any TypeScript: an older Node would fail on the first `.ts` file with a cryptic error.
// Plain JavaScript, so that every Node version can run it. A missing named import would also be an error: what older versions
// lack is read from the default import.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `tidings requires Node 24 or newer, but this is Node ${process.versions.node} (${process.execPath}).\n` +
      '`npm ci` installs Node 24 for this project (unless --ignore-scripts is set); `npm start` and `npm run tidings` then use it.\n',
  );
  process.exit(2);
}

// Caches compiled sources in the system's temporary folder, which halves the start-up time of commands.
module.enableCompileCache?.();

// Node strips types but does not compile JSX. The pages of the console are the only `.tsx` files: esbuild, a development
// dependency, is loaded with the first of them and compiles them all, because each call of it starts a process. An installed
// package contains them compiled.
let pages;
module.registerHooks({
  // Our sources import each other by file name, so there is nothing to search for. Node would read the file system several
  // times for each of hundreds of files.
  resolve(specifier, context, nextResolve) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return nextResolve(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context);
    pages ??= compilePages(join(import.meta.dirname, '..'));
    return { format: 'module', source: pages.get(fileURLToPath(url)), shortCircuit: true };
  },
});

/**
 * @param {string} root
 * @returns the code of each page, by its path
 */
function compilePages(root) {
  const { buildSync } = module.createRequire(import.meta.url)('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: fs.globSync('console/**/*.tsx', { cwd: root }),
    absWorkingDir: root,
    outbase: root,
    outdir: root,
    write: false,
    format: 'esm',
    target: 'node24',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    sourcemap: 'inline',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.replace(/\.js$/, '.tsx'), text]));
}
