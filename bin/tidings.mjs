#!/usr/bin/env node
/**
 * The command `tidings` of an installed package: runs what is built in dist/. In a clone `npm run tidings` runs the sources.
 *
 * The line above takes whatever Node comes first in the PATH. npx and npm's scripts find one that is installed beside us
 * before the machine's own; a shell does not. So an older Node looks there, and hands over. Plain JavaScript, so that every
 * Node can run it and say what is wrong.
 */

import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/tidings.js', import.meta.url);

/** @param {string} version */
const isEnough = (version) => Number(version.split('.')[0]) >= 24;

/** @param {string} text */
function giveUp(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}

/** The Node of the npm package `node`, or undefined: not installed, too old, or its script was not let run. */
function nodeBeside() {
  try {
    const manifest = module.createRequire(import.meta.url).resolve('node/package.json');
    const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const file = join(dirname(manifest), bin.node);
    return isEnough(version) && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} node */
async function handOver(node) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches both of us: handed on it would be a second one, which means now.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => giveUp(`tidings: ${node} cannot be run: ${error.message}`));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

const node = isEnough(process.versions.node) ? process.execPath : nodeBeside();
if (!existsSync(built)) {
  giveUp(
    'tidings is not built here: npm builds it when it is installed from git, unless by --ignore-scripts.\n' +
      'Install it without that option, or from the tarball that `npm pack` makes; in a clone, `npm run build`.',
  );
} else if (node === undefined) {
  giveUp(
    `tidings needs Node 24 or newer, this is ${process.versions.node} (${process.execPath}).\n` +
      'npm can put one beside it, without --ignore-scripts: `npm install node@24`; then `npx tidings`.',
  );
} else if (node === process.execPath) {
  // Keeps the compiled code between runs, in the system's temporary folder.
  module.enableCompileCache?.();
  await import(built.href);
} else {
  await handOver(node);
}
