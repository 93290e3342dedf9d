/** `tidings check` and `tidings status`, as a user runs them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Mailbox, startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { type Role, type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { runCommand } from '../cli/run-command.ts';
import { SECRET } from '../samples.ts';
import { tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let folder: string;
let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-check-'));
  simulator = await startSimulator({ tasks: 120, quota: 6000 });
  receiver = await startReceiver(SECRET);
});

afterEach(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function configFor(role: Role, change: object = {}): string {
  const file = join(folder, 'tidings.yaml');
  const http = { url: receiver.url, secret: SECRET };
  const config = {
    source: { baseUrl: simulator.url, token: simulator.tokens[role][0] },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops', events: ['task.*'], to: { http } }],
    ...change,
  };
  writeFileSync(file, stringify(config));
  return file;
}

describe('tidings check', () => {
  it('shows the owner of the token, its quota and access, the request forecast, and the endpoint', async () => {
    const { code, stdout } = await tidings(['check', '--config', configFor('Administrator')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ {2}main at http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/token {6}\S+ \S+, Administrator\n/);
    expect(stdout).toMatch(/time zone {2}\S+\/\S+ \(the token's user\)/);
    expect(stdout).toMatch(/quota {6}\d+ of 6,000 used, resets in [^\n]+/);
    expect(stdout).toMatch(/forecast {3}\d{3} of 6,000 requests per day/);
    expect(stdout).toMatch(/task +120/);
    expect(stdout).toMatch(/✔ {2}ops: 127\.0\.0\.1, plain http/);
    expect(receiver.events).toEqual([]);
  });

  it('lists resources that the role may not read, without failing', async () => {
    const { code, stdout } = await runCommand(['check', '--config', configFor('Resource'), '--json']);
    expect(code).toBe(0);
    const [source] = JSON.parse(stdout).sources;
    const problems = Object.fromEntries(
      source.resources.map((one: { resource: string; problem: string }) => [one.resource, one.problem]),
    );
    expect(problems).toMatchObject({ task: null, invoice: "the token's role may not read it" });
  });

  it('sends a signed ping with --ping', async () => {
    const { code, stdout } = await runCommand(['check', '--config', configFor('Administrator'), '--ping']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('ping accepted with 204') });
    expect(receiver.events).toMatchObject([{ type: 'tidings.ping', subject: 'subscription/ops' }]);
  });

  it('exits with 1 and the reason: an invalid token, an unreachable API, a blocked endpoint', async () => {
    const bad = configFor('Administrator', {
      source: { baseUrl: simulator.url, token: 'hunter2hunter2' },
      network: { allowHttp: true },
    });
    const refused = await runCommand(['check', '--config', bad]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/✗ {2}main at .*: .*refused the token/);
    expect(refused.stdout).toMatch(/✗ {2}ops: 127\.0\.0\.1 is not a public address/);
    expect(refused.stdout + refused.stderr).not.toContain('hunter2');
    const gone = configFor('Administrator', { source: { baseUrl: 'http://127.0.0.1:9', token: 'x' } });
    expect(await runCommand(['check', '--config', gone])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('did not answer'),
    });
  });
});

describe('tidings check for Slack and mail', () => {
  const PASSWORD = 'hunter2hunter2';
  let slack: Slack;
  let mailbox: Mailbox;

  beforeEach(async () => {
    slack = await startSlack();
    mailbox = await startMailbox({ login: { user: 'tidings', password: PASSWORD } });
  });

  afterEach(async () => {
    await Promise.all([slack.close(), mailbox.close()]);
  });

  const forPeople = () => ({
    mail: {
      from: 'Tidings <tidings@example.com>',
      smtp: mailbox.smtpUrl.replace('smtp://', 'smtp://tidings:${SMTP_PASSWORD}@'),
    },
    subscriptions: [
      { name: 'hook', events: ['task.*'], to: { slack: { webhook: '${SLACK_WEBHOOK}' } } },
      {
        name: 'bot',
        events: ['task.*'],
        to: { slack: { token: '${SLACK_TOKEN}', channel: '#finance', api: slack.apiUrl } },
      },
      { name: 'mail', events: ['invoice.*'], to: { email: { to: ['ann@example.com'] } } },
    ],
  });

  const check = async (config: object, more: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) => {
    const secrets = { SLACK_WEBHOOK: slack.webhookUrl, SLACK_TOKEN: slack.token, SMTP_PASSWORD: PASSWORD };
    const argv = ['check', '--config', configFor('Administrator', config), ...more];
    const ended = await runCommand(argv, { environment: { ...secrets, ...environment } });
    const output = ended.stdout + ended.stderr;
    for (const secret of [new URL(slack.webhookUrl).pathname, slack.token, PASSWORD])
      expect(output).not.toContain(secret);
    return ended;
  };

  it('checks Slack and the mail server, and sends them nothing', async () => {
    const { code, stdout } = await check(forPeople());
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/✔ {2}hook: 127\.0\.0\.1, plain http\n/);
    expect(stdout).toMatch(/✔ {2}bot: 127\.0\.0\.1, plain http\n/);
    expect(stdout).toMatch(/✔ {2}mail: 127\.0\.0\.1:\d+ resolves to 127\.0\.0\.1, login ok\n/);
    expect([slack.requests, mailbox.connections, mailbox.mails]).toEqual([0, 1, []]);
  });

  it('sends each of them a ping with --ping, and lists their URLs in JSON', async () => {
    const { code, stdout } = await check(forPeople(), ['--ping', '--json']);
    expect({ code, endpoints: JSON.parse(stdout).endpoints }).toMatchObject({
      code: 0,
      endpoints: [
        { subscription: 'hook', url: slack.url, ok: true, ping: 'accepted with 200' },
        { subscription: 'bot', url: slack.url, ok: true, ping: 'accepted with 200' },
        { subscription: 'mail', url: mailbox.smtpUrl, ok: true, ping: 'accepted with 250' },
      ],
    });
    const texts = slack.messages.map(({ text }) => text);
    expect(texts.toSorted()).toEqual(
      ['bot', 'hook'].map((name) => expect.stringMatching(new RegExp(`Test message: .*A ping to Receiver “${name}”`))),
    );
    expect(mailbox.mails.map(({ parsed: { subject } }) => subject)).toEqual(['[Test] A ping to Receiver “mail”']);
  });

  it('exits with 1 when a ping is not accepted', async () => {
    slack.removeApp();
    const { code, stdout } = await check(forPeople(), ['--ping']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ {2}hook: .*; ping not accepted: Slack answered 404 no_service: the webhook was removed/);
    expect(stdout).toMatch(/✗ {2}bot: .*; ping not accepted: Slack answered 200 account_inactive/);
  });

  it('exits with 1 and the reason: a missing secret, an invalid webhook, a rejected login', async () => {
    const { mail, subscriptions } = forPeople();
    const [hook] = subscriptions;
    const http = { url: receiver.url, secret: `file:${join(folder, 'none')}` };
    const { code, stdout, stderr } = await check(
      {
        mail,
        subscriptions: [
          ...subscriptions,
          { ...hook, name: 'lost', to: { slack: { webhook: `file:${join(folder, 'none')}` } } },
          { ...hook, name: 'signed', to: { http } },
        ],
      },
      [],
      { SLACK_WEBHOOK: 'xapp-no-url-at-all', SMTP_PASSWORD: 'another-password' },
    );
    expect({ code, stdout, stderr }).toMatchObject({ code: 1 });
    expect(stdout).toMatch(
      /✗ {2}hook: to\.slack\.webhook: expected the URL of an incoming webhook, as on the app's page in Slack\n/,
    );
    expect(stdout).toMatch(/✔ {2}bot: /);
    expect(stdout).toMatch(/✗ {2}mail: 127\.0\.0\.1:\d+ does not accept the user and password of mail\.smtp: 535 /);
    expect(stdout).toMatch(/✗ {2}lost: 'file:.*none' could not be read/);
    expect(stdout).toMatch(/✗ {2}signed: 'file:.*none' could not be read/);
    expect(stdout).not.toMatch(/another-password|xapp-no-url/);
  });

  it('rejects a config that sends mail without a mail server', async () => {
    const { mail, subscriptions } = forPeople();
    const { code, stderr } = await check({ mail: { from: mail.from }, subscriptions });
    expect(code).toBe(2);
    expect(stderr).toContain(
      "mail.smtp: expected a server such as smtp://user:password@host:587, because subscription 'mail'",
    );
  });
});

describe('tidings status', () => {
  it('shows the last and next scans and the quota', async () => {
    const config = configFor('Manager');
    const data = join(folder, 'data');
    await runCommand(['once', '--config', config, '--data', data]);
    const { code, stdout } = await tidings(['status', '--config', config, '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main {2}ok\n/);
    expect(stdout).toMatch(/requests {3}\d+ of 6,000 used, resets in .*; at this rate \d+ per day/);
    expect(stdout).toMatch(/task +120 +\d+ s ago +\d+ s ago +in [34] min +\d+/);
    const json = JSON.parse((await runCommand(['status', '--config', config, '--data', data, '--json'])).stdout);
    expect(json.sources[0]).toMatchObject({ source: 'main', state: 'ok', quotaState: 'ok', stretch: 1 });
    expect(json.sources[0].resources).toHaveLength(9);
  });

  it('reports that polling is paused when the quota is used up, whatever the last figures were', async () => {
    const config = configFor('Manager');
    const data = join(folder, 'data');
    await runCommand(['once', '--config', config, '--data', data]);
    simulator.quota.reset(6000);
    await runCommand(['once', '--sweep', '--config', config, '--data', data]);
    const { stdout } = await runCommand(['status', '--config', config, '--data', data]);
    expect(stdout).toMatch(
      /requests {3}quota of 6,000 used up except for the reserve, resets in .*; polling is paused until then; at/,
    );
  });

  it('lists forbidden resources and failed scans', async () => {
    const config = configFor('Resource');
    const data = join(folder, 'data');
    simulator.setFaults({ serverError: { status: 500, code: 19, resource: 'project' } });
    await runCommand(['once', '--config', config, '--data', data]);
    const { stdout } = await runCommand(['status', '--config', config, '--data', data]);
    expect(stdout).toMatch(/invoice .*the token has no access/);
    expect(stdout).toMatch(/project .*failed 1 time, TIDINGS_SOURCE_STATUS: .*500/);
  });
});
