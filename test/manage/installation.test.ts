/** Every fact of the installation reaches every entrance: a subscription is valid in all of them or in none. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { ConfigError } from '../../core/model/errors.ts';
import { runAtOnce } from '../../core/model/steps.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { readSubscriptionInput } from '../../manage/api/subscriptions/subscription-input.ts';
import type { Config } from '../../runtime/config/config.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { openAddition } from '../../runtime/config/load-subscription.ts';
import { SECRET } from '../samples.ts';
import { startApiWorld } from './api-world.ts';

const source = { baseUrl: 'https://work.example.com/api', token: 'tok-7f3a' };
const slack = { token: 'xoxb-1', appToken: 'xapp-1' };
const http = (url: string) => ({ http: { url } });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-installation-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Section = Readonly<Record<string, unknown>>;

/** The API makes the signing secret; a file has it. */
function withSecret(subscription: Section): Section {
  const { to } = subscription as { readonly to: { readonly http?: object } };
  return to.http === undefined ? subscription : { ...subscription, to: { http: { ...to.http, secret: SECRET } } };
}

const ENTRANCES: Readonly<Record<string, (subscription: Section, sections: Section, config: Config) => void>> = {
  'the config': (subscription, sections) => {
    parseTree('tidings.yaml', { source, ...sections, subscriptions: [withSecret(subscription)] }, {});
  },
  'subscriptions add': (subscription, _, config) => {
    const file = join(folder, 'one.json');
    writeFileSync(file, JSON.stringify(withSecret(subscription)));
    openAddition(file)({ config, mode: 'embedded', environment: {} });
  },
  'a request': (subscription, _, config) => {
    const types = eventTypes.map(({ type }) => type);
    runAtOnce(readSubscriptionInput(subscription, { config, mode: 'embedded', name: 'one', types }));
  },
};

/** The problems as `path: message`; those of a request have pointers. */
function problemsOf(entrance: string, subscription: Section, sections: Section): readonly string[] {
  const config = parseTree('tidings.yaml', { source, ...sections }, {});
  try {
    ENTRANCES[entrance]?.({ name: 'one', ...subscription }, sections, config);
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
}

const custom = { type: 'task.in_review', meaning: 'In review.', when: { after: { status: ['Review'] } } };
const mail = { from: 'Tidings <t@example.com>', smtp: 'smtp://localhost' };
const withoutPeople = { source: { ...source, resources: { person: 'off' } } };

describe.each(Object.keys(ENTRANCES))('through %s, a subscription', (entrance) => {
  it.each<[fact: string, subscription: Section, withFact: Section, withoutFact: Section, problem: RegExp]>([
    [
      'to a channel of Slack needs the Slack app',
      { events: ['task.*'], to: { slack: { channel: '#team' } } },
      { slack },
      {},
      /to.slack.token: expected the token of a bot, because the config has no section slack$/,
    ],
    [
      'by mail needs the section mail',
      { events: ['task.*'], to: { email: { to: ['ann@example.com'] } } },
      { mail },
      {},
      /mail.*expected .*from and smtp/,
    ],
    [
      'to the people concerned needs their records',
      { events: ['task.*'], to: { email: { to: 'assignees' } } },
      { mail },
      { mail, ...withoutPeople },
      /to.email.to: .* the assignees are not known, because source 'main' does not poll person$/,
    ],
    [
      'to an open address needs network.allowHttp',
      { events: ['task.*'], to: http('http://ops.example.com') },
      { network: { allowHttp: true } },
      {},
      /to.http.url: expected an https URL/,
    ],
    [
      'to an event type of its own needs customEvents',
      { events: ['task.in_review'], to: http('https://ops.example.com') },
      { customEvents: [custom] },
      {},
      /events.0.*: expected an event type, or a pattern that matches one/,
    ],
    [
      'with a template of such a type needs customEvents',
      { events: ['task.in_*'], to: { slack: { channel: '#team' } }, template: { text: '{{ record.title }}' } },
      { customEvents: [custom], slack },
      { slack },
      /events.0.*: expected an event type/,
    ],
  ])('%s', (_, subscription, withFact, withoutFact, problem) => {
    expect(problemsOf(entrance, subscription, withFact)).toEqual([]);
    expect(problemsOf(entrance, subscription, withoutFact)).toEqual([expect.stringMatching(problem)]);
  });

  it('shows all its problems at once, whatever the shape of the others', () => {
    const subscription = {
      events: ['task.exploded', 5],
      where: { subject: 5 },
      to: { http: { url: 'http://ops.example.com', headers: { host: 'x', 'x-key': 5 }, format: 'fast' } },
      digest: { at: '08:30' },
      timeZone: 'Mars/Base',
      rate: 'fast',
    };
    const paths = problemsOf(entrance, subscription, {}).map((problem) =>
      problem
        .replace(/:.*/s, '')
        .replaceAll(/[/.[\]]+/g, ' ')
        .replace('subscriptions 0', '')
        .trim(),
    );
    expect(paths.toSorted()).toEqual([
      'digest',
      'events 0',
      'events 1',
      'rate',
      'timeZone',
      'to http format',
      'to http headers host',
      'to http headers x-key',
      'to http url',
      'where subject',
    ]);
  });
});

it('refuses a private address that every delivery would refuse, where the installation is known', () => {
  const subscription = { events: ['task.*'], to: http('https://10.0.0.4/') };
  for (const entrance of ['subscriptions add', 'a request']) {
    expect(problemsOf(entrance, subscription, { network: { allow: ['10.0.0.0/8'] } })).toEqual([]);
    expect(problemsOf(entrance, subscription, {})).toEqual([expect.stringContaining('expected a public address')]);
  }
});

it('subscribes a channel of Slack through the API with the token of the Slack app', async () => {
  const world = await startApiWorld({ config: { slack } });
  const to = { slack: { channel: '#team' } };
  const { status, body } = await world.ask('POST', '/subscriptions', { name: 'team', events: ['task.*'], to });
  expect([status, body.to]).toEqual([201, to]);
  expect(world.errors).toEqual([]);
  await world.stop();
});
