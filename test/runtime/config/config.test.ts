import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CHANNELS } from '../../../adapters/channels/index.ts';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { ConfigError } from '../../../core/model/errors.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { SECRET } from '../../samples.ts';

const NAMES = CHANNELS.map(({ name }) => name).join(', ');

const environment = { TIDINGS_TOKEN: 'tok-7f3a', OPS_SECRET: SECRET, OPS_HOST: 'ops.example.com', OPS_GLOB: '**' };

const source = { baseUrl: 'https://work.example.com/api', token: '${TIDINGS_TOKEN}' };
const hook = {
  name: 'ops',
  events: ['task.*'],
  to: { http: { url: 'https://ops.example.com/', secret: '${OPS_SECRET}' } },
};
const good = { source, subscriptions: [hook] };
/** Parses a config given as an object. */
const loaded = { ...hook, to: { channel: 'http', settings: hook.to.http }, declared: true };

const parse = (config: unknown, env: Record<string, string> = environment) =>
  parseConfig('tidings.yaml', stringify(config), env);

function problemsOf(config: unknown, env: Record<string, string> = environment): readonly string[] {
  try {
    parse(config, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('a valid config', () => {
  it('gets its defaults', () => {
    expect(parse(good)).toEqual({
      sources: [
        {
          name: 'main',
          kind: 'work',
          ...source,
          resources: expect.arrayContaining([
            { resource: workResourceOf('task'), cadence: { every: 300_000, sweep: 21_600_000 } },
            { resource: workResourceOf('invoice'), cadence: { every: 900_000, sweep: 21_600_000 } },
          ]),
          announceExisting: false,
          attribution: false,
          quota: { reserve: 0.2, perMinute: 90 },
        },
      ],
      rules: defaultRules,
      customEvents: [],
      retention: 90 * 86_400_000,
      subscriptions: [loaded],
      links: {},
      network: { allowHttp: false, allow: [] },
    });
  });

  it('polls nine resources by default, and those that it enables or disables', () => {
    const read = (resources: object) =>
      parse({ source: { ...source, resources } }).sources[0]?.resources.map(({ resource }) => resource.name);
    const usual = ['task', 'invoice', 'project', 'person', 'client', 'expense', 'document', 'group', 'projectmodule'];
    expect(read({})?.toSorted()).toEqual(usual.toSorted());
    expect(read({ milestone: {}, task: 'off' })?.toSorted()).toEqual([...usual.slice(1), 'milestone'].sort());
  });

  it('may filter by content, with variables expanded', () => {
    const where = (subject: string) => ({ subject: [{ prefix: subject }], data: { record: { total: [500] } } });
    const { subscriptions } = parse({ source, subscriptions: [{ ...hook, where: where('${OPS_HOST}/') }] });
    expect(subscriptions).toEqual([{ ...loaded, where: where('ops.example.com/') }]);
  });

  it('may be JSON', () => {
    expect(parseConfig('tidings.json', JSON.stringify(good), environment)).toEqual(parse(good));
  });

  it('may have custom event types, which subscriptions may use', () => {
    const custom = {
      type: 'task.in_client_review',
      meaning: 'In review.',
      when: { after: { status: ['In Client Review'] } },
    };
    const subscriptions = [{ ...hook, events: ['task.in_client_review'] }];
    expect(parse({ source, customEvents: [custom], subscriptions }).customEvents).toEqual([custom]);
    const bad = (change: object) => problemsOf({ source, customEvents: [{ ...custom, ...change }] });
    expect(bad({ type: 'task.closed' })).toEqual([
      "customEvents[0].type: expected a name that is not taken, got 'task.closed'",
    ]);
    expect(bad({ type: 'tusk.x' })).toEqual([
      "customEvents[0].type: expected the name of a resource before the dot, got 'tusk.x'",
    ]);
    expect(bad({ type: 'Task X' })[0]).toMatch(/expected a type such as/);
    expect(bad({ when: { after: { status: 'Open' } } })).toEqual([
      expect.stringMatching(/^customEvents\[0\]\.when\.after\.status: expected a list of alternatives/),
    ]);
    expect(problemsOf({ source, customEvents: [custom, custom] })).toEqual([
      "customEvents[1].type: expected a unique name, got 'task.in_client_review' again",
    ]);
  });

  it('may have several sources', () => {
    const { sources } = parse({
      sources: [
        { ...source, name: 'a' },
        { ...source, name: 'b' },
      ],
    });
    expect(sources.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('expands variables, but keeps secrets and the URLs of receivers as references', () => {
    const config = parse({
      source: { ...source, baseUrl: 'https://${OPS_HOST}/api' },
      subscriptions: [{ ...hook, to: { http: { ...hook.to.http, url: 'https://${OPS_HOST}/x' } } }],
    });
    expect(config.subscriptions[0]?.to).toEqual({
      channel: 'http',
      settings: { url: 'https://${OPS_HOST}/x', secret: '${OPS_SECRET}' },
    });
    expect(config.sources[0]?.baseUrl).toBe('https://ops.example.com/api');
    expect(JSON.stringify(config)).not.toContain('tok-7f3a');
  });

  it('may use http if the config allows it, and for an API on this machine', () => {
    const url = 'http://10.0.0.5/hook';
    const local = { baseUrl: 'http://127.0.0.1:4010', token: 'x' };
    const subscriptions = [{ ...hook, to: { http: { ...hook.to.http, url } } }];
    expect(problemsOf({ source: local })).toEqual([]);
    expect(problemsOf({ source, subscriptions, network: { allowHttp: true, allow: ['10.0.0.0/8'] } })).toEqual([]);
  });
});

describe('an invalid config', () => {
  const change = (part: object) => ({ ...good, ...part });
  const inSource = (part: object) => change({ source: { ...source, ...part } });
  const inHook = (part: object) => change({ subscriptions: [{ ...hook, ...part }] });
  const inHttp = (part: object) => inHook({ to: { http: { ...hook.to.http, ...part } } });

  it.each<[string, unknown, string[]]>([
    ['no source', { subscriptions: [] }, [': expected either source or sources, got subscriptions']],
    [
      'both source and sources',
      { ...good, sources: [source] },
      [': expected either source or sources, got source, subscriptions, sources'],
    ],
    ['an empty file', null, [': expected a section with keys, got an empty value']],
    [
      'a missing base URL',
      { source: { token: 'x' } },
      ['source.baseUrl: expected a URL such as https://ops.example.com/tidings, got nothing'],
    ],
    [
      'a bad URL',
      inHttp({ url: 'ops.example.com' }),
      ["subscriptions[0].to.http.url: expected a URL such as https://ops.example.com/tidings, got 'ops.example.com'"],
    ],
    [
      'plain http to a receiver',
      inHttp({ url: 'http://ops.example.com' }),
      [
        "subscriptions[0].to.http.url: expected an https URL (network.allowHttp opens plain http), got 'http://ops.example.com'",
      ],
    ],
    [
      'plain http to the API',
      inSource({ baseUrl: 'http://work.example.com' }),
      ["source.baseUrl: expected an https URL, because every request carries the token, got 'http://work.example.com'"],
    ],
    [
      'another scheme',
      inHttp({ url: 'ftp://ops.example.com' }),
      [
        "subscriptions[0].to.http.url: expected an https URL (network.allowHttp opens plain http), got 'ftp://ops.example.com'",
      ],
    ],
    [
      'a bad zone',
      inSource({ timeZone: 'Europe/Berlim' }),
      ["source.timeZone: expected an IANA zone such as 'Europe/Berlin', got 'Europe/Berlim'"],
    ],
    [
      'a bad duration',
      inSource({ resources: { task: { every: '5 minutes' } } }),
      ["source.resources.task.every: expected a duration such as '30s', '5m', '6h' or '1d', got '5 minutes'"],
    ],
    [
      'a cadence of nothing',
      inSource({ resources: { task: { every: '0s' } } }),
      ["source.resources.task.every: expected a duration of at least '1s', got '0s'"],
    ],
    [
      'a resource whose lists need the id of a parent',
      { source: { ...source, resources: { invoiceitem: {}, projectteam: 'off' } } },
      [
        "source.resources.invoiceitem: expected 'off': invoiceitem cannot be polled, it lists records only for a given invoice, got an empty section",
      ],
    ],
    [
      'an unknown event type',
      inHook({ events: ['task.exploded'] }),
      [
        "subscriptions[0].events[0]: expected an event type, or a pattern that matches one (the nearest is 'task.closed'), got 'task.exploded'",
      ],
    ],
    [
      'a glob that matches nothing',
      inHook({ events: ['invoices.*'] }),
      [
        "subscriptions[0].events[0]: expected an event type, or a pattern that matches one (the nearest is 'invoice.paid'), got 'invoices.*'",
      ],
    ],
    [
      'no events',
      inHook({ events: [] }),
      ["subscriptions[0].events: expected a list of event types such as [task.closed, 'invoice.*'], got a list of 0"],
    ],
    ['no channel', inHook({ to: {} }), [`subscriptions[0].to: expected exactly one of ${NAMES}, got an empty section`]],
    [
      'two channels',
      inHook({ to: { ...hook.to, slack: { webhook: 'x' } } }),
      [`subscriptions[0].to: expected exactly one of ${NAMES}, got http, slack`],
    ],
    [
      'a typing error in a key',
      change({ subscripions: [] }),
      [": unknown key 'subscripions', did you mean 'subscriptions'?"],
    ],
    [
      'a typing error deep down',
      inHttp({ sekret: 'x' }),
      ["subscriptions[0].to.http: unknown key 'sekret', did you mean 'secret'?"],
    ],
    [
      'a key that is like no other',
      inSource({ colour: 'x' }),
      [
        "source: unknown key 'colour', expected one of name, kind, baseUrl, token, timeZone, resources, announceExisting, attribution, quota",
      ],
    ],
    [
      'a name twice',
      change({ subscriptions: [hook, hook] }),
      ["subscriptions[1].name: expected a unique name, got 'ops' again"],
    ],
    [
      'a bad name',
      inHook({ name: 'ops hook' }),
      ["subscriptions[0].name: expected a name of at most 64 letters, digits, - and _, got 'ops hook'"],
    ],
    [
      'a bad range',
      change({ network: { allow: ['10.0.0.0'] } }),
      ["network.allow[0]: expected a range such as '10.0.0.0/8' or 'fd00::/8', got '10.0.0.0'"],
    ],
    [
      'a variable that is not set',
      inSource({ baseUrl: 'https://${NOWHERE}/api' }),
      ['source.baseUrl: expected the environment variable NOWHERE to be set'],
    ],
    [
      'a secret variable that is not set',
      inSource({ token: '${NO_TOKEN}' }),
      ['source.token: expected the environment variable NO_TOKEN to be set'],
    ],
    [
      'a secret of AWS',
      inHttp({ secret: 'ssm:/ops' }),
      [
        'subscriptions[0].to.http.secret: expected ${NAME}, file:PATH or the secret: ssm: and secret: are resolved in AWS',
      ],
    ],
    [
      'a filter with mistakes',
      inHook({ where: { data: { record: { total: 500, title: [{ prefx: 'A' }] } } } }),
      [
        'subscriptions[0].where.data.record.total: expected a list of alternatives, got 500',
        "subscriptions[0].where.data.record.title[0]: unknown operator 'prefx', did you mean 'prefix'?",
      ],
    ],
    [
      'an empty filter',
      inHook({ where: {} }),
      ['subscriptions[0].where: expected fields, each with a list of alternatives, got an empty section'],
    ],
    [
      'a filter that is none',
      inHook({ where: 'paid' }),
      ["subscriptions[0].where: expected an EventBridge pattern: fields with lists of alternatives, got 'paid'"],
    ],
    [
      'a filter the environment spoils, without showing its value',
      inHook({ where: { subject: [{ wildcard: '${OPS_GLOB}' }] } }),
      [
        'subscriptions[0].where.subject[0].wildcard: expected a pattern that is valid after its variables are replaced, got a value that is not shown here',
      ],
    ],
  ])('%s', (_, config, expected) => {
    expect(problemsOf(config)).toEqual(expected);
  });

  it('reports all problems at once', () => {
    const config = {
      source: { ...source, timeZone: 7 },
      subscriptions: [{ nam: 'x' }],
      rules: { closedStatuses: 'Closed' },
    };
    const paths = problemsOf(config).map((problem) => problem.split(':')[0]);
    expect(paths.sort()).toEqual([
      'rules.closedStatuses',
      'source.timeZone',
      'subscriptions[0]',
      'subscriptions[0].events',
      'subscriptions[0].name',
      'subscriptions[0].to',
    ]);
  });

  it('reports the position of invalid YAML', () => {
    const parseBroken = () => parseConfig('tidings.yaml', 'source:\n  name: [main\nrules: {}\n', {});
    expect(parseBroken).toThrow(/tidings\.yaml: \d+ problems?\n {2}line \d+, column \d+: expected YAML/);
  });

  it.each([
    ['an invalid literal secret', inHttp({ secret: 'hunter2-hunter2' })],
    ['an invalid secret from the environment', inHttp({ secret: '${BAD}' })],
    ['a token of the wrong type', inSource({ token: ['hunter2-hunter2'] })],
    ['headers of the wrong type', inHttp({ headers: { authorization: { nested: 'hunter2-hunter2' } } })],
  ])('never shows a secret: %s', (_, config) => {
    const problems = problemsOf(config, { ...environment, BAD: 'hunter2-hunter2' });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).not.toContain('hunter2');
  });

  it('never shows a secret in text that does not parse', () => {
    expect(() => parseConfig('t.json', '{"token": "hunter2",,}', {})).toThrow(ConfigError);
    for (const [file, text] of [
      ['t.json', '{"token": "hunter2",,}'],
      ['t.yaml', 'token: "hunter2\n  x: ['],
    ] as const) {
      expect(() => parseConfig(file, text, {})).not.toThrow(/hunter2/);
    }
  });
});

describe('messages to the people concerned', () => {
  const mail = { from: 'tidings@example.com', smtp: 'smtp://localhost' };
  const config = (to: object, resources: object = {}) => ({
    source: { ...source, resources },
    mail,
    subscriptions: [{ name: 'mine', events: ['task.overdue'], to }],
  });

  it('take a role instead of addresses or a channel', () => {
    for (const role of ['assignees', 'owners', 'followers', 'projectmanager']) {
      expect(problemsOf(config({ email: { to: role, fallback: 'office@example.com' } }))).toEqual([]);
      expect(problemsOf(config({ slack: { token: '${OPS_SECRET}', to: role, fallback: '#team' } }))).toEqual([]);
    }
  });

  it('reject a mail address that is too long, and say which part is', () => {
    const domain = (length: number) =>
      `${`${'d'.repeat(60)}.`
        .repeat(9)
        .slice(3 - length)
        .replace(/^\./, 'd')}com`;
    const [longest, tooLong] = [`${'a'.repeat(64)}@${domain(189)}`, `${'a'.repeat(64)}@${domain(190)}`];
    expect([longest.length, tooLong.length]).toEqual([254, 255]);
    const cases: readonly (readonly [string, string | undefined])[] = [
      [longest, undefined],
      [`a@${'l'.repeat(63)}.com`, undefined],
      [tooLong, 'expected a mail address of at most 254 characters'],
      [`${'a'.repeat(65)}@example.com`, 'expected at most 64 characters before the @'],
      [`a@${'l'.repeat(64)}.com`, 'expected at most 63 characters between two dots of the domain'],
      [`a@example.${'c'.repeat(64)}`, 'expected at most 63 characters between two dots of the domain'],
      [`a@${'d.'.repeat(150)}com`, 'expected a mail address of at most 254 characters'],
    ];
    for (const [address, message] of cases) {
      const got = (path: string) => (message === undefined ? [] : [expect.stringContaining(`${path}: ${message}`)]);
      expect(problemsOf(config({ email: { to: ['ann@example.com', address] } }))).toEqual(got('to.email.to[1]'));
      expect(problemsOf(config({ email: { to: 'owners', fallback: address } }))).toEqual(got('to.email.fallback'));
      const sender = {
        ...config({ email: { to: ['ann@example.com'] } }),
        mail: { from: `Tidings <${address}>`, smtp: 'smtp://x' },
      };
      expect(problemsOf(sender)).toEqual(got('mail.from'));
    }
  });

  it('reject other roles, a fallback without a role, and a channel beside it', () => {
    expect(problemsOf(config({ email: { to: 'everyone' } }))).toEqual([
      "subscriptions[0].to.email.to: expected a list of mail addresses, or one of assignees, owners, followers, projectmanager, got 'everyone'",
    ]);
    expect(problemsOf(config({ email: { to: ['ann'] } }))).toEqual([
      "subscriptions[0].to.email.to[0]: expected a mail address, got 'ann'",
    ]);
    expect(problemsOf(config({ email: { to: ['ann@example.com'], fallback: 'b@example.com' } }))).toHaveLength(1);
    expect(problemsOf(config({ slack: { token: '${OPS_SECRET}', to: 'owners', channel: '#team' } }))).toHaveLength(1);
    expect(problemsOf(config({ slack: { token: '${OPS_SECRET}', channel: '#team', fallback: '#x' } }))).toHaveLength(1);
  });

  it('are sent by the webhooks of some chats, and rejected with the reason for the others', () => {
    const webhook = '${OPS_SECRET}';
    for (const chat of ['mattermost', 'rocketChat']) {
      expect(problemsOf(config({ [chat]: { webhook, to: 'owners', fallback: 'team' } }))).toEqual([]);
      expect(problemsOf(config({ [chat]: { webhook, fallback: 'team' } }))).toEqual([
        expect.stringContaining('expected to, the people concerned, if fallback is given'),
      ]);
    }
    for (const [chat, label] of [
      ['teams', 'Microsoft Teams'],
      ['discord', 'Discord'],
      ['googleChat', 'Google Chat'],
    ] as const) {
      expect(problemsOf(config({ [chat]: { webhook, to: 'owners' } }))).toEqual([
        expect.stringContaining(`a webhook of ${label} posts to its own channel only`),
      ]);
    }
  });

  it('need the resources with people and managers', () => {
    expect(problemsOf(config({ email: { to: 'assignees' } }, { person: 'off' }))).toEqual([
      "subscriptions[0].to.email.to: expected a list of addresses or a channel: the assignees are not known, because source 'main' does not poll person",
    ]);
    expect(problemsOf(config({ email: { to: 'projectmanager' } }, { project: 'off' }))).toHaveLength(1);
    expect(problemsOf(config({ email: { to: 'assignees' } }, { project: 'off' }))).toEqual([]);
  });
});

describe('the start of the day, and digests', () => {
  const chat = { name: 'team', events: ['task.overdue'], to: { slack: { webhook: '${OPS_SECRET}' } } };
  const withOptions = (change: object) => ({ source, subscriptions: [{ ...chat, ...change }] });

  it('take a time of day or off, and are rejected for machines', () => {
    expect(problemsOf(withOptions({ dayStartsAt: '07:30' }))).toEqual([]);
    expect(problemsOf(withOptions({ dayStartsAt: 'off' }))).toEqual([]);
    expect(problemsOf(withOptions({ dayStartsAt: 'noon' }))).toEqual([
      "subscriptions[0].dayStartsAt: expected a time of day such as '08:00', or off, got 'noon'",
    ]);
    expect(problemsOf({ source, subscriptions: [{ ...hook, dayStartsAt: '08:00' }] })[0]).toMatch(
      /^subscriptions\[0\]\.dayStartsAt: expected nothing here/,
    );
  });

  it('list what is open or new, by project or person', () => {
    expect(problemsOf(withOptions({ digest: { at: '08:30', list: 'open', groupBy: 'person' } }))).toEqual([]);
    expect(problemsOf(withOptions({ digest: { at: '08:30', list: 'all' } }))).toEqual([
      "subscriptions[0].digest.list: expected open or new, got 'all'",
    ]);
  });
});
