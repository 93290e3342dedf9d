/** Messages for values of the wrong type: they name the exact path and what is expected there. */

import { describe, expect, it } from 'vitest';
import { CHANNELS } from '../../../adapters/channels/index.ts';
import { ConfigError } from '../../../core/model/errors.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { SECRET } from '../../samples.ts';

const NAMES = CHANNELS.map(({ name }) => name).join(', ');
const PARTS = [...new Set(CHANNELS.flatMap(({ templateParts }) => Object.keys(templateParts)))].join(', ');

const source = { baseUrl: 'https://work.example.com/api', token: 'tok-7f3a' };
const http = { url: 'https://ops.example.com/', secret: SECRET };
const hook = { name: 'ops', events: ['task.*'], to: { http } };

const ofSource = (part: object) => ({ source: { ...source, ...part } });
const ofTask = (task: unknown) => ofSource({ resources: { task } });
const ofHook = (part: object) => ({ source, subscriptions: [{ ...hook, ...part }] });

function problemsOf(raw: unknown): readonly string[] {
  try {
    parseTree('tidings.yaml', raw, {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

const DURATION = "expected a duration such as '30s', '5m', '6h' or '1d'";
const RESOURCE = "source.resources.task: expected 'off', or a section with every and sweep";
const SOURCE_KEYS = 'name, kind, baseUrl, token, timeZone, resources, announceExisting, attribution, quota';

describe('a resource', () => {
  it.each<[unknown, string[]]>([
    [{ every: 5 }, [`source.resources.task.every: ${DURATION}, got 5`]],
    [{ every: '5m', sweep: null }, [`source.resources.task.sweep: ${DURATION}, got an empty value`]],
    [
      { every: 5, sweep: 6 },
      [`source.resources.task.every: ${DURATION}, got 5`, `source.resources.task.sweep: ${DURATION}, got 6`],
    ],
    [{ evry: '5m' }, ["source.resources.task: unknown key 'evry', did you mean 'every'?"]],
    [{ colour: 1 }, ["source.resources.task: unknown key 'colour', expected one of every, sweep"]],
    [
      { every: 5, swep: '1h' },
      [
        `source.resources.task.every: ${DURATION}, got 5`,
        "source.resources.task: unknown key 'swep', did you mean 'sweep'?",
      ],
    ],
    ['5m', [`${RESOURCE}, got '5m'`]],
    [5, [`${RESOURCE}, got 5`]],
    [null, [`${RESOURCE}, got an empty value`]],
    [['5m'], [`${RESOURCE}, got a list of 1`]],
  ])('%j has the expected problems', (task, expected) => expect(problemsOf(ofTask(task))).toEqual(expected));

  it.each(['off', {}, { every: '5m' }])('%j is valid', (task) => expect(problemsOf(ofTask(task))).toEqual([]));
});

describe('a section', () => {
  it.each<[unknown, string]>([
    [
      ofHook({ digest: '08:30' }),
      "subscriptions[0].digest: expected a section with at, days, list, groupBy, got '08:30'",
    ],
    [ofHook({ digest: true }), 'subscriptions[0].digest: expected a section with at, days, list, groupBy, got true'],
    [ofHook({ quiet: 'nights' }), "subscriptions[0].quiet: expected a section with from, until, days, got 'nights'"],
    [ofHook({ template: 'hi' }), `subscriptions[0].template: expected a section with ${PARTS}, got 'hi'`],
    [ofHook({ to: null }), `subscriptions[0].to: expected exactly one of ${NAMES}, got an empty value`],
    [ofHook({ to: [{ http }] }), `subscriptions[0].to: expected exactly one of ${NAMES}, got a list of 1`],
    [
      { ...ofHook({ to: { email: 'a@b.example' } }), mail: { from: 'a@b.example' } },
      "subscriptions[0].to.email: expected a section with to, got 'a@b.example'",
    ],
    [{ source: [source] }, `source: expected a section with ${SOURCE_KEYS}, got a list of 1`],
    [{ sources: source }, 'sources: expected a list of sources, got a section with baseUrl, token'],
    [{ source, links: ['x'] }, 'links: expected resources with URLs, got a list of 1'],
    [ofSource({ resources: 'all' }), "source.resources: expected a section with keys, got 'all'"],
  ])('of the wrong type is reported with its keys, unless there are too many: %j', (raw, expected) => {
    expect(problemsOf(raw)).toEqual([expected]);
  });

  it('with a misspelled key is not also reported as incomplete', () => {
    expect(problemsOf({ sorce: source })).toEqual([": unknown key 'sorce', did you mean 'source'?"]);
    expect(problemsOf(ofHook({ to: { htp: http } }))).toEqual([
      "subscriptions[0].to: unknown key 'htp', did you mean 'http'?",
    ]);
  });

  it('with an unknown key that resembles no other has both problems', () => {
    expect(problemsOf({ colouring: 1 }).map((problem) => problem.replace(/, (expected|got) .*/, ''))).toEqual([
      ": unknown key 'colouring'",
      ': expected either source or sources',
    ]);
  });

  it.each([
    { source: 'hunter2' },
    { sources: ['hunter2'] },
    { source, manage: 'hunter2' },
    { source, mail: 'smtp://me:hunter2@example.com' },
    ofHook({ to: 'https://hooks.slack.com/services/hunter2' }),
    ofHook({ to: { slack: 'https://hooks.slack.com/services/hunter2' } }),
    ofHook({ to: { http: 'hunter2' } }),
    ofHook({ to: { http: { ...http, auth: 'Bearer hunter2' } } }),
    ofHook({ to: { http: { ...http, auth: { basic: 'hunter2' } } } }),
    { source, subscriptions: ['hunter2'] },
    'hunter2',
  ])('that may contain a secret is not shown when it is text: %j', (raw) => {
    expect(problemsOf(raw)).toEqual([expect.stringMatching(/, got a value that is not shown here$/)]);
  });
});

it('an invalid item of events is reported with an example', () => {
  expect(problemsOf(ofHook({ events: ['task.*', 5] }))).toEqual([
    "subscriptions[0].events[1]: expected an event type such as task.closed, or 'invoice.*', got 5",
  ]);
});
