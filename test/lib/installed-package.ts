/** Another app with our package: packed by npm, and installed with its dependencies as npm would. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';

export const root = join(import.meta.dirname, '../..');
export const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Must be removed by the caller. */
export const scratch = mkdtempSync(join(tmpdir(), 'tidings-package-'));
/** A copy, so that dist/ of this clone is not changed. */
export const clone = join(scratch, 'clone');
export const app = join(scratch, 'app');
export const installed = join(app, 'node_modules/tidings');
export const command = join(app, 'node_modules/.bin/tidings');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Packed {
  readonly filename: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function start(file: string, argv: readonly string[], more: NodeJS.ProcessEnv, cwd: string) {
  // The environment of a shell with this Node first in the PATH, without variables of npm and vitest.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: scratch, NO_COLOR: '1', ...more };
  // A group of its own: npm does not pass every signal on to what it started.
  return spawn(file, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
}

export async function run(
  file: string,
  argv: readonly string[],
  more: NodeJS.ProcessEnv = {},
  cwd: string = app,
): Promise<Ended> {
  const child = start(file, argv, more, cwd);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await closed)[0], stdout, stderr };
}

export interface Staying {
  /** The first group of the expected output. */
  readonly found: string;
  readonly output: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts a long-running process, and waits for its ready message. */
export async function stays(file: string, argv: readonly string[], ready: RegExp, cwd = app): Promise<Staying> {
  const child = start(file, argv, {}, cwd);
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    return (await closed)[0];
  };
  try {
    await vi.waitFor(() => expect(output).toMatch(ready), { timeout: 90_000, interval: 50 });
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  return { stop, found: ready.exec(output)?.[1] ?? '', output: () => output };
}

/** Approximately the files in git, and the installed tools. */
function makeClone(): void {
  const excluded = new Set(['node_modules', '.git', '.lanes', '.tidings', 'cdk.out', 'coverage', 'dist']);
  for (const name of readdirSync(root).filter((one) => !excluded.has(one))) {
    cpSync(join(root, name), join(clone, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
}

/** What npm would install: the dependencies of the package and of the app, without our development tools. */
function installDependencies(): void {
  const lock: Record<string, { readonly dev?: boolean }> = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages;
  const names = Object.entries(lock)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path.slice('node_modules/'.length));
  for (const name of new Set([...names, ...Object.keys(ours.peerDependencies), '@types/node'])) {
    const link = join(app, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    // Some are for other platforms.
    if (existsSync(join(root, 'node_modules', name))) symlinkSync(join(root, 'node_modules', name), link);
  }
}

export async function packAndInstall(): Promise<Packed> {
  makeClone();
  // Its scripts build the package. stderr has only messages of npm.
  const flags = ['--json', '--ignore-scripts=false', '--offline', '--no-update-notifier'];
  const made = await run('npm', ['pack', ...flags, '--pack-destination', scratch], {}, clone);
  expect([made.code, made.code === 0 ? '' : made.stderr]).toEqual([0, '']);
  const [packed]: [Packed] = JSON.parse(made.stdout);
  mkdirSync(installed, { recursive: true });
  const tarball = join(scratch, packed.filename);
  expect(await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])).toMatchObject({ code: 0 });
  installDependencies();
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  mkdirSync(dirname(command));
  chmodSync(join(installed, bin.tidings), 0o755);
  symlinkSync(join('../tidings', bin.tidings), command);
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }\n');
  cpSync(join(installed, 'examples/aws.yaml'), join(app, 'tidings.yaml'));
  return packed;
}
