/** `npm start` to the end of its story, at ten times the speed. */

import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { start } from './command.ts';

let folder: string;
let child: ReturnType<typeof start>;
let output = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-demo-'));
  output = '';
  child = start(['demo', '--pace', '10'], { npm_lifecycle_event: '' }, folder);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
});

afterEach(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const until = (words: string | RegExp) =>
  vi.waitFor(() => expect(output).toMatch(words), { timeout: 40_000, interval: 100 });

/** The page behind a line such as `Slack          http://127.0.0.1:4017  open …`. */
async function pageOf(name: string, path = '/'): Promise<string> {
  const [, url = ''] = new RegExp(`^${name} +(http://\\S+)`, 'm').exec(output) ?? [];
  return (await fetch(new URL(path, url))).text();
}

/** Runs the commands that the demo suggests, as they are printed. */
async function runTour(): Promise<void> {
  const commands = [...output.matchAll(/^ {2}tidings (.+?) {3}# (.+)$/gm)].map(([, line = '']) => line.split(' '));
  expect(commands.map(([name]) => name)).toEqual(['events', 'explain', 'preview', 'deliveries', 'console']);
  for (const argv of commands) {
    const run = start(argv, {}, folder);
    const [stdout, code] = await Promise.all([text(run.stdout), once(run, 'close').then(([status]) => status)]);
    expect([argv[0], code, stdout.split('\n').length > 1]).toEqual([argv[0], 0, true]);
    if (argv[0] === 'explain') expect(stdout).toContain('task.overdue');
    else expect(stdout).not.toMatch(/no events|no changes|nothing/i);
  }
  // Nothing but the folder of the demo: an account of one's own would be in .tidings itself.
  expect(readdirSync(folder)).toEqual(['.tidings']);
  expect(readdirSync(join(folder, '.tidings')).filter((name) => !name.startsWith('demo-'))).toEqual([]);
}

it('shows verified webhooks, chat, mail, a bulk edit as one message, and an endpoint that recovers without losses', async () => {
  await until(/✔ {2}task\.\w+ .* → ops-hook/);
  await until(/6 invoices overdue {2}→ finance/);
  expect(await pageOf('mail')).toContain('6 invoices overdue');
  expect(await pageOf('Slack')).toContain('tasks overdue');
  // The first request loads the console.
  expect(await pageOf('console', '/console/log-in')).toContain('tidings console');
  await runTour();
  await until(/▶ bulk edit: \d+ due dates/);
  await until(/Due date changed on [\d,]{2,} tasks.* → team-chat/);
  await until('the erp endpoint is down');
  await until(/→ erp: .*503 from .*, next attempt in/);
  await until(/erp has received all \d+ of them: no event was lost/);
  expect(output).not.toMatch(/not verified|was accessible/);
  child.kill('SIGTERM');
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(output).toMatch(/stopped after \d+ webhooks verified, \d+ chat messages, \d+ mails?\n/);
  // The story fits on one screen.
  expect(output.split('\n').length).toBeLessThan(46);
});
