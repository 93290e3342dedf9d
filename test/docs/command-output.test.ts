/**
 * The output that docs/cli.md shows: each command is run against the simulator, and each line of the example has a line of the
 * same shape in the output. Numbers, names and times may differ.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiverApp } from '../../cli/receiver.ts';
import { fixedClock } from '../../core/model/time.ts';
import { type Listening, listenOn } from '../../service/listen.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');

interface Example {
  readonly command: string;
  readonly lines: readonly string[];
}

/** The blocks that show a command and what it prints. */
const examples: readonly Example[] = [...page.matchAll(/^```\n\$ tidings (.*)\n([\s\S]*?)^```$/gm)].map(
  ([, command = '', output = '']) => ({ command, lines: output.trimEnd().split('\n') }),
);

/** Run by another test, against what this one does not have: a stack, a terminal, a service, an endpoint with faults. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'replay --aws': 'test/e2e/aws-commands.test.ts',
  'check --for-aws': 'test/e2e/check-aws.test.ts',
  'verify --aws': 'test/e2e/verify-aws.test.ts',
  serve: 'test/e2e/serve.test.ts',
  'backup backup.db': 'test/e2e/backup.test.ts',
  'export move.tidings': 'test/e2e/move.test.ts',
  sources: 'test/runtime/embedded/other-account.test.ts',
  listen: 'test/e2e/receiving.test.ts',
  'test-endpoint': 'test/e2e/receiving.test.ts',
};

const FIRST = '2026-11-16T02:33:00.000Z';
const NOW = '2026-11-16T02:34:00.000Z';

let folder: string;
let simulator: Simulator;
let receiver: Listening;

/** The config of the examples, with the addresses of this run, and receivers for what `preview` shows. */
function writeConfig(change: object = {}): string {
  const http = { url: `${receiver.url}/hook`, secret: SECRET };
  const config = {
    source: {
      name: 'demo',
      baseUrl: simulator.url,
      token: simulator.tokens.Administrator[0],
      timeZone: 'Europe/Berlin',
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [
      { name: 'ops-hook', events: ['task.*'], to: { http } },
      { name: 'finance', events: ['invoice.*'], to: { slack: { webhook: `${receiver.url}/chat` } } },
      { name: 'late', events: ['task.*'], where: { data: { record: { severity: ['P1'] } } }, to: { http } },
    ],
    ...change,
  };
  const file = join(folder, 'tidings.yaml');
  writeFileSync(file, JSON.stringify(config));
  writeFileSync(join(folder, 'closings.yaml'), JSON.stringify({ name: 'closings', events: ['task.closed'] }));
  return file;
}

/** The mistakes that an example shows. */
const MISTAKES = {
  links: { tasks: 'https://work.example.com/{id}' },
  subscriptions: [
    {
      name: 'chat',
      events: ['task.*'],
      where: { data: { record: { severty: ['P1'], projectid: [7] } } },
      to: { slack: { webhook: 'https://hooks.slack.com/x' } },
    },
  ],
};

/** The id of the task that the examples are about. */
let closed = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-docs-'));
  simulator = await startSimulator({ seed: 7, tasks: 300, quota: 1_000_000, now: FIRST, speed: 0 });
  receiver = await listenOn(receiverApp({ secret: SECRET, clock: fixedClock(NOW) }), 0);
  const config = writeConfig();
  const data = join(folder, 'data');
  await runCommandAt(FIRST, ['once', '--config', config, '--data', data]);
  const open = simulator.account.list('task', { excludeclosed: 't' });
  const [overdue] = open.filter(({ datedue, severity }) => String(datedue) < '2026-11' && severity !== 'P1');
  closed = String(overdue?.id);
  simulator.account.update('task', closed, { statusid: 7 });
});

afterAll(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: string): Promise<string> {
  const words = command
    .replace(/examples\/tidings\.yaml|^validate$/, (found) =>
      found === 'validate' ? 'validate --config FILE' : 'FILE',
    )
    .replace(/task\/\d+/, `task/${closed}`)
    .split(' ')
    .map((word) =>
      word === 'FILE' ? join(folder, 'tidings.yaml') : word.endsWith('.yaml') ? join(folder, word) : word,
    );
  const needsConfig = ['preview', 'explain'].includes(words[0] ?? '') ? ['--config', join(folder, 'tidings.yaml')] : [];
  const needsData = words[0] === 'validate' ? [] : ['--data', join(folder, 'data')];
  const { stdout, stderr } = await runCommandAt(NOW, [...words, ...needsConfig, ...needsData]);
  return stdout + stderr;
}

/** The words of a line that do not depend on the account, the time or the machine. */
function shapeOf(line: string): string {
  return line
    .replaceAll(/“[^”]*”|nothing(?= →)|(?<=→ )nothing/g, '“”')
    .replaceAll(/\((?!config)[^()]*\)/g, '()')
    .replaceAll(/\S*tidings\.yaml/g, 'tidings.yaml')
    .replaceAll(/http:\S+/g, 'URL')
    .replaceAll(/evt_[0-9a-f]+/g, 'evt_')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+( \d{4})?( \d\d:\d\d)?/g, 'DAY')
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\dZ?)?/g, 'DAY')
    .replaceAll(/\b(?:now|(?:in )?\d[\d,.]* (?:ms|s|min|h|d)(?: \d+ (?:min|h))?)\b/g, 'SPAN')
    .replaceAll(/\d[\d,.]*/g, '#')
    .replaceAll(/\b(request|event|source|subscription|record)s\b/g, '$1')
    .replaceAll(/(token +).*(, \w+)$/g, '$1NAME$2')
    .replace(/^(by type|sent to) .*/, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('docs/cli.md', () => {
  it('shows the output of commands', () => expect(examples.length).toBeGreaterThan(8));

  it('names the test of each example that is not run here', () => {
    const others = Object.keys(ELSEWHERE).filter((start) => !examples.some(({ command }) => command.startsWith(start)));
    expect(others).toEqual([]);
    for (const file of Object.values(ELSEWHERE)) expect(readFileSync(join(root, file), 'utf8')).not.toBe('');
  });

  /** `once` first: others show what it recorded. */
  const runnable = examples
    .filter(({ command }) => !Object.keys(ELSEWHERE).some((start) => command.startsWith(start)))
    .toSorted((a, b) => Number(b.command.startsWith('once')) - Number(a.command.startsWith('once')));

  it.each(runnable)('$command prints what the page shows', async ({ command, lines }) => {
    const isWrong = lines[0]?.startsWith('✗') === true;
    if (isWrong) writeConfig(MISTAKES);
    const output = (await run(command)).split('\n').map(shapeOf);
    if (isWrong) writeConfig();
    const shown = lines.filter((line) => !/^\s*…?$/.test(line)).map(shapeOf);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((shape) => !output.includes(shape)).map((shape) => ({ shape, output }))).toEqual([]);
  });
});
