/**
 * npm runs this whenever the package is put somewhere: builds it for whoever installs from git or links a clone, and for
 * nobody else. Plain JavaScript, as build.mjs is.
 */

import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** Left out by `--omit=dev`, or a linked clone that has nothing installed yet: no reason to fail their npm. */
const hasTools = ['esbuild', 'typescript/package.json'].every((name) => {
  try {
    return resolve(name) !== '';
  } catch {
    return false;
  }
});

// npm was called right here: then it is `npm ci` in a clone, which needs no build and shall not wait for one, or packing,
// for which `prepack` has built. From git npm is called in the folder of an app, and the package lies in one of npm's own.
if (process.env.INIT_CWD !== process.cwd() && hasTools) await import('./build.mjs');
