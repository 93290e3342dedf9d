/** `tidings slack` against the simulated Slack, and `tidings subscriptions export`. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { BOT_SCOPES } from '../../cli/slack-manifest.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { startFakeSlack } from '../manage/slack/fake-slack.ts';
import { NOON } from '../samples.ts';
import { runCommand } from './run-command.ts';

let folder: string;
let slack: Slack;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-slack-'));
  slack = await startSlack();
});
afterAll(async () => {
  await slack.close();
  rmSync(folder, { recursive: true, force: true });
});

const SOURCE = 'source: { baseUrl: https://work.example.com/api, token: "${TOKEN}" }\n';

function check(section: string, environment: Readonly<Record<string, string>> = {}) {
  const config = join(folder, 'tidings.yaml');
  const network = 'network: { allowHttp: true, allow: [127.0.0.0/8] }\n';
  writeFileSync(config, `${SOURCE}${network}slack: ${section}\n`);
  const variables = { TOKEN: 't', BOT: slack.token, APP: slack.appToken, API: slack.apiUrl, ...environment };
  return runCommand(['slack', 'check', '--config', config, '--data', join(folder, 'data')], { environment: variables });
}

describe('tidings slack manifest', () => {
  it('uses Socket Mode without a URL, and one request URL with it', async () => {
    const socket = await runCommand(['slack', 'manifest', '--json']);
    const manifest = JSON.parse(socket.stdout);
    expect(manifest.settings).toMatchObject({ socket_mode_enabled: true });
    expect(socket.stdout).not.toContain('request_url');
    expect(manifest.oauth_config.scopes.bot).toEqual([...BOT_SCOPES]);

    const http = await runCommand(['slack', 'manifest', '--url', 'https://tidings.example.com/']);
    expect(http.stdout).toContain('"request_url": "https://tidings.example.com/slack"');
    const [link = ''] = /https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=\S+/.exec(http.stdout) ?? [];
    const inLink = JSON.parse(new URL(link).searchParams.get('manifest_json') ?? '');
    expect(inLink.settings).toMatchObject({ socket_mode_enabled: false });
    expect(inLink.features.slash_commands).toMatchObject([
      { command: '/tidings', url: 'https://tidings.example.com/slack' },
    ]);
    expect(await runCommand(['slack', 'manifest', '--url', 'http://x'])).toMatchObject({ code: 2 });
  });
});

describe('tidings slack check', () => {
  it('tries token, scopes and socket', async () => {
    const section = '{ token: "${BOT}", appToken: "${APP}", api: "${API}", offer: [task.*] }';
    const { code, stdout } = await check(section);
    expect(stdout).toContain('✔ token: ');
    expect(stdout).toContain('✔ scopes: app_mentions:read');
    expect(stdout).toContain('✔ socket: Slack said hello');
    expect(code).toBe(0);
  });

  it('says what is wrong, without the token', async () => {
    const section = '{ token: "${BOT}", appToken: "${APP}", signingSecret: "${BOT}", api: "${API}" }';
    const { code, stdout } = await check(section, { BOT: 'xoxb-wrong', APP: 'xapp-wrong' });
    expect(code).toBe(1);
    expect(stdout).toContain('✗ slack.token: Slack answered invalid_auth');
    expect(stdout).toContain('✗ slack.appToken: slack.appToken: Slack opens no socket: invalid_auth');
    expect(stdout).toContain('✗ slack.signingSecret: expected 32 hexadecimal digits');
    expect(stdout).toContain('no channel can subscribe to anything');
    expect(stdout).not.toContain('xoxb-wrong');
  });

  it('says that Slack names no workspace, without which the app refuses every request', async () => {
    const nameless = await startFakeSlack();
    nameless.failures.set('auth.test', [{ status: 200, body: { ok: true, user: 'tidings', team: 'Agency' } }]);
    const section = '{ token: "${BOT}", signingSecret: "${BOT}", api: "${API}", offer: [task.*] }';
    const { code, stdout } = await check(section, { API: nameless.api });
    await nameless.stop();
    expect(code).toBe(1);
    expect(stdout).toContain('✗ slack.token: Slack does not say which workspace it is of');
  });
});

describe('tidings subscriptions export', () => {
  it('writes what channels and commands added as YAML that the config accepts', async () => {
    const data = join(folder, 'exported');
    const run = (...argv: readonly string[]) => runCommand([...argv, '--data', data]);
    expect((await runCommand(['subscriptions', 'export', '--data', join(folder, 'nothing')])).code).toBe(2);
    const { mkdirSync } = await import('node:fs');
    mkdirSync(data, { recursive: true });
    const database = openDatabase(join(data, 'tidings.db'));
    const { subscriptions } = sqliteStores(database);
    await subscriptions.save({
      name: 'declared',
      events: ['*'],
      to: { channel: 'http', settings: { url: 'https://ops.example.com/' } },
      declared: true,
    });
    await subscriptions.save({
      name: 'website',
      events: ['task.overdue'],
      where: { data: { record: { project: [{ 'equals-ignore-case': 'Website: “relaunch” #1' }] } } },
      digest: { at: '08:30', days: ['mon', 'fri'] },
      dayStartsAt: '07:00',
      rate: { count: 1, per: 1000 },
      to: { channel: 'slack', settings: { channel: 'C1', thread: '1731750000.000100' } },
      declared: false,
      owner: 'slack:C1',
      createdAt: NOON,
      madeBy: { id: 'U1', name: 'ann\nvogt', query: 'task.overdue daily 08:30 mon,fri', request: 'r', allowedBy: 'U2' },
    });
    database.close();
    const { stdout, code } = await run('subscriptions', 'export');
    expect(code).toBe(0);
    expect(stdout).toContain('# made in Slack by ann vogt (U1), allowed by U2 since 2026-11-');
    const config = `${SOURCE}slack: { token: a, appToken: b }\n${stdout}`;
    const loaded = parseConfig('tidings.yaml', config, { TOKEN: 't' }).subscriptions;
    expect(loaded).toMatchObject([
      {
        name: 'website',
        events: ['task.overdue'],
        where: { data: { record: { project: [{ 'equals-ignore-case': 'Website: “relaunch” #1' }] } } },
        digest: { at: '08:30', days: ['mon', 'fri'] },
        dayStartsAt: '07:00',
        rate: { count: 1, per: 1000 },
        to: { channel: 'slack', settings: { channel: 'C1', thread: '1731750000.000100' } },
      },
    ]);
    const listed = await run('subscriptions');
    expect(listed.stdout).toContain('made in Slack by ann');
    expect((await run('subscriptions', 'remove', 'website')).stdout).toContain('removed website');
    expect((await run('subscriptions', 'export')).stdout.trim()).toBe('subscriptions: []');
  });
});
