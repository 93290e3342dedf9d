/** `tidings init` and `tidings validate` without requests. The installed package runs them against an account. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ProcessContext } from '../../cli/context.ts';
import { signingKey } from '../../core/delivery/signing/sign.ts';
import { runCommand } from './run-command.ts';

const URL = 'https://work.example.com/api';

let folder: string;
const file = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(file(name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type More = Partial<Pick<ProcessContext, 'ask' | 'environment'>>;
const run = (argv: readonly string[], more: More = {}) => runCommand(argv, more);
const init = (argv: readonly string[], more?: More) =>
  run(['init', '--no-check', '--config', file('tidings.yaml'), ...argv], more);
const validate = (...argv: string[]) => run(['validate', '--config', file('tidings.yaml'), ...argv]);

describe('tidings init', () => {
  it('writes a valid config, and a private .env with the token and a new signing secret', async () => {
    const made = await init([
      '--url',
      URL,
      '--token',
      't0ken',
      '--zone',
      'Europe/Berlin',
      '-r',
      'https://ops.example.com/in',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).not.toMatch(/t0ken|whsec_/);
    expect(made.stdout).toContain('tidings serve');
    expect(parse(read('tidings.yaml'))).toEqual({
      source: { baseUrl: URL, token: '${TIDINGS_TOKEN}', timeZone: 'Europe/Berlin' },
      subscriptions: [
        {
          name: 'webhook',
          events: ['*'],
          to: { http: { url: 'https://ops.example.com/in', secret: '${WEBHOOK_SECRET}' } },
        },
      ],
    });
    expect(statSync(file('.env')).mode & 0o777).toBe(0o600);
    const { TIDINGS_TOKEN, WEBHOOK_SECRET = '' } = parseEnv(read('.env'));
    expect(TIDINGS_TOKEN).toBe('t0ken');
    expect(signingKey(WEBHOOK_SECRET)).toBeTruthy();
    expect(await validate()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is valid: 1 source, 1 subscription'),
    });
  });

  it('refers editors to a schema that exists', async () => {
    await init(['--url', URL, '--token', 't']);
    const [, path = ''] = /^# yaml-language-server: \$schema=(.+)\n/.exec(read('tidings.yaml')) ?? [];
    const schema = JSON.parse(readFileSync(resolve(dirname(file('tidings.yaml')), path), 'utf8'));
    expect(Object.keys(schema.properties)).toContain('subscriptions');
  });

  it('writes valid subscriptions for several receivers: webhooks, Slack and mail', async () => {
    const receivers = [
      ...['http://127.0.0.1:1/hook', 'https://two.example.com/', 'https://hooks.slack.com/services/T/B/x'],
      ...['slack:http://localhost:2/hook', 'team@example.com'],
    ].flatMap((one) => ['--receiver', one]);
    const made = await init([
      '--url',
      URL,
      '--token',
      't',
      ...receivers,
      '--smtp',
      'smtp://u:p%23w@mail.example.com:587',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { subscriptions, mail, network } = parse(read('tidings.yaml'));
    expect(subscriptions.map(({ name }: { name: string }) => name)).toEqual([
      'webhook',
      'webhook-2',
      'chat',
      'chat-2',
      'mail',
    ]);
    expect(mail).toEqual({ from: 'Tidings <tidings@example.com>', smtp: '${SMTP_URL}' });
    expect(network).toEqual({ allowHttp: true, allow: ['127.0.0.0/8'] });
    expect(Object.keys(parseEnv(read('.env')))).toEqual(
      [
        'TIDINGS_TOKEN',
        'SMTP_URL',
        'WEBHOOK_SECRET',
        'WEBHOOK_SECRET_2',
        'SLACK_WEBHOOK',
        'SLACK_WEBHOOK_2',
      ].toSorted(),
    );
    expect((await validate()).code).toBe(0);
  });

  it('asks on a terminal for what is missing, and again after a wrong answer', async () => {
    const answers = [
      'nonsense',
      URL,
      ' t0ken ',
      'Nowhere/Here',
      'Europe/Paris',
      'me@example.com',
      'smtp://mail.example.com',
    ];
    const asked: string[] = [];
    const hidden: string[] = [];
    const ask: ProcessContext['ask'] = async (question, options) => {
      asked.push(question);
      const answer = answers.shift() ?? '';
      if (options?.hidden === true) hidden.push(answer.trim());
      return answer;
    };
    expect(await init([], { ask })).toMatchObject({ code: 0, stderr: '' });
    expect([asked.length, answers]).toEqual([7, []]);
    expect(hidden).toEqual(['t0ken', 'smtp://mail.example.com']);
    expect(asked[1]).toContain("expected a URL such as https://work.example.com/api, got 'nonsense'");
    expect(parse(read('tidings.yaml'))).toMatchObject({ source: { baseUrl: URL, timeZone: 'Europe/Paris' } });
  });

  it('refers to a token in the environment, and does not store it', async () => {
    const environment = { WORK_TOKEN: 'hunter2', TIDINGS_TOKEN: 'hunter3' };
    await init(['--url', URL, '--token-env', 'WORK_TOKEN'], { environment });
    expect(read('tidings.yaml')).toContain('token: ${WORK_TOKEN}');
    await init(['--url', URL, '--force'], { environment });
    expect(read('tidings.yaml')).toContain('token: ${TIDINGS_TOKEN}');
    expect(existsSync(file('.env'))).toBe(false);
  });

  it('lists all missing and invalid options, and writes nothing', async () => {
    expect(await init([])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'tidings: init cannot start\n  --url: expected the URL of the API\n' +
        '  --token-env: expected a variable with the token, or set TIDINGS_TOKEN\n' +
        '  stdin is not a terminal, so these options are required\n',
    });
    const { stderr } = await init([
      '--url',
      'ftp://x',
      '--token',
      't',
      '-r',
      'x',
      '--zone',
      'Mars',
      '--smtp',
      'hunter2',
    ]);
    expect(stderr.match(/^ {2}--\w+/gm)).toEqual(['  --url', '  --zone', '  --receiver', '  --smtp']);
    expect(stderr).not.toContain('hunter2');
    expect((await init(['--url', URL, '--token', 't', '-r', 'me@example.com'])).stderr).toContain(
      '--smtp: expected a mail server',
    );
    expect((await init(['--url', 'http://work.example.com', '--token', 't'])).stderr).toContain(
      'source.baseUrl: expected an https URL',
    );
    expect(existsSync(file('tidings.yaml')) || existsSync(file('.env'))).toBe(false);
  });

  it('replaces no config and no variable without --force, and keeps other variables', async () => {
    writeFileSync(file('.env'), 'OTHER=1', { mode: 0o644 });
    const argv = ['--url', URL, '--token', 'one', '-r', 'https://ops.example.com/'];
    expect((await init(argv)).code).toBe(0);
    expect(read('.env')).toMatch(/^OTHER=1\nTIDINGS_TOKEN=one\nWEBHOOK_SECRET=/);
    expect(statSync(file('.env')).mode & 0o777).toBe(0o600);
    const before = [read('tidings.yaml'), read('.env')];
    const refused = await init(argv);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('use --force to replace it') });
    rmSync(file('tidings.yaml'));
    expect((await init(argv)).stderr).toContain('already sets TIDINGS_TOKEN, WEBHOOK_SECRET');
    writeFileSync(file('tidings.yaml'), before[0] ?? '');
    expect([read('tidings.yaml'), read('.env')]).toEqual(before);
    expect((await init(['--url', URL, '--token', 'two', '--force'])).code).toBe(0);
    expect(parseEnv(read('.env'))).toMatchObject({ OTHER: '1', TIDINGS_TOKEN: 'two' });
  });

  it('writes nothing beside a .env that cannot be read or parsed', async () => {
    mkdirSync(file('.env'));
    expect((await init(['--url', URL, '--token', 't'])).stderr).toContain('cannot be read: nothing was written');
    rmSync(file('.env'), { recursive: true });
    writeFileSync(file('.env'), 'broken');
    const refused = await init(['--url', URL, '--token', 't', '--force']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('line 1: expected NAME=value') });
    expect([read('.env'), existsSync(file('tidings.yaml'))]).toEqual(['broken', false]);
  });

  it('writes nothing when the questions are cancelled', async () => {
    const ask = () => Promise.reject(new DOMException('The operation was aborted', 'AbortError'));
    expect(await init([], { ask })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tidings: cancelled: nothing was written\n',
    });
    expect(existsSync(file('tidings.yaml'))).toBe(false);
  });
});

describe('tidings validate', () => {
  const write = (config: object) => writeFileSync(file('tidings.yaml'), JSON.stringify(config));

  it('reports all problems at once, with exit code 2', async () => {
    write({
      source: { baseUrl: URL, token: '${NONE}' },
      subscriptions: [{ name: 'a', events: ['task.overdu'], to: {} }],
    });
    const { code, stdout, stderr } = await validate();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('source.token: expected the environment variable NONE to be set');
    expect(stderr).toContain("the nearest is 'task.overdue'");
    expect(stderr).toContain('subscriptions[0].to: expected exactly one of');
    const json = await validate('--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, problems: { length: 3 } });
    expect(json.code).toBe(2);
  });

  it('reads .env beside the config, not of the current folder', async () => {
    mkdirSync(file('sub'));
    write({ source: { baseUrl: URL, token: '${THE_TOKEN}' } });
    writeFileSync(file('sub/.env'), 'THE_TOKEN=1');
    expect((await validate()).code).toBe(2);
    writeFileSync(file('.env'), 'THE_TOKEN=1');
    expect((await validate()).code).toBe(0);
    expect(JSON.parse((await validate('--json')).stdout)).toEqual({
      file: file('tidings.yaml'),
      valid: true,
      problems: [],
    });
  });

  it('finds secret files that cannot be read, and mail without a server', async () => {
    write({ source: { baseUrl: URL, token: 'file:/nowhere/token' } });
    expect(await validate()).toMatchObject({ code: 2, stderr: expect.stringContaining('/nowhere/token') });
    const mail = {
      mail: { from: 'a@example.com' },
      subscriptions: [{ name: 'm', events: ['*'], to: { email: { to: ['b@example.com'] } } }],
    };
    write({ source: { baseUrl: URL, token: 't' }, ...mail });
    expect(await validate()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mail.smtp: expected a server'),
    });
    write({ source: { baseUrl: URL, token: 'ssm:/token' }, ...mail });
    expect((await validate('--for-aws')).code).toBe(0);
    expect((await validate()).stderr).toContain('check --for-aws');
  });

  it('names a config that cannot be read', async () => {
    expect((await validate()).stderr).toContain(
      'no such file; name another with --config, or create one with: tidings init',
    );
    mkdirSync(file('tidings.yaml'));
    expect((await validate()).stderr).toContain('cannot be read');
  });
});
