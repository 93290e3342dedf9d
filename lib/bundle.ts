/**
 * Bundles a function with esbuild. The stack deploys the output, and the benchmark `cold` measures it. Knows nothing of CDK.
 *
 * A cold start loads `index.mjs` and its static imports. Modules imported dynamically (mail, chat, templates, AWS clients)
 * are separate files, loaded at first use.
 */

import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import packageJson from '../package.json' with { type: 'json' };
import { CONFIG } from '../runtime/aws/environment.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import { packedHasConsole, packedHasSlack, packedIsManaged } from '../runtime/config/serves-api.ts';

export interface BundleOptions {
  readonly name: FunctionName;
  /** Output folder. */
  readonly folder: string;
  /** The packed config, which becomes part of the code. */
  readonly config: string;
  /** @default false */
  readonly sourceMap?: boolean;
  /** Whether it sends spans to X-Ray. @default false */
  readonly isTraced?: boolean;
}

export interface Bundle {
  /** The file that Lambda loads. */
  readonly entry: string;
  /** Bytes loaded at a cold start: the entry and its static imports. */
  readonly startBytes: number;
  /** Bytes of all code in the package, including modules loaded at first use. */
  readonly bytes: number;
}

/** The root of the package, both for lib/ and for its build in dist/. */
const root = join(import.meta.dirname, '..');

/** Files of channels, by name. The package contains the sources of functions, so that they are bundled with the config. */
const channelFiles = (names: readonly string[]) =>
  names.map((name) => join(root, 'adapters', 'channels', '*', `${name}.ts`));

/** Imported by the definitions of channels and never called in AWS: mail goes through SES, and `check` is a command. */
const NEVER_IN_AWS = channelFiles(['smtp', 'probe']);

/** Imported by the definitions and called by functions that send to receivers. */
const SENDERS = channelFiles(['channel', 'open', 'render-mail', 'render-slack-message', 'http-body']);

/** Imported by the definitions of sources, and called by functions that poll or act as a person. */
const SOURCE_CLIENTS = ['client', 'attribution', 'history'].map((name) =>
  join(root, 'adapters', 'sources', '*', `${name}.ts`),
);

/** Loaded by the SDK and undici only under conditions that never hold in Lambda, at the moment they are needed. */
const UNUSED_IN_LAMBDA = [
  // Lambda provides credentials in the environment, so the SDK never tries these.
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/nested-clients/*',
  '@smithy/credential-provider-imds',
  // Detects browsers.
  'bowser',
  // No operation we call returns an event stream.
  '@smithy/core/event-streams',
  // undici's HTTP parsers for CPUs without SIMD. Graviton has SIMD.
  '*/llhttp-wasm.js',
  '*/no-simd.js',
];

const SETTINGS: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minify: true,
  // By default esbuild escapes non-ASCII characters, six bytes each: HTML entity tables are full of them.
  charset: 'utf8',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  mainFields: ['module', 'main'],
  splitting: true,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  // sanitize-html loads postcss for style attributes, which mails do not keep: any module without `parse` replaces it.
  alias: { postcss: 'node:os' },
  // CommonJS packages call `require` for Node's own modules, and an ES module has none.
  banner: {
    js: "import{createRequire as tidingsCreateRequire}from'node:module';const require=tidingsCreateRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'error',
  absWorkingDir: root,
};

/** Only `deliver`, and `manage` if it serves the management API or the console, send to receivers. */
function withoutApi(name: FunctionName, config: string): readonly string[] {
  if (name === 'deliver' || (name === 'manage' && packedIsManaged(config))) return [];
  return [...SENDERS, join(root, 'functions', 'manage-api.ts')];
}

/** `poll` reads sources. The Slack app, in `manage` and `deliver`, writes with the token of a person. */
function withoutSources(name: FunctionName, config: string): readonly string[] {
  const actsAsPerson = (name === 'manage' || name === 'deliver') && packedHasSlack(config);
  return name === 'poll' || actsAsPerson ? [] : SOURCE_CLIENTS;
}

/** Synchronous, because CDK constructs are. */
export function bundleFunction({ name, folder, config, sourceMap = false, isTraced = false }: BundleOptions): Bundle {
  const { metafile } = buildSync({
    ...SETTINGS,
    entryPoints: { index: join(root, 'functions', `${name}.ts`) },
    outdir: folder,
    sourcemap: sourceMap,
    external: [
      ...UNUSED_IN_LAMBDA,
      ...NEVER_IN_AWS,
      ...withoutApi(name, config),
      ...withoutSources(name, config),
      ...(packedHasConsole(config) ? [] : [join(root, 'console', 'app.tsx')]),
      ...(isTraced ? [] : [join(root, 'runtime', 'aws', 'xray-tracer.ts')]),
      ...(packedHasSlack(config) ? [] : [join(root, 'functions', 'slack-parts.ts')]),
      ...(packedIsManaged(config) || packedHasSlack(config) ? [] : [join(root, 'functions', 'late-parts.ts')]),
    ],
    define: {
      [`process.env.${CONFIG}`]: JSON.stringify(config),
      'process.env.TIDINGS_BUNDLED_VERSION': JSON.stringify(packageJson.version),
    },
  });
  const outputs = new Map(Object.entries(metafile?.outputs ?? {}).filter(([file]) => file.endsWith('.mjs')));
  const entry =
    [...outputs.keys()].find((file) => outputs.get(file)?.entryPoint?.endsWith(`functions/${name}.ts`)) ?? '';
  const started = new Set<string>();
  const load = (file: string): void => {
    if (started.has(file)) return;
    started.add(file);
    for (const { path, kind } of outputs.get(file)?.imports ?? []) {
      if (kind === 'import-statement' && outputs.has(path)) load(path);
    }
  };
  load(entry);
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + (outputs.get(file)?.bytes ?? 0), 0);
  return { entry: join(root, entry), startBytes: sum(started), bytes: sum(outputs.keys()) };
}
