import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awsReference } from '../../../runtime/config/aws-reference.ts';
import { checkForAws, permissionsOf, referencesOf, senderOf } from '../../../runtime/config/aws-references.ts';
import { loadConfigForAws, parseTree } from '../../../runtime/config/load.ts';

const EXPECTED = "expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager";

const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
const http = { url: 'https://ops.example.com', secret: 'secret:tidings/ops' };
const hook = (to: object) => ({ name: 'hook', events: ['task.*'], to });
const parse = (raw: object, environment = {}) => parseTree('tidings.yaml', raw, environment, 'aws');

describe('awsReference', () => {
  it('reads parameters, secrets, and keys of secrets', () => {
    expect(awsReference('ssm:/tidings/token')).toEqual({ store: 'ssm', name: '/tidings/token' });
    expect(awsReference('secret:tidings/ops')).toEqual({ store: 'secret', name: 'tidings/ops' });
    expect(awsReference('secret:tidings/ops#a key')).toEqual({ store: 'secret', name: 'tidings/ops', key: 'a key' });
  });

  it.each([
    'token',
    'ssm:token',
    'ssm:/',
    'ssm:/a//b',
    'ssm:/a/*',
    'secret:',
    'secret:#key',
    'secret:a*',
    'ssm:/a b',
    'file:/x',
  ])('returns undefined for %s', (text) => expect(awsReference(text)).toBeUndefined());

  it('accepts no name with an IAM wildcard', () => {
    fc.assert(
      fc.property(fc.constantFrom('ssm:/', 'secret:'), fc.string(), (start, text) => {
        expect(awsReference(start + text)?.name ?? '').not.toMatch(/[*?$]/);
      }),
    );
  });
});

describe('a config for AWS', () => {
  it('is valid with references to secrets that do not exist yet', () => {
    const raw = {
      source,
      subscriptions: [
        hook({ http: { ...http, headers: { 'x-key': 'ssm:/key' }, auth: { bearer: 'secret:a#b' } } }),
        { ...hook({ slack: { webhook: 'ssm:/slack' } }), name: 'chat' },
      ],
    };
    expect(parse(raw).subscriptions).toHaveLength(2);
  });

  it('expands variables everywhere except in secrets', () => {
    const raw = { source: { ...source, baseUrl: 'https://${HOST}/api' } };
    expect(parse(raw, { HOST: 'work.example.com' }).sources[0]?.baseUrl).toBe('https://work.example.com/api');
    expect(() => parse(raw)).toThrow('source.baseUrl: expected the environment variable HOST to be set');
  });

  it('reports each secret that is not an AWS reference, by path and kind, and shows none', () => {
    const raw = {
      source: { ...source, token: '${TOKEN}' },
      manage: { url: 'https://tidings.example.com', secret: 'hunter2-hunter2-hunter2' },
      subscriptions: [
        hook({
          http: { ...http, secret: 'file:/run/secret', headers: { 'x-key': 'hunter2' }, auth: { bearer: 'ssm:*' } },
        }),
      ],
    };
    expect(checkForAws(raw)).toEqual([
      { path: 'source.token', message: `${EXPECTED}, got an environment variable` },
      { path: 'manage.secret', message: `${EXPECTED}, got a value that is not shown here` },
      { path: 'subscriptions[0].to.http.secret', message: `${EXPECTED}, got a file` },
      { path: 'subscriptions[0].to.http.headers.x-key', message: `${EXPECTED}, got a value that is not shown here` },
      { path: 'subscriptions[0].to.http.auth.bearer', message: `${EXPECTED}, got a name that AWS does not accept` },
    ]);
    expect(() => parse(raw, { TOKEN: 'hunter2' })).toThrow('5 problems');
  });

  it('does not treat the content of a filter as a secret', () => {
    const where = { data: { record: { token: ['red'], secret: [{ prefix: 'x' }] } } };
    expect(checkForAws({ subscriptions: [{ where, template: { text: '{{ token }}' } }] })).toEqual([]);
  });

  it('allows no mail server, and only a plain sender address', () => {
    const mail = (from: string, smtp?: string) => ({ source, mail: { from, ...(smtp === undefined ? {} : { smtp }) } });
    expect(() => parse(mail('Tidings <t@example.com>', 'ssm:/smtp'))).toThrow(
      'mail.smtp: expected nothing here: in AWS mail is sent through SES',
    );
    expect(() => parse(mail('nobody'))).toThrow(
      "mail.from: expected a sender such as 'Tidings <tidings@example.com>', got 'nobody'",
    );
    expect(() => parse(mail('*@example.com'))).toThrow('mail.from: expected an address without *, ? and $');
    expect(parse(mail('Tidings <t@example.com>')).mail?.from).toBe('Tidings <t@example.com>');
  });

  it('is limited to the length of a command-line argument', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-long-'));
    const file = join(folder, 'tidings.json');
    const write = (count: number) => {
      const links = Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`task${n}`, `https://x.example.com/${'"'.repeat(9)}`]),
      );
      writeFileSync(file, JSON.stringify({ source, links }));
    };
    try {
      write(20);
      expect(loadConfigForAws(file, {}).text).toContain('task19');
      write(5_000);
      expect(() => loadConfigForAws(file, {})).toThrow(
        /expected a config of at most 120,000 characters as JSON.*got \d{3},\d{3}; add sources with 'tidings sources add --aws STACK' and subscriptions with 'tidings subscriptions add --aws STACK'/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is also checked for everything else', () => {
    expect(() =>
      parse({ source, subscriptions: [hook({ http: { ...http, url: 'http://ops.example.com' } })] }),
    ).toThrow('subscriptions[0].to.http.url: expected an https URL');
    const named = hook({ http: { ...http, headers: { 'bad name': 'ssm:/key' } } });
    expect(() => parse({ source, subscriptions: [named] })).toThrow('subscriptions[0].to.http.headers.bad name');
  });

  it('is rejected in the embedded mode, with one hint how to check it', () => {
    const raw = {
      source,
      manage: { url: 'https://tidings.example.com', secret: 'ssm:no-name' },
      subscriptions: [hook({ http: { ...http, headers: { 'x-key': 'secret:key' } } })],
    };
    const elsewhere = 'expected ${NAME}, file:PATH or the secret: ssm: and secret: are resolved in AWS';
    expect(() => parseTree('config/tidings.yaml', raw, {})).toThrow(
      [
        'config/tidings.yaml: 4 problems',
        `  source.token: ${elsewhere}`,
        `  manage.secret: ${elsewhere}`,
        `  subscriptions[0].to.http.secret: ${elsewhere}`,
        `  subscriptions[0].to.http.headers.x-key: ${elsewhere}`,
        'a config with ssm: or secret: references is for AWS; check it with: tidings check --for-aws --config config/tidings.yaml',
      ].join('\n'),
    );
  });

  it('adds no hint when there are no references, or when it is invalid for AWS', () => {
    expect(() => parseTree('tidings.yaml', { source: { ...source, token: 'x', name: 5 } }, {})).not.toThrow(/for-aws/);
    expect(() => parse({ source: { ...source, name: 5 } })).not.toThrow(/for-aws/);
    expect(() => parse({ source: { ...source, name: 5 } })).toThrow('1 problem');
  });
});

describe('cadences of a config for AWS', () => {
  const warningsOf = (raw: object, environment = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-cadences-'));
    try {
      const file = join(folder, 'tidings.json');
      writeFileSync(file, JSON.stringify(raw));
      return loadConfigForAws(file, environment).warnings.map(({ path, message }) => `${path}: ${message}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const SHORT_CADENCE = "expected '1m' or more: in AWS polls run once a minute";

  it('are valid from one minute on, and by default', () => {
    expect(warningsOf({ source })).toEqual([]);
    const resources = { task: { every: '1m', sweep: '60s' }, invoice: { every: '90s' }, person: 'off' };
    expect(warningsOf({ source: { ...source, resources } })).toEqual([]);
  });

  it('that are shorter are warnings, each with its path and value', () => {
    const resources = { task: { every: '2s' }, invoice: { sweep: '${OFTEN}' }, client: { every: '59s', sweep: '1s' } };
    expect(warningsOf({ source: { ...source, resources } }, { OFTEN: '30s' })).toEqual([
      `source.resources.task.every: ${SHORT_CADENCE}, got '2s'`,
      `source.resources.invoice.sweep: ${SHORT_CADENCE}, got '\${OFTEN}'`,
      `source.resources.client.every: ${SHORT_CADENCE}, got '59s'`,
      `source.resources.client.sweep: ${SHORT_CADENCE}, got '1s'`,
    ]);
    const sources = [source, { ...source, name: 'second', resources: { task: { every: '5s' } } }];
    expect(warningsOf({ sources })).toEqual([`sources[1].resources.task.every: ${SHORT_CADENCE}, got '5s'`]);
  });
});

describe('the references and permissions of a config', () => {
  const config = parse({
    sources: [
      { ...source, name: 'a' },
      { ...source, name: 'b' },
    ],
    mail: { from: 'Tidings <t@mail.example.com>' },
    manage: { url: 'https://tidings.example.com', secret: 'ssm:/links' },
    subscriptions: [
      hook({ http: { ...http, headers: { 'x-key': 'ssm:/key' } } }),
      { ...hook({ slack: { token: 'secret:bot#token', channel: '#x' } }), name: 'chat' },
      { ...hook({ email: { to: ['ann@example.com'] } }), name: 'mail' },
    ],
  });

  it('are assigned to the functions that need them, without duplicates', () => {
    expect(referencesOf(config)).toEqual({
      poll: ['ssm:/tidings/token'],
      deliver: ['secret:tidings/ops', 'ssm:/key', 'secret:bot#token', 'ssm:/links'],
      manage: ['ssm:/links'],
    });
  });

  it('include the domain of the sender, and each bus once', () => {
    expect(senderOf('Tidings <t@mail.example.com>')).toEqual({
      address: 't@mail.example.com',
      domain: 'mail.example.com',
    });
    expect(permissionsOf(config)).toEqual([]);
    const to = (name: string, bus: object) => ({ ...hook({ bus }), name });
    const buses = parse({
      source,
      subscriptions: [to('a', {}), to('b', { name: 'default' }), to('c', { name: 'ours' })],
    });
    expect(permissionsOf(buses)).toMatchObject([
      { action: 'events:PutEvents', name: 'default' },
      { action: 'events:PutEvents', name: 'ours' },
    ]);
  });
});
