/** `npm start`: runs examples/agency.yaml against a simulated agency with simulated receivers, chat and mail, in one process. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { combineWatchers } from '../runtime/embedded/combine-watchers.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { runService } from '../service/run-service.ts';
import type { Context, ExitCode } from './context.ts';
import { createDemoReport } from './demo-report.ts';
import { runStory } from './demo-story.ts';
import { tourOf, writeDemoConfig } from './demo-tour.ts';
import { openWorld, type World } from './demo-world.ts';
import { formatReceived } from './format-received.ts';
import { operatorOf } from './operator.ts';
import type { Received } from './receiver.ts';

const CONFIG = join(import.meta.dirname, '../examples/agency.yaml');

export function demoCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('demo')
    .summary('run the demo (npm start): a simulated agency with receivers, chat and mail')
    .description('Prints the story in one screen: what arrived where for the first time, incidents and recoveries.')
    .option('--pace <factor>', 'speed-up factor of the scripted incidents', readPace, 1)
    .option('--verbose', 'print the settings of the service, and every webhook, message and mail', false)
    .action(async (flags: DemoFlags) => {
      await runDemo(context, flags);
      exit(0);
    });
}

interface DemoFlags {
  readonly pace: number;
  readonly verbose: boolean;
}

function readPace(text: string): number {
  const pace = Number(text);
  if (pace >= 1 && pace <= 20) return pace;
  throw new InvalidArgumentError('Expected a number from 1 to 20.');
}

async function runDemo(context: Context, { pace, verbose }: DemoFlags): Promise<void> {
  const { terminal, clock, stop } = context;
  const report = createDemoReport(terminal, clock);
  const printReceived = (received: Received) => terminal.out(formatReceived(received, terminal));
  const world = await openWorld(context, verbose ? printReceived : report.received);
  // Each run is a new account, so old data would look like changes. The port separates concurrent demos.
  const data = join('.tidings', `demo-${new URL(world.simulator.url).port}`);
  rmSync(data, { recursive: true, force: true });
  writeDemoConfig({ config: CONFIG, data }, world);
  describeWorld(world, context, verbose);
  const printConsole = (link: string) => {
    terminal.out(`console        ${terminal.paint('cyan', link)}  open it: every event and what became of it`);
    terminal.out('try            in another terminal:');
    for (const { line, shows } of tourOf(data, world.simulator, context)) {
      terminal.out(`  ${line}   ${terminal.paint('dim', `# ${shows}`)}`);
    }
    terminal.out('');
  };
  // End the story when the service ends, also after an error.
  const over = new AbortController();
  try {
    const config = loadConfig(CONFIG, world.environment);
    // A bulk edit before the first sync of the tasks would be no change.
    const { promise: synced, resolve: markSynced } = Promise.withResolvers<void>();
    const synchronized: Watcher = {
      scanned: ({ resource, baseline }) => {
        if (resource === 'task' && baseline) markSynced();
      },
    };
    const signal = AbortSignal.any([stop, over.signal]);
    signal.addEventListener('abort', () => markSynced());
    const story = synced.then(() => runStory(world, terminal, signal, pace));
    const watch = (watcher: Watcher) => combineWatchers(verbose ? watchWorld(watcher) : report.watcher, synchronized);
    const options = { data, port: world.managePort, watch, onConsole: verbose ? undefined : printConsole };
    // The report prints instead of the service. Warnings and errors stay.
    const silent = { ...terminal, out: () => {}, progress: () => {} };
    await Promise.all([
      story,
      runService(() => ({ config, environment: world.environment }), options, {
        ...context,
        terminal: verbose ? terminal : silent,
        operator: operatorOf(context),
      }).finally(() => over.abort()),
    ]);
    if (!verbose) terminal.out(`stopped after ${report.summary()}`);
  } finally {
    over.abort();
    await world.close();
  }
}

function describeWorld(
  { simulator, slack, teams, mailbox, hook, morning }: World,
  { terminal: { out, paint } }: Context,
  verbose: boolean,
): void {
  out(paint('bold', 'Tidings demo: a simulated agency and the messages it causes. Press Ctrl-C to stop.'));
  out(`Slack          ${paint('cyan', slack.url)}  open it: choose who you are, read, and type /tidings help`);
  out(`Teams          ${paint('cyan', teams.url)}  open it: the cards of the managers`);
  out(`mail           ${paint('cyan', mailbox.url)}  open it: the digest arrives at ${morning} Berlin time`);
  out(`webhooks       ${hook.url}/hook  each is verified${verbose ? ' and printed below' : ''}`);
  out(`account        ${simulator.url} (token ${simulator.tokens.Administrator[0] ?? ''})`);
  out(`config         examples/agency.yaml${verbose ? '' : '; every line: npm start -- --verbose'}`);
  if (verbose) out('');
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
