/** `npm start`: runs examples/agency.yaml against a simulated agency with simulated receivers, chat and mail, in one process. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { loadConfig } from '../runtime/config/load.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import type { Context, ExitCode } from './context.ts';
import { runStory } from './demo-story.ts';
import { openWorld, type World } from './demo-world.ts';
import { runServe } from './serve.ts';

const CONFIG = join(import.meta.dirname, '../examples/agency.yaml');

export function demoCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('demo')
    .summary('run the demo (npm start): a simulated agency with receivers, chat and mail')
    .option('--pace <factor>', 'speed-up factor of the scripted incidents', readPace, 1)
    .action(async ({ pace }: { pace: number }) => {
      await runDemo(context, pace);
      exit(0);
    });
}

function readPace(text: string): number {
  const pace = Number(text);
  if (pace >= 1 && pace <= 20) return pace;
  throw new InvalidArgumentError('Expected a number from 1 to 20.');
}

async function runDemo(context: Context, pace: number): Promise<void> {
  const { terminal, stop } = context;
  const world = await openWorld(context);
  // Each run is a new account, so old data would look like changes. The port separates concurrent demos.
  const data = join('.tidings', `demo-${new URL(world.simulator.url).port}`);
  rmSync(data, { recursive: true, force: true });
  describeWorld(world, context);
  // End the story when the service ends, also after an error.
  const over = new AbortController();
  try {
    const config = loadConfig(CONFIG, world.environment);
    const story = runStory(world, terminal, AbortSignal.any([stop, over.signal]), pace);
    const options = { data, port: world.managePort, watch: (watcher: Watcher) => watchWorld(watcher) };
    await Promise.all([
      story,
      runServe(() => ({ config, environment: world.environment }), options, {
        ...context,
        environment: world.environment,
      }).finally(() => over.abort()),
    ]);
  } finally {
    over.abort();
    await world.close();
  }
}

function describeWorld(
  { simulator, slack, mailbox, hook, morning }: World,
  { terminal: { out, paint } }: Context,
): void {
  out(paint('bold', 'Tidings demo: a simulated agency and the messages it causes. Press Ctrl-C to stop.'));
  out('config         examples/agency.yaml');
  out(`account        ${simulator.url} (token ${simulator.tokens.Administrator[0] ?? ''})`);
  out(`webhooks       ${hook.url}/hook  verified and printed below`);
  out(`Slack          ${paint('cyan', slack.url)}  open to read the messages`);
  out(
    `mail           ${paint('cyan', mailbox.url)}  open to read the mail; the digest arrives at ${morning} Berlin time`,
  );
}

/** The receivers of ops-hook and erp print what they accept; printing the delivery as well would duplicate it. */
function watchWorld(watcher: Watcher): Watcher {
  const isPrintedByReceiver = ({ delivery, attempt }: DeliveryResult) =>
    ['ops-hook', 'erp'].includes(delivery.subscription) && attempt.outcome === 'accepted';
  return {
    ...watcher,
    delivered: (delivered) => {
      if (!isPrintedByReceiver(delivered)) watcher.delivered?.(delivered);
    },
  };
}
