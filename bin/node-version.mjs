import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Preloaded before any TypeScript: an older Node would fail on the first `.ts` file with a cryptic error.
// Plain JavaScript, so that every Node version can run it.
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
// dependency, is loaded with the first of them. An installed package contains them compiled.
let esbuild;
module.registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context);
    esbuild ??= module.createRequire(import.meta.url)('esbuild');
    const file = fileURLToPath(url);
    const options = { loader: 'tsx', format: 'esm', target: 'node24', jsx: 'automatic', jsxImportSource: 'hono/jsx' };
    const { code } = esbuild.transformSync(readFileSync(file, 'utf8'), {
      ...options,
      sourcefile: file,
      sourcemap: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
