/** `npm start`: a living account, a receiver and `serve`, all in one process, with something to watch. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parseConfig } from '../runtime/config/load.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Context, ExitCode } from './context.ts';
import { receiverApp } from './receiver.ts';
import { DEFAULT_PORT, runServe } from './serve.ts';
import { listenOn, onFreePort } from './serve-app.ts';

const SIMULATOR_PORT = 4010;
const RECEIVER_PORT = 4015;

/** Known to everyone, and good for nothing but this machine. */
export const DEMO_SECRET = 'whsec_VGlkaW5ncyBkZW1vOiBub3QgYSBzZWNyZXQgYXQgYWxs';

/** The same agency every time, with the same tokens: examples/tidings.yaml names one. */
const SEED = 7;

/** Somebody does something every second. */
const LIFE_MS = 1_000;

/** Far more often than anybody would ask a real API: a demo is watched. */
const CADENCES = {
  task: { every: '2s' },
  invoice: { every: '3s' },
  project: { every: '5s' },
  client: { every: '10s' },
};

export function demoCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('demo')
    .summary('what npm start runs: a living account, a receiver, and serve')
    .action(async () => {
      await runDemo(context);
      exit(0);
    });
}

async function runDemo(context: Context): Promise<void> {
  const { terminal, clock } = context;
  const simulator = await onFreePort(SIMULATOR_PORT, terminal, (port) =>
    startSimulator({ port, seed: SEED, tasks: 300, life: LIFE_MS, quota: 1_000_000 }),
  );
  const app = receiverApp({ secret: DEMO_SECRET, clock });
  const receiver = await onFreePort(RECEIVER_PORT, terminal, (port) => listenOn(app, port));
  const [token = ''] = simulator.tokens.Administrator;
  const config = {
    source: { name: 'demo', baseUrl: simulator.url, token, resources: CADENCES, quota: { perMinute: 600 } },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [
      {
        name: 'demo-receiver',
        events: ['*'],
        // What a change means is enough to watch; that something changed would double every line.
        where: { type: [{ 'anything-but': { suffix: '.updated' } }] },
        to: { http: { url: `${receiver.url}/hook`, secret: DEMO_SECRET } },
      },
    ],
  };
  // A new account every time: what is known of the last one would only look like news. The port tells demos apart.
  const data = join('.tidings', `demo-${new URL(simulator.url).port}`);
  rmSync(data, { recursive: true, force: true });
  terminal.out(terminal.paint('bold', 'Tidings demo: an agency at work, and every event it makes. Ctrl-C stops it.'));
  terminal.out(`account        ${simulator.url} (token ${token})`);
  terminal.out(`receiver       ${receiver.url}/hook, which verifies each signature`);
  try {
    const parsed = parseConfig('demo.json', JSON.stringify(config), {});
    await runServe(parsed, { data, port: DEFAULT_PORT }, context);
  } finally {
    await Promise.all([receiver.close(), simulator.stop()]);
  }
}
