/** `tidings listen` and `tidings test-endpoint`: in this process, and once as a process that gets a real signal. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../runtime/config/config.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { type CommandResult, runCommand } from '../cli/run-command.ts';
import { signWithOurs } from '../kit/signed.ts';
import { type RunningReceiver, startReceiver, VERIFIERS } from '../runtime/receivers.ts';
import { event, SECRET } from '../samples.ts';
import { start, tidings } from './command.ts';

const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

let stopListening: (() => Promise<string[]>) | undefined;
let receiver: RunningReceiver | undefined;

afterEach(async () => {
  receiver?.close();
  await stopListening?.();
  stopListening = undefined;
});

/** Starts it on a free port and waits until it listens. `stop` returns its output. */
async function listen(argv: readonly string[], environment: Environment = {}) {
  const ending = new AbortController();
  const lines: string[] = [];
  const errors: string[] = [];
  const kept = { stdout: lines, stderr: errors };
  let ended: Promise<CommandResult> | undefined;
  const url = await new Promise<string>((found, failed) => {
    ended = runCommand(['listen', '--port', '0', ...argv], {
      environment,
      stop: ending.signal,
      onWrite: (stream, text) => {
        kept[stream].push(...text.trimEnd().split('\n'));
        const [, url] = /^listening on (\S+) /m.exec(text) ?? [];
        if (url !== undefined) found(url);
      },
    });
    ended.then(({ stderr }) => failed(new Error(`listen ended: ${stderr}`)), failed);
  });
  stopListening = async () => {
    ending.abort();
    expect((await ended)?.code).toBe(0);
    return lines;
  };
  return { url, lines, errors, stop: stopListening };
}

async function post(url: string, secret: string, id: string, body = JSON.stringify(event(id))): Promise<number> {
  const headers = signWithOurs(secret, `evt_${id}`, new Date(), body);
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

describe('tidings listen', () => {
  it('as a process listens until SIGINT, prints counts, and exits with 0', async () => {
    const child = start(['listen', '--port', '0', '--secret-env', 'HOOK'], { HOOK: SECRET });
    const lines = createInterface(child.stdout);
    const closed = once(child, 'close');
    try {
      const [line] = await once(lines, 'line');
      const [, url = ''] = /^listening on (\S+) /.exec(line) ?? [];
      const rest: string[] = [];
      lines.on('line', (line) => rest.push(line));
      expect(await post(url, SECRET, '1')).toBe(204);
      child.kill('SIGINT');
      expect(await closed).toEqual([0, null]);
      expect(rest.at(-1)).toBe('stopped: 1 received, 1 verified, 0 refused');
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('generates a secret in config format, verifies with it, and prints counts at the end', async () => {
    const { url, lines, stop } = await listen([]);
    const made = /secret: '(whsec_[^']+)'/.exec(lines.join('\n'))?.[1] ?? '';
    expect(lines.join('\n')).toContain(`to: { http: { url: '${url}/', secret: '${made}' } }`);
    expect(await post(url, made, '1')).toBe(204);
    expect(await post(url, made, '1')).toBe(204);
    expect(await post(url, OTHER, '2')).toBe(401);
    const output = (await stop()).slice(-4);
    expect(output).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d {2}✔ {2}task\.closed {2}Task “Task 1” was closed {2}task\/1, version 2 {2}evt_1$/,
      ),
      expect.stringContaining('[duplicate: drop it]  evt_1'),
      expect.stringMatching(/✗ {2}not verified, no_match: .* evt_2$/),
      'stopped: 3 received, 2 verified, 1 refused',
    ]);
  });

  it('reads a secret from the environment and does not print it', async () => {
    const { url, stop } = await listen(['--secret-env', 'HOOK'], { HOOK: SECRET });
    expect(await post(url, SECRET, '1')).toBe(204);
    expect((await stop()).join('\n')).not.toContain(SECRET);
  });

  it('fails the first requests with --fail-first, and responds with --status', async () => {
    const first = await listen(['--secret', SECRET, '--fail-first', '2']);
    const statuses = [];
    for (const id of ['1', '1', '1']) statuses.push(await post(first.url, SECRET, id));
    expect(statuses).toEqual([500, 500, 204]);
    expect((await first.stop()).at(-2)).toContain('[attempt 3]');
    const second = await listen(['--secret', SECRET, '--status', '503']);
    expect([await post(second.url, SECRET, '1'), await post(second.url, SECRET, '2')]).toEqual([503, 503]);
  });

  it('prints one JSON object per request with --json, and nothing else on stdout', async () => {
    const { url, errors, stop } = await listen(['--json']);
    const made = /secret: '(whsec_[^']+)'/.exec(errors.join('\n'))?.[1] ?? '';
    await post(url, made, '1');
    await post(url, OTHER, '2');
    expect((await stop()).map((line) => JSON.parse(line))).toMatchObject([
      { id: 'evt_1', verified: true, status: 204, times: 1, seenBefore: false, event: event('1') },
      { id: 'evt_2', verified: false, status: 401, code: 'no_match' },
    ]);
  });

  it.each([
    [['--secret', 'hunter2'], 'invalid secret'],
    [['--secret-env', 'NOT_THERE'], 'NOT_THERE is not set'],
    [['--status', '99'], 'from 200 to 599'],
    [['--fail-first', 'x'], 'a whole number'],
    [['--secret', SECRET, '--secret-env', 'A'], 'cannot be used with'],
  ])('rejects %j without printing a secret', async (argv, words) => {
    const ended = await runCommand(['listen', '--port', '0', ...argv]);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toContain('hunter2');
  });
});

describe('tidings listen as the receiver of a subscription', () => {
  it('prints a failed delivery and its retry', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-listen-'));
    const simulator = await startSimulator({ tasks: 20 });
    try {
      const { url, stop } = await listen(['--secret', SECRET, '--fail-first', '1', '--json']);
      const resources = Object.fromEntries(OTHERS.map((name) => [name, 'off']));
      const [token = ''] = simulator.tokens.Administrator;
      const config = {
        source: { baseUrl: simulator.url, token, resources },
        network: { allowHttp: true, allow: ['127.0.0.0/8'] },
        subscriptions: [{ name: 'listen', events: ['task.closed'], to: { http: { url, secret: SECRET } } }],
      };
      const file = join(folder, 'tidings.json');
      writeFileSync(file, JSON.stringify(config));
      const cycle = (...argv: readonly string[]) =>
        runCommand(['once', '-c', file, '-d', join(folder, 'data'), ...argv]);
      await cycle();
      const [{ id } = { id: '' }] = simulator.account.list('task', { excludeclosed: 't' });
      simulator.account.update('task', String(id), { statusid: 7 });
      await cycle('--sweep');
      await cycle('--at', new Date(Date.now() + 60_000).toISOString());
      expect((await stop()).map((line) => JSON.parse(line))).toMatchObject([
        {
          status: 500,
          times: 1,
          seenBefore: false,
          verified: true,
          event: { type: 'task.closed', subject: `task/${id}` },
        },
        { status: 204, times: 2, seenBefore: false, verified: true, stale: false },
      ]);
    } finally {
      await simulator.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('tidings test-endpoint', () => {
  it('exits with 0 for an endpoint that verifies, and lists what it cannot test', async () => {
    receiver = await startReceiver(VERIFIERS.right);
    const { code, stdout, stderr } = await tidings(['test-endpoint', receiver.url, '--secret', SECRET]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^✔ {2}a valid request +expected 2xx +204 in \d+ ms +pass$/);
    expect(lines[2]).toMatch(/^\? .* expected once +unclear: not visible from outside$/);
    expect(lines).toContain('The endpoint verifies webhooks.');
    expect(stdout).not.toContain(SECRET);
  });

  it('reads the count from --counter-url', async () => {
    receiver = await startReceiver(VERIFIERS.right, { once: false });
    const argv = ['test-endpoint', receiver.url, '--secret-env', 'HOOK', '--counter-url', receiver.counterUrl];
    const { code, stdout } = await runCommand(argv, { environment: { HOOK: SECRET } });
    expect(code).toBe(1);
    expect(stdout).toContain('fail: the second request raised the count from 1 to 2');
    expect(stdout).toContain('The endpoint failed 1 test.');
  });

  it('exits with 1 for an endpoint that does not verify, and explains the fixes', async () => {
    receiver = await startReceiver(VERIFIERS.ignoresTime);
    const { code, stdout } = await runCommand(['test-endpoint', receiver.url, '--secret', SECRET]);
    expect(code).toBe(1);
    expect(stdout).toContain('The endpoint failed 2 tests.');
    expect(stdout).toMatch(
      /1\. a valid signature, 10 minutes old\n {3}Reject a webhook-timestamp more than 5 minutes in the past/,
    );
  });

  it('prints one object with --json', async () => {
    receiver = await startReceiver(VERIFIERS.acceptsUnsigned);
    const { code, stdout } = await runCommand(['test-endpoint', receiver.url, '--secret', SECRET, '--json']);
    expect(code).toBe(1);
    const { url, ok, results } = JSON.parse(stdout);
    expect({ url, ok }).toEqual({ url: receiver.url, ok: false });
    expect(results).toHaveLength(15);
    const keys = ['name', 'sent', 'expected', 'status', 'ms', 'verdict', 'remark', 'fix', 'mend'];
    expect(Object.keys(results[0])).toEqual(keys);
    expect(results.filter(({ verdict }: { verdict: string }) => verdict === 'fail')).toMatchObject([
      { name: 'unsigned' },
    ]);
  });

  it('stops after a rejected valid request', async () => {
    receiver = await startReceiver(VERIFIERS.right);
    const { code, stdout } = await runCommand(['test-endpoint', receiver.url, '--secret', OTHER]);
    expect(code).toBe(1);
    expect(stdout).toContain('The endpoint rejected a valid request.');
    expect(stdout).not.toContain('a body that was changed');
  });

  it('passes the receiver of tidings listen', async () => {
    const { url } = await listen(['--secret', SECRET]);
    expect((await runCommand(['test-endpoint', url, '--secret', SECRET])).code).toBe(0);
    // The old name of the command.
    expect((await runCommand(['exam', url, '--secret', SECRET])).code).toBe(0);
  });

  it.each([
    [
      ['test-endpoint', 'http://10.0.0.1/', '--secret', SECRET],
      '10.0.0.1 is not a public address; use --allow-private',
    ],
    [['test-endpoint', 'http://169.254.169.254/', '--secret', SECRET, '--allow-private'], 'is not a public address'],
    [['test-endpoint', 'ftp://example.com/', '--secret', SECRET], 'starts with https://'],
    [['test-endpoint', 'http://127.0.0.1:1/'], 'use --secret-env or --secret'],
    [['test-endpoint', 'http://127.0.0.1:1/', '--secret', 'hunter2'], 'invalid secret'],
  ])('rejects %j', async (argv, words) => {
    const ended = await runCommand(argv);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toContain('hunter2');
  });
});
