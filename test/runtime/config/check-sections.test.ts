import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { ConfigError, UsageError } from '../../../core/model/errors.ts';
import { fixedClock } from '../../../core/model/time.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { NOON } from '../../samples.ts';

const LONG = 'sixteen letters!';
const environment = { FROM: 'Tidings <tidings@example.com>', SHORT: 'hunter2hunter2!', LONG };
const source = { baseUrl: 'https://work.example.com', token: 'x' };
const reports = { name: 'reports', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } };
const mail = { from: 'tidings@example.com', smtp: 'smtp://mail.example.com' };
const url = 'https://tidings.example.com';

const parse = (part: object): Config => parseTree('tidings.yaml', { source, ...part }, environment);

function problemsOf(part: object): readonly string[] {
  try {
    parse(part);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('the config of mail', () => {
  it.each<[string, object]>([
    ['an address alone', { mail }],
    ['a name before it', { mail: { ...mail, from: 'Tidings at Work <tidings@example.com>' } }],
    ['a sender of the environment', { mail: { ...mail, from: '${FROM}' } }],
    ['no server, because AWS needs none', { mail: { from: mail.from }, subscriptions: [reports] }],
    ['a secret of 16 characters', { manage: { url, secret: '${LONG}' } }],
    ['a secret made of two', { manage: { url, secret: '${SHORT}-${SHORT}' } }],
    ['a secret of a file, read when it is used', { manage: { url, secret: 'file:/run/key' } }],
  ])('is valid with %s', (_, part) => {
    expect(problemsOf(part)).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    [
      'a sender without an address',
      { mail: { ...mail, from: 'Tidings' } },
      ["mail.from: expected a sender such as 'Tidings <tidings@example.com>', got 'Tidings'"],
    ],
    [
      'two senders',
      { mail: { ...mail, from: 'a@example.com, b@example.com' } },
      ["mail.from: expected a sender such as 'Tidings <tidings@example.com>', got 'a@example.com, b@example.com'"],
    ],
    [
      'a sender with an unset variable, reported once',
      { mail: { ...mail, from: '${NOBODY}' } },
      ['mail.from: expected the environment variable NOBODY to be set'],
    ],
    [
      'a short secret',
      { manage: { url, secret: 'hunter2' } },
      ['manage.secret: expected at least 16 characters, got a value that is not shown here'],
    ],
    [
      'a short secret of the environment',
      { manage: { url, secret: '${SHORT}' } },
      ['manage.secret: expected at least 16 characters, got a value that is not shown here'],
    ],
    [
      'a secret with an unset variable, reported once',
      { manage: { url, secret: '${NOTHING}' } },
      ['manage.secret: expected the environment variable NOTHING to be set'],
    ],
    [
      'readers, and nothing of mail at all',
      { subscriptions: [reports] },
      ['mail: expected from and smtp, because subscriptions[0] sends mail, got nothing'],
    ],
  ])('is invalid with %s', (_, part, problems) => {
    expect(problemsOf(part)).toEqual(problems);
  });
});

describe('the addresses of Slack', () => {
  const to = (slack: object) => ({ subscriptions: [{ ...reports, to: { slack } }] });
  const WRONG = 'expected an https URL (network.allowHttp opens plain http)';
  const environment = { OPEN: 'http://slack.example.com/services/hunter2', SAFE: 'https://slack.example.com/x' };
  const problems = (part: object): unknown => {
    try {
      parseTree('tidings.yaml', { source, ...part }, environment);
      return [];
    } catch (error) {
      return error instanceof ConfigError ? error.problems : error;
    }
  };

  it.each([
    ['a webhook of a file', { webhook: 'file:/run/secrets/slack' }],
    ['a webhook of the environment', { webhook: '${SAFE}' }],
    ['a bot', { token: 'x', channel: '#a' }],
    ['another API URL', { token: 'x', channel: '#a', api: 'https://slack.example.com/api/' }],
  ])('are valid with %s', (_, slack) => {
    expect(problems(to(slack))).toEqual([]);
  });

  it('must be https, because requests carry secrets', () => {
    expect(problems(to({ webhook: '${OPEN}' }))).toEqual([
      { path: 'subscriptions[0].to.slack.webhook', message: `${WRONG}, got a value that is not shown here` },
    ]);
    expect(problems(to({ token: 'x', channel: '#a', api: 'http://slack.example.com/' }))).toEqual([
      { path: 'subscriptions[0].to.slack.api', message: `${WRONG}, got 'http://slack.example.com/'` },
    ]);
    expect(problems({ ...to({ webhook: '${OPEN}' }), network: { allowHttp: true } })).toEqual([]);
  });
});

describe('openEmbedded', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-mail-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (part: object) => {
    const database = openDatabase(join(folder, 'tidings.db'));
    const config = parse(part);
    const clock = fixedClock(NOON);
    const opened = openEmbedded({ config, database, environment, clock, holder: 'test', random: () => 0.5 });
    opened.catch(() => database.close());
    return opened;
  };

  it('does not start when a subscription sends mail and there is no server', async () => {
    const error = await open({ mail: { from: mail.from }, subscriptions: [reports] }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      code: 'TIDINGS_MAIL_SERVER_MISSING',
      message: expect.stringMatching(/^mail\.smtp: expected a server such as .*subscription 'reports' sends mail/),
    });
    const after = await open({});
    expect(await after.subscriptions.list()).toEqual([]);
    await after.close();
  });

  it.each<[string, object]>([
    ['there is one', { mail, subscriptions: [reports] }],
    ['no subscription sends mail', { mail: { from: mail.from } }],
  ])('starts when %s', async (_, part) => {
    const embedded = await open(part);
    expect(await embedded.subscriptions.list()).toHaveLength('subscriptions' in part ? 1 : 0);
    await embedded.close();
  });
});
