import { describe, expect, it } from 'vitest';
import { parseTree } from '../../../runtime/config/load.ts';
import { checkForStack } from '../../../runtime/inspect/check-aws.ts';

const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
const hook = {
  name: 'ops',
  events: ['task.*'],
  to: { http: { url: 'https://ops.example.com', secret: 'secret:ops#key', headers: { 'x-key': 'ssm:/key' } } },
};
const OFF = Object.fromEntries(
  ['client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [name, 'off']),
);
const check = (raw: object, aws: object = {}) =>
  checkForStack('my.yaml', { config: parseTree('my.yaml', { source, ...raw }, {}, 'aws'), aws });

describe('a config for AWS', () => {
  it('is described by source, with the cadences it has in AWS', () => {
    const resources = {
      ...OFF,
      task: { every: '2s', sweep: '6h' },
      invoice: { every: '1h', sweep: '1s' },
      project: { every: '1h', sweep: '1s' },
    };
    const { sources } = check({ source: { ...source, name: 'agency', timeZone: 'Europe/Berlin', resources } });
    expect(sources).toEqual([
      {
        source: 'agency',
        baseUrl: source.baseUrl,
        timeZone: 'Europe/Berlin',
        token: 'ssm:/tidings/token',
        resources: [
          { resource: 'task', every: 60_000, sweep: 21_600_000, slowed: true },
          { resource: 'invoice', every: 3_600_000, sweep: 60_000, slowed: true },
          { resource: 'project', every: 3_600_000, sweep: null, slowed: false },
        ],
      },
    ]);
    expect(check({}).sources[0]?.timeZone).toBeNull();
  });

  it('is described by subscription, with its channel and secret references', () => {
    const to = { slack: { webhook: 'ssm:/slack' } };
    expect(check({ subscriptions: [hook, { ...hook, name: 'chat', to }] }).subscriptions).toEqual([
      { subscription: 'ops', channel: 'http', events: ['task.*'], secrets: ['secret:ops#key', 'ssm:/key'] },
      { subscription: 'chat', channel: 'slack', events: ['task.*'], secrets: ['ssm:/slack'] },
    ]);
  });

  it('lists each secret once, with its store and the functions that read it', () => {
    const { secrets } = check({
      manage: { secret: 'ssm:/links' },
      subscriptions: [hook, { ...hook, name: 'second' }],
    });
    expect(secrets).toEqual([
      { reference: 'ssm:/tidings/token', store: 'Parameter Store', functions: ['poll'] },
      { reference: 'secret:ops#key', store: 'Secrets Manager', functions: ['deliver'] },
      { reference: 'ssm:/key', store: 'Parameter Store', functions: ['deliver'] },
      { reference: 'ssm:/links', store: 'Parameter Store', functions: ['deliver', 'manage'] },
    ]);
  });

  it('lists only the token and added sources as unproven when there is nothing else', () => {
    const { stack, alarmEmail, mailFrom, unproven } = check({});
    expect({ stack, alarmEmail, mailFrom }).toEqual({ stack: 'Tidings', alarmEmail: null, mailFrom: null });
    expect(unproven).toEqual([
      {
        what: 'the token exists and is valid, and what it may read',
        how: 'tidings status --aws Tidings --config my.yaml',
      },
      {
        what: 'the sources that were added to the stack',
        how: 'tidings sources --aws Tidings --config my.yaml',
      },
    ]);
  });

  it('lists receivers, sender, buses and alarms as unproven, each with a command', () => {
    const raw = {
      mail: { from: 'Tidings <t@mail.example.com>' },
      subscriptions: [
        hook,
        { name: 'people', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } },
        { name: 'rules', events: ['*'], to: { bus: { name: 'ours' } } },
      ],
    };
    const { stack, alarmEmail, mailFrom, unproven } = check(raw, { name: 'Second', alarmEmail: 'ops@example.com' });
    expect({ stack, alarmEmail, mailFrom }).toEqual({
      stack: 'Second',
      alarmEmail: 'ops@example.com',
      mailFrom: 'Tidings <t@mail.example.com>',
    });
    expect(unproven.slice(2).map(({ what, how }) => `${what} | ${how}`)).toEqual([
      'ops: its secrets exist, and the receiver accepts messages | tidings subscriptions test ops --aws Second',
      'people: the receiver accepts messages | tidings subscriptions test people --aws Second',
      'rules: the receiver accepts messages | tidings subscriptions test rules --aws Second',
      'SES allows t@mail.example.com to send | aws sesv2 get-email-identity --email-identity mail.example.com (or t@mail.example.com)',
      'the bus ours is there | aws events describe-event-bus --name ours',
      'ops@example.com has confirmed the alarm subscription | follow the link in the mail from AWS',
    ]);
  });
});
