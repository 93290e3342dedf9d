/** Common mistakes of new users: one clear message on stderr, exit code 2, nothing changed on disk. */

import { globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { tidings } from './command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-bad-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = { baseUrl: 'http://127.0.0.1:9', token: 'x' };
const http = { url: 'https://ops.example.com', secret: SECRET };
const subscription = { name: 'ops', events: ['task.*'], to: { http } };
const good = { source, subscriptions: [subscription] };

const path = (name: string) => join(folder, name);
const write = (config: unknown) => writeFileSync(path('tidings.yaml'), stringify(config));
const files = () => globSync('**/*', { cwd: folder }).map((file) => `${file} ${statSync(path(file)).size}`);
const usual = () => ['once', '--config', path('tidings.yaml'), '--data', path('data')];

const rows: [string, () => string[], RegExp][] = [
  ['a missing config file', () => ['once', '--config', path('nowhere.yaml')], /config '.*nowhere\.yaml': no such file/],
  [
    'YAML that does not parse',
    () => {
      writeFileSync(path('tidings.yaml'), 'source: [\n');
      return usual();
    },
    /tidings\.yaml: 1 problem\n {2}line \d+, column \d+: expected YAML/,
  ],
  [
    'an unknown time zone',
    () => {
      write({ ...good, source: { ...source, timeZone: 'Mars/Base' } });
      return usual();
    },
    /source\.timeZone: expected an IANA zone such as 'Europe\/Berlin', got 'Mars\/Base'/,
  ],
  [
    'an unknown event type',
    () => {
      write({ source, subscriptions: [{ ...subscription, events: ['task.vanished'] }] });
      return usual();
    },
    /subscriptions\[0\]\.events\[0\]: expected an event type.*got 'task\.vanished'/,
  ],
  [
    'an invalid URL',
    () => {
      write({ source, subscriptions: [{ ...subscription, to: { http: { ...http, url: 'nonsense' } } }] });
      return usual();
    },
    /subscriptions\[0\]\.to\.http\.url: expected a URL.*got 'nonsense'/,
  ],
  [
    'a data directory that is a file',
    () => {
      write(good);
      writeFileSync(path('data'), 'mine');
      return usual();
    },
    /data file '.*data\/tidings\.db': expected /,
  ],
  [
    'a data directory that cannot be written',
    () => {
      write(good);
      return ['once', '--config', path('tidings.yaml'), '--data', '/proc/tidings'];
    },
    /data file '\/proc\/tidings\/tidings\.db': expected a directory that can be made/,
  ],
  [
    'a data file of a newer version',
    () => {
      write(good);
      mkdirSync(path('data'));
      const newer = new DatabaseSync(path('data/tidings.db'));
      newer.exec('PRAGMA user_version = 99');
      newer.close();
      return usual();
    },
    /schema version 99, this tidings knows up to \d+: run a newer tidings/,
  ],
  [
    'an invalid --at',
    () => {
      write(good);
      return [...usual(), '--at', 'tomorrow'];
    },
    /--at.*'tomorrow' is invalid\. Expected a timestamp with its offset/,
  ],
  [
    'a token that is not set',
    () => {
      write({ source: { ...source, token: '${NO_SUCH}' } });
      return usual();
    },
    /source\.token: expected the environment variable NO_SUCH to be set/,
  ],
  ['an unknown option', () => ['once', '--swep'], /unknown option '--swep'\n\(Did you mean --sweep\?\)/],
  ['an unknown command', () => ['onec'], /unknown command 'onec'\n\(Did you mean once\?\)/],
  ['events of a directory without data', () => ['events', '--data', path('data')], /no data in directory '.*data' yet/],
  [
    'a type that matches nothing',
    () => ['events', '--data', path('data'), '--type', 'x.*'],
    /'x\.\*' is invalid\. Expected an event type/,
  ],
  [
    'a status that does not exist',
    () => ['deliveries', '--status', 'lost'],
    /Allowed choices are waiting, pending, held, gathered, settled, failed/,
  ],
  ['an invalid port', () => ['serve', '--port', '99999'], /Expected a port from 0 to 65535/],
];

describe('bad input', () => {
  it.each(rows)('%s', async (_, prepare, message) => {
    const argv = prepare();
    const before = files();
    const ended = await runCommand(argv);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/\n\s+at .*\.ts:\d+/);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(files()).toEqual(before);
  });

  it('exits the process with 2', async () => {
    const ended = await tidings(['once', '--config', path('nowhere.yaml')]);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no such file') });
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('lists the commands with --help', async () => {
    const { code, stdout } = await runCommand(['--help']);
    expect(code).toBe(0);
    for (const command of ['once', 'serve', 'events', 'deliveries'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    expect(stdout).toContain('Exit codes: 0 success, 1 failure, 2 invalid usage or config.');
  });
});
