/**
 * The commands to try while the demo runs. They read the demo's own data with its own config, which is written beside it: an
 * account of one's own is never touched.
 */

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instant } from '../core/model/time.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { commandName } from './command-name.ts';
import type { Context } from './context.ts';
import type { World } from './demo-world.ts';

interface DemoSetup {
  /** The config of the demo. */
  readonly config: string;
  /** The data directory of the demo. */
  readonly data: string;
}

/** Writes the config and its variables into the data directory. Returns the config's path. */
export function writeDemoConfig({ config, data }: DemoSetup, { environment }: Pick<World, 'environment'>): string {
  const file = join(data, 'tidings.yaml');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  copyFileSync(config, file);
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  writeFileSync(join(data, '.env'), lines.join(''), { mode: 0o600 });
  return file;
}

/** Each command, and what it shows. */
export function tourOf(data: string, simulator: Simulator, context: Pick<Context, 'environment' | 'clock'>) {
  const command = commandName(context);
  const config = join(data, 'tidings.yaml');
  const commands: readonly (readonly [string, string])[] = [
    [`events -d ${data}`, 'what happened'],
    [`explain ${overdueTask(simulator, context.clock.now())} -c ${config} -d ${data}`, 'why it was sent, and to whom'],
    [`preview -c ${config} -d ${data}`, 'what the coming days bring'],
    [`deliveries -d ${data}`, 'what became of each message'],
    [`console -d ${data}`, 'another link to the console'],
  ];
  return commands.map(([line, shows]) => ({ line: `${command} ${line}`, shows }));
}

/** It has an event from the start. */
function overdueTask({ account }: Simulator, now: Instant): string {
  const today = now.slice(0, 10);
  const task = account
    .list('task')
    .find(({ datedue, dateclosed }) => isDay(datedue) && datedue < today && !isDay(dateclosed));
  return `task/${task?.id ?? '1'}`;
}

const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
