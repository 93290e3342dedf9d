/** `npm start`: examples/agency.yaml against a simulated agency and its whole world, in one process, with a story to watch. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { loadConfig } from '../runtime/config/load.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import type { Context, ExitCode } from './context.ts';
import { tellStory } from './demo-story.ts';
import { openWorld, type World } from './demo-world.ts';
import { runServe } from './serve.ts';

/** Where people look at what it is made of, and where it is kept beside the code. */
const CONFIG = join(import.meta.dirname, '../examples/agency.yaml');

export function demoCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('demo')
    .summary('what npm start runs: a living agency, its receivers, chat and mail, and serve')
    .option('--pace <factor>', 'how many times faster than usual the story is told', readPace, 1)
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
  // A new account every time: what is known of the last one would only look like news. The port tells demos apart.
  const data = join('.tidings', `demo-${new URL(world.simulator.url).port}`);
  rmSync(data, { recursive: true, force: true });
  describeWorld(world, context);
  // The story ends with the service, also when that breaks.
  const over = new AbortController();
  try {
    const config = loadConfig(CONFIG, world.environment);
    const story = tellStory(world, terminal, AbortSignal.any([stop, over.signal]), pace);
    const options = { data, port: world.managePort, watch: (watcher: Watcher) => watchWorld(watcher) };
    await Promise.all([
      story,
      runServe(config, options, { ...context, environment: world.environment }).finally(() => over.abort()),
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
  out(paint('bold', 'Tidings demo: an agency at work, and who hears of it. Ctrl-C stops it.'));
  out(`config         examples/agency.yaml`);
  out(`account        ${simulator.url} (token ${simulator.tokens.Administrator[0] ?? ''})`);
  out(`webhooks       ${hook.url}/hook, which verifies each of them as tidings listen does`);
  out(`Slack          ${paint('cyan', slack.url)}  look at the messages here`);
  out(`mail           ${paint('cyan', mailbox.url)}  and at the mails here; the digest comes at ${morning} in Berlin`);
}

/** The receiver of ops-hook tells itself what it verified; that it was also sent would say it twice. */
function watchWorld(watcher: Watcher): Watcher {
  const isSaid = ({ delivery, attempt }: DeliveryResult) =>
    ['ops-hook', 'erp'].includes(delivery.subscription) && attempt.outcome === 'accepted';
  return {
    ...watcher,
    delivered: (delivered) => {
      if (!isSaid(delivered)) watcher.delivered?.(delivered);
    },
  };
}
