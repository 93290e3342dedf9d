/** The command line in both forms: from the sources, as in a clone, and from the build, as in an installed package. */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchAccount } from './account.ts';

export const ROOT = join(import.meta.dirname, '..');

export interface TidingsCommand {
  readonly form: 'clone' | 'package';
  /** Arguments of Node before those of the command. */
  readonly argv: readonly string[];
}

/** As the npm scripts of a clone, the systemd unit and the container image start Node. */
const NODE_OPTIONS = ['--max-semi-space-size=8'];

/** Builds dist/, which the package runs. */
export async function buildCommands(): Promise<readonly TidingsCommand[]> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/build.mjs')]);
  return [
    {
      form: 'clone',
      argv: [...NODE_OPTIONS, '--import', join(ROOT, 'bin/node-version.mjs'), join(ROOT, 'bin/tidings.ts')],
    },
    { form: 'package', argv: [...NODE_OPTIONS, join(ROOT, 'bin/tidings.mjs')] },
  ];
}

export interface ConfigFileOptions {
  readonly account: BenchAccount;
  /** Receiver of all events of tasks. */
  readonly endpoint: string;
  /** How often tasks are polled. @default - as without a config */
  readonly every?: string;
}

/** A config as `tidings init` writes it, with one webhook. Returns the path. */
export async function writeConfig(folder: string, { account, endpoint, every }: ConfigFileOptions): Promise<string> {
  const file = join(folder, 'tidings.yaml');
  const config = {
    source: {
      baseUrl: account.url,
      token: account.token,
      quota: { perMinute: 100_000 },
      ...(every === undefined ? {} : { resources: { task: { every } } }),
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [
      {
        name: 'ops-hook',
        events: ['task.*'],
        to: { http: { url: endpoint, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` } },
      },
    ],
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  return file;
}
