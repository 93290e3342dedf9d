/**
 * npm's `prepare` script: builds the package when it is installed from git or when a clone is linked. `npm ci` in a clone
 * needs no build; there it compiles the sources of the demo, so that the first `npm start` is as quick as the next ones. Plain
 * JavaScript, as build.mjs is.
 */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** False after `npm install --omit=dev` and in a linked clone without node_modules: neither should make npm fail. */
const hasBuildTools = ['esbuild', 'typescript/package.json'].every((name) => {
  try {
    return resolve(name) !== '';
  } catch {
    return false;
  }
});

// In an installation from git, npm runs in the folder of the app and the package is in a temporary folder. If both are the
// same folder, this is `npm ci` in a clone, or packing, for which `prepack` has run the build.
if (process.env.INIT_CWD !== process.cwd()) {
  if (hasBuildTools) await import('./build.mjs');
} else if (process.env.npm_command === 'ci' || process.env.npm_command === 'install') {
  // Loads the command, and Node keeps the compiled sources. If it fails, `npm start` says why.
  spawnSync('node', ['--import', './bin/node-version.mjs', 'bin/tidings.ts', 'demo', '--help'], { stdio: 'ignore' });
}
