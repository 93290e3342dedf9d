#!/usr/bin/env node
/**
 * The `tidings` command of an installed package: runs the build in dist/. In a clone, `npm run tidings` runs the sources.
 *
 * The line above uses the first Node in the PATH. npx and npm scripts find a Node installed as a package before the
 * machine's own; a shell does not. So an older Node looks for that package and starts it. Plain JavaScript, so that every
 * Node version can run it.
 */

import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/tidings.js', import.meta.url);

/** @param {string} version */
const isSupported = (version) => Number(version.split('.')[0]) >= 24;

/** @param {string} text */
function exitWithError(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}

/** The Node of the npm package `node`; undefined when it is not installed, too old, or its install script did not run. */
function findInstalledNode() {
  try {
    const manifest = module.createRequire(import.meta.url).resolve('node/package.json');
    const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const file = join(dirname(manifest), bin.node);
    return isSupported(version) && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} node */
async function runWith(node) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both processes. Forwarding it would count as a second one, which exits at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => exitWithError(`tidings: could not run ${node}: ${error.message}`));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

const node = isSupported(process.versions.node) ? process.execPath : findInstalledNode();
if (!existsSync(built)) {
  exitWithError(
    'tidings is not built. npm builds it when installing from git, unless --ignore-scripts is set.\n' +
      'Install it without that option, or from a tarball made by `npm pack`; in a clone, run `npm run build`.',
  );
} else if (node === undefined) {
  exitWithError(
    `tidings requires Node 24 or newer, but this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install it as a package with `npm install node@24` (without --ignore-scripts), then run `npx tidings`.',
  );
} else if (node === process.execPath) {
  // Caches compiled code in the system's temporary folder.
  module.enableCompileCache?.();
  await import(built.href);
} else {
  await runWith(node);
}
