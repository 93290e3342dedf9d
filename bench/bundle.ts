/** Bundles a function as the stack does: for the benchmark, and for the test that runs what is deployed. */

import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE } from '../runtime/aws-bundle.ts';
import type { FunctionName } from '../runtime/aws-metrics.ts';

export interface Bundled {
  readonly file: string;
  readonly bytes: number;
}

/** `config`: the text that is put in the place of `process.env.TIDINGS_CONFIG`. */
export async function bundleFunction(name: FunctionName, folder: string, config = '{}'): Promise<Bundled> {
  const { banner, external, define, alias, mainFields, ...options } = BUNDLE;
  const file = join(folder, `${name}.mjs`);
  const { metafile } = await build({
    ...options,
    entryPoints: [join(import.meta.dirname, '..', 'functions', `${name}.ts`)],
    outfile: file,
    bundle: true,
    platform: 'node',
    metafile: true,
    logLevel: 'error',
    banner: { js: banner },
    external: [...external],
    alias: { ...alias },
    define: { ...define, 'process.env.TIDINGS_CONFIG': JSON.stringify(config) },
    mainFields: [...mainFields],
  });
  const [output] = Object.values(metafile.outputs);
  return { file, bytes: output?.bytes ?? Number.NaN };
}
