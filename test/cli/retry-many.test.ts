/** `deliveries retry --subscription`: says how many and asks on a terminal, as the console does. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { delivery, event, NOON } from '../samples.ts';
import { runCommand } from './run-command.ts';

let data: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'tidings-retry-'));
  const failed = { status: 'failed', dueAt: null, settledAt: NOON } as const;
  const database = openData(data);
  await sqliteStores(database).events.record([
    { event: event('1'), deliveries: [delivery('1', 'ops', failed), delivery('1', 'single', failed)] },
    { event: event('2'), deliveries: [delivery('2', 'ops', failed)] },
  ]);
  database.close();
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const questions: string[] = [];
const retry = (answer: string, ...flags: readonly string[]) => {
  questions.length = 0;
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  return runCommand(['deliveries', 'retry', '--data', data, ...flags], { ask });
};
const failed = async () =>
  (await runCommand(['deliveries', '--data', data, '--status', 'failed', '--json'])).stdout.trim().split('\n').length;

it('asks before it retries several, and retries none without a yes', async () => {
  const { code, stdout } = await retry('', '--subscription', 'ops');
  expect([code, stdout, questions]).toEqual([1, 'nothing is retried\n', ['2 deliveries to ops. Retry now? [y/N] ']]);
  expect(await failed()).toBe(3);
  expect((await retry('y', '--subscription', 'ops')).stdout).toContain('2 deliveries will be retried');
  expect(await failed()).toBe(1);
});

it('does not ask with --yes, for a single one, and for those that are named', async () => {
  expect((await retry('n', '--subscription', 'ops', '--yes')).stdout).toContain('2 deliveries will be retried');
  expect(questions).toEqual([]);
  expect((await retry('n', '--subscription', 'single')).stdout).toContain('1 delivery will be retried');
  expect(questions).toEqual([]);
  expect((await retry('n', delivery('2', 'ops').id)).stdout).toContain('1 delivery will be retried');
  expect(questions).toEqual([]);
});

it('does not ask a script', async () => {
  const { stdout } = await runCommand(['deliveries', 'retry', '--subscription', 'ops', '--data', data]);
  expect(stdout).toContain('2 deliveries will be retried');
});
