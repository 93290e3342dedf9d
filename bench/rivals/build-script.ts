/** Builds a script of this folder with the options of the package, so that users run what is measured: not the sources. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../tidings-command.ts';

export interface BuiltScript {
  readonly file: string;
  remove(): Promise<void>;
}

/** Below the root, so that packages are found. */
const CACHE = join(ROOT, 'node_modules/.cache');

export async function buildScript(script: string): Promise<BuiltScript> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'tidings-bench-'));
  await build({
    entryPoints: [join(import.meta.dirname, script)],
    outdir: folder,
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
  return {
    file: join(folder, script.replace(/\.ts$/, '.js')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
