/** What the commands print about deliveries that do not arrive, and for names that do not exist. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { runCommandAt } from '../../cli/run-command.ts';
import { NOON, SECRET } from '../../samples.ts';

const LATER = '2026-11-14T13:00:00.000Z';
const CLOSED = 6;

let simulator: Simulator;
let receiver: Server;
let folder: string;
let config: string;
let data: string;
/** What the receiver answers. */
let answer: { readonly status: number; readonly body: string };

beforeAll(async () => {
  simulator = await startSimulator({ seed: 7, tasks: 60, now: NOON, speed: 0 });
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status).end(answer.body));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'tidings-output-'));
  config = join(folder, 'tidings.yaml');
  const http = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`, secret: SECRET };
  writeFileSync(
    config,
    stringify({
      source: { baseUrl: simulator.url, token: simulator.tokens.Administrator[0] },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [{ name: 'ops', events: ['task.closed'], to: { http } }],
    }),
  );
});

afterAll(async () => {
  receiver.closeAllConnections();
  await Promise.all([simulator.stop(), new Promise((resolve) => receiver.close(resolve))]);
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  data = mkdtempSync(join(folder, 'data-'));
});

const run = (now: string, ...argv: readonly string[]) => runCommandAt(now, [...argv, '--data', data]);

/** A baseline, then some tasks are closed while the receiver gives this answer. */
async function close(status: number, body: string) {
  answer = { status, body };
  await run(NOON, 'once', '--config', config);
  for (const task of simulator.account.list('task', { excludeclosed: 't' }).slice(0, CLOSED))
    simulator.account.update('task', String(task.id), { statusid: 7 });
  return run(LATER, 'once', '--config', config);
}

describe('after a 410', () => {
  it('the totals of once add up with those of subscriptions, and retry names the way out', async () => {
    const { code, stdout } = await close(410, 'gone for good');
    expect(code).toBe(1);
    expect(stdout).toContain('subscription disabled, held until the subscription is resumed\n');
    expect(stdout).toMatch(
      new RegExp(
        `\\n\\d+ events, 0 delivered, 0 to be retried, ${CLOSED} held until their subscription is resumed, 0 failed\\n$`,
      ),
    );
    expect((await run(LATER, 'subscriptions')).stdout).toMatch(new RegExp(`^✗ +ops +disabled .* ${CLOSED} held `));
    expect((await run(LATER, 'deliveries', '--status', 'held')).stdout.trim().split('\n')).toHaveLength(CLOSED);
    const retry = await run(LATER, 'deliveries', 'retry', '--subscription', 'ops');
    expect(retry.stdout).toContain(
      `${CLOSED} deliveries are held; send them with: tidings subscriptions resume ops --data `,
    );
  });
});

describe('while a receiver fails', () => {
  it('shows its answer, is not called ok, and pending deliveries can be retried', async () => {
    const { code, stdout } = await close(422, 'no such\n\u001b[31mqueue');
    expect(code).toBe(0);
    // No clock at all, so none can differ from that of the account.
    expect(stdout).toMatch(/→ ops: 422 .*, next attempt in \d+ s\n/);
    expect(stdout).toContain(`, ${CLOSED} to be retried, 0 failed\n`);
    const deliveries = await run(LATER, 'deliveries');
    expect(deliveries.stdout).toMatch(
      / 422 [^\n]*: “no such \[31mqueue”, the receiver is paused until 2026-11-14 14:\d\d:\d\d\+01:00: 422 /,
    );
    expect(deliveries.stdout).not.toContain('\u001b');
    expect((await run(LATER, 'subscriptions')).stdout).toMatch(/^✗ +ops +retrying /);
    expect((await run(LATER, 'status', '--config', config)).stdout).toMatch(/0 of 1 healthy\n +ops +retrying /);
    // After some attempts the next one is hours away.
    for (const at of ['13:00:10', '13:01:00', '13:07:00', '13:40:00'])
      await run(`2026-11-14T${at}.000Z`, 'once', '--config', config);
    const before = await run('2026-11-14T13:41:00.000Z', 'deliveries', '--json');
    const retry = await run('2026-11-14T13:41:00.000Z', 'deliveries', 'retry', '--subscription', 'ops');
    const postponed = before.stdout
      .trim()
      .split('\n')
      .filter((line) => JSON.parse(line).dueAt > '2026-11-14T13:44:00.000Z').length;
    expect(postponed).toBeGreaterThan(0);
    expect(retry.stdout).toContain(`${postponed} deliver`);
  });
});

describe('a forecast', () => {
  it('is the same in check and status', async () => {
    answer = { status: 204, body: '' };
    await run(NOON, 'once', '--config', config);
    const status = JSON.parse((await run(LATER, 'status', '--config', config, '--json')).stdout);
    const check = JSON.parse((await run(LATER, 'check', '--config', config, '--json')).stdout);
    expect(check.sources[0].requestsADay).toBe(status.sources[0].requestsADay);
  });
});

describe('names that do not exist, and empty results', () => {
  it.each<readonly [readonly string[], number, RegExp]>([
    [['deliveries', '--subscription', 'opps'], 2, /subscription 'opps' not found; known subscriptions: ops/],
    [['deliveries', 'retry', '--subscription', 'opps'], 2, /subscription 'opps' not found/],
    [['events', '--subject', 'tsak/12'], 2, /Expected a record such as 'task\/123'; did you mean 'task'\?/],
    [
      ['events', '--type', 'task.closd'],
      0,
      /no events found; no type of the catalogue matches 'task\.closd', did you mean 'task\.closed'\?/,
    ],
    [['events', '--type', 'task.closed'], 0, /^no events found\n$/],
    [['deliveries'], 0, /^no deliveries found\n$/],
    [['deliveries', '--subscription', 'ops'], 0, /^no deliveries found\n$/],
  ])('%j', async (argv, code, message) => {
    answer = { status: 204, body: '' };
    await run(NOON, 'once', '--config', config);
    const result = await run(LATER, ...argv);
    expect(result.code).toBe(code);
    expect(`${result.stdout}${result.stderr}`).toMatch(message);
  });

  it('a type that does not exist is a failure, with the nearest one', async () => {
    const { code, stdout, stderr } = await runCommandAt(NOON, ['types', 'task.clsed']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      "no event type matches 'task.clsed', did you mean 'task.closed'?\n",
    ]);
  });

  it.each([
    ['deliveries', '--status <status>'],
    ['subscriptions', '--json'],
    ['sources', '--config <file>'],
  ])('the help of %s shows %s of its default command', async (command, option) => {
    expect((await runCommandAt(NOON, [command, '--help'])).stdout).toContain(option);
  });
});
