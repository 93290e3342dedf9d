import { describe, expect, it } from 'vitest';
import { costConfigOf, defaultCostConfig } from '../../../runtime/cost/config.ts';

const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };
const hook = (secret: unknown) => ({
  name: 'ops',
  events: ['task.*'],
  to: { http: { url: 'https://x.example', secret } },
});
const read = (raw: object, environment = {}) => costConfigOf('test.yaml', raw, environment);

describe('a config that is read for its costs', () => {
  it('may keep its secrets anywhere, in AWS or in variables that are not set', () => {
    for (const secret of ['ssm:/tidings/ops', 'secret:tidings#ops', '${NOT_SET}', 'file:/run/secret', 'no good secret'])
      expect(read({ source, subscriptions: [hook(secret)] }).references).toEqual(['ssm:/tidings/token', secret]);
  });

  it('may leave out where links lead, as in AWS, and is as wrong as ever when manage is no section', () => {
    expect(read({ source, manage: { secret: 'ssm:/links' } }).references).toEqual(['ssm:/tidings/token', 'ssm:/links']);
    expect(() => read({ source, manage: 7 })).toThrow(/manage: expected/);
    expect(() => read({ source, manage: { url: 7, secret: 'ssm:/links' } })).toThrow(/manage\.url: expected a URL/);
  });

  it('holds no secret afterwards', () => {
    const { config } = read({ source: { ...source, token: 'plain' }, subscriptions: [hook('whsec_spelled-out')] });
    expect(JSON.stringify(config)).not.toMatch(/plain|spelled-out/);
  });

  it('needs no variable of what costs nothing: addresses, times of day, zones, names, words', () => {
    const raw = {
      source: { ...source, name: '${SOURCE}', baseUrl: '${HOST}/api', timeZone: '${ZONE}' },
      mail: { from: 'Tidings <${SENDER}>' },
      manage: { url: 'https://${HOST}', secret: 'ssm:/links' },
      links: { task: 'https://${HOST}/tasks/{localid}' },
      rules: { closedStatuses: ['${DONE}'] },
      aws: { alarmEmail: '${OPS}', runbookUrl: '${RUNBOOK}' },
      subscriptions: [
        { name: '${ONE}', events: ['${TYPE}'], to: { slack: { token: 't', channel: '${C}', api: '${SLACK}' } } },
        {
          name: '${TWO}',
          events: ['task.*'],
          where: { subject: [{ prefix: '${PREFIX}' }] },
          digest: { at: '${MORNING}' },
          quiet: { from: '${EVENING}', until: '${MORNING}' },
          template: { text: '${GREETING} {{ line }}' },
          to: { email: { to: ['${READER}'] } },
        },
      ],
    };
    const { config } = read(raw);
    expect(config.subscriptions.map(({ name }) => name)).toEqual(['ONE', 'TWO']);
    expect(JSON.stringify(config)).not.toContain('${');
  });

  it('reads those that are set', () => {
    const raw = { source: { ...source, name: '${STAGE}-${WHO}', baseUrl: 'https://${HOST}/api' } };
    const [{ name, baseUrl } = {}] = read(raw, { HOST: 'work.example.com', STAGE: 'test' }).config.sources;
    expect({ name, baseUrl }).toEqual({ name: 'test-WHO', baseUrl: 'https://work.example.com/api' });
  });

  it.each([
    [{ source: { ...source, resources: { task: { every: '${PACE}' } } } }, 'source.resources.task.every'],
    [{ source, retention: '${PACE}' }, 'retention'],
    [{ source, subscriptions: [{ ...hook('s'), rate: '${PACE}' }] }, 'subscriptions[0].rate'],
  ])('still needs a variable that says how often or how long: %j', (raw, place) => {
    expect(() => read(raw)).toThrow(`${place}: expected the environment variable PACE to be set`);
    expect(() => read(raw, { PACE: '' })).toThrow(`${place}: expected the environment variable PACE to be set`);
  });

  it('is still refused when a secret is missing, empty or no text', () => {
    for (const secret of ['', 7, null, undefined])
      expect(() => read({ source, subscriptions: [hook(secret)] })).toThrow(/subscriptions\[0\]\.to\.http\.secret/);
  });

  it('is still refused for anything else that is wrong with it', () => {
    expect(() => read({ source: { ...source, resources: { task: { every: 'often' } } } })).toThrow(
      /source\.resources\.task\.every/,
    );
    expect(() => read([])).toThrow(/test\.yaml/);
  });

  it('finds references in headers too', () => {
    const to = { http: { url: 'https://x.example', secret: '${S}', headers: { 'X-Key': 'secret:key' } } };
    const { references } = read({ source, subscriptions: [{ name: 'ops', events: ['task.*'], to }] });
    expect(references).toEqual(['ssm:/tidings/token', '${S}', 'secret:key']);
  });

  it('is, when nobody names one, one source with the default resources', () => {
    const { config, references } = defaultCostConfig();
    expect(config.sources.map(({ resources }) => resources.length)).toEqual([9]);
    expect(config.subscriptions).toEqual([]);
    expect(references).toEqual(['ssm:/tidings/token']);
  });
});
