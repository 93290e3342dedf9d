/** An invalid value hides no other problem, and causes no false ones. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../core/model/errors.ts';
import type { Mode } from '../../../core/model/mode.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { parseSubscription } from '../../../runtime/config/load-subscription.ts';
import { pathText, valueAt } from '../../../runtime/config/problems.ts';
import { configSchema } from '../../../runtime/config/schema.ts';
import { change, good, hook, junk, placesOf, source } from './complete-config.ts';

function problemsOf(raw: unknown, environment = {}, mode: Mode = 'embedded') {
  try {
    parseTree('tidings.yaml', raw, environment, mode);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}
const pathsOf = (...argv: Parameters<typeof problemsOf>) => problemsOf(...argv).map(({ path }) => path);

const isWithin = (one: string, other: string) =>
  one === other || other === '' || one.startsWith(`${other}.`) || one.startsWith(`${other}[`);
const isRelated = (one: string, other: string) => isWithin(one, other) || isWithin(other, one);

const broken = (tree: object) =>
  fc
    .record({ place: fc.constantFrom(...placesOf(tree)), value: junk })
    .map(({ place, value }) => ({ place: pathText(place), raw: change(tree, place, value) }))
    // A network that allows nothing really makes plain http invalid.
    .filter(({ raw }) => !configSchema.safeParse(raw).success && valueAt(raw, ['network', 'odd']) === undefined);

describe('a config with one invalid value', () => {
  it('is valid without it', () => expect(problemsOf(good)).toEqual([]));

  it('has problems only at that path, above it or below it', () => {
    fc.assert(
      fc.property(broken(good), ({ place, raw }) => {
        const problems = pathsOf(raw);
        expect(problems).not.toEqual([]);
        expect(problems.filter((path) => !isRelated(path, place))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('has one problem for a misspelled key, and none for what depends on it', () => {
    const free = ['links', 'headers', 'mentions', 'where', 'after'];
    const keys = placesOf(good).filter((path) => {
      const key = path.at(-1);
      return typeof key === 'string' && key.length > 3 && !path.slice(0, -1).some((one) => free.includes(String(one)));
    });
    expect(keys.length).toBeGreaterThan(30);
    for (const path of keys) {
      const [holder, key] = [path.slice(0, -1), String(path.at(-1))];
      const { [key]: value, ...rest } = Object(valueAt(good, holder));
      const misspelled = `${key}_`;
      const problems = problemsOf(change(good, holder, { ...rest, [misspelled]: value }));
      const expectedMessage = `unknown key '${misspelled}', did you mean '${key}'?`;
      // A required key is also missing.
      const others = problems.filter(({ path: at, message }) => message !== expectedMessage && at !== pathText(path));
      expect([key, problems.some(({ message }) => message === expectedMessage), others]).toEqual([key, true, []]);
    }
  });

  it('still has all problems at other paths', () => {
    const bad = {
      ...good,
      sources: [{ ...good.sources[0], timeZone: 'Mars/Base' }, good.sources[1]],
      manage: { ...good.manage, secret: 'short' },
      subscriptions: [
        good.subscriptions[0],
        { ...good.subscriptions[1], events: ['task.exploded'], where: { subject: 5 } },
        { ...good.subscriptions[2], template: { subject: '{{ recrod }}' } },
        { ...good.subscriptions[3], name: 'hook', digest: { at: '08:30' } },
      ],
    };
    const known = pathsOf(bad);
    expect(known).toHaveLength(7);
    fc.assert(
      fc.property(broken(bad), ({ place, raw }) => {
        const problems = pathsOf(raw);
        const missing = known.filter((path) => !problems.includes(path) && !isRelated(path, place));
        expect(missing.filter((path) => !isOpen(path, place))).toEqual([]);
        expect(problems.filter((path) => !known.includes(path) && !isRelated(path, place))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

/** Whether a path cannot be checked while another one is invalid. */
function isOpen(path: string, place: string): boolean {
  if (place.startsWith('customEvents')) return /\.(events|template)/.test(path);
  if (path.endsWith('.name')) return isRelated(place, 'subscriptions[0].name');
  const [, subscription] = /^(subscriptions\[\d\])\.(to|events)/.exec(place) ?? [];
  return subscription !== undefined && path.startsWith(`${subscription}.`) && /template|digest/.test(path);
}

describe('checks across several values', () => {
  it('run on the remaining values: a bus with an invalid name hides none of ten other problems', () => {
    const raw = {
      source: { ...source, token: '${TOKEN}', timeZone: 'Mars/Base' },
      mail: { from: 'nobody', smtp: 'smtp://localhost' },
      manage: { secret: 'hunter2-hunter2-hunter2' },
      links: { task: 'https://${NOWHERE}/{id}' },
      subscriptions: [
        hook({ events: ['task.exploded'], to: { http: { url: 'http://ops.example.com', secret: 'file:/x' } } }),
        { name: 'bus', events: ['*'], to: { bus: { name: 'a bus!' } }, digest: { at: '08:30' } },
      ],
    };
    expect(pathsOf(raw, {}, 'aws').sort()).toEqual([
      'links.task',
      'mail.from',
      'mail.smtp',
      'manage.secret',
      'source.timeZone',
      'source.token',
      'subscriptions[0].events[0]',
      'subscriptions[0].to.http.secret',
      'subscriptions[0].to.http.url',
      'subscriptions[1].digest',
      'subscriptions[1].to.bus.name',
    ]);
  });

  it('mention AWS references and no mail server for AWS', () => {
    const raw = { source: { baseUrl: source.baseUrl }, subscriptions: [{ ...good.subscriptions[2], digest: 5 }] };
    const [token, digest, mail] = problemsOf(raw, {}, 'aws').map(({ message }) => message);
    expect(token).toMatch(/^expected 'ssm:\/path' or 'secret:name'.*, got nothing$/);
    expect(digest).toBe('expected a section with at, days, list, groupBy, got 5');
    expect(mail).toBe('expected from, because subscriptions[0] sends mail, got nothing');
  });

  it('do not run without any config', () => {
    for (const raw of [null, 5, 'x', []]) expect(pathsOf(raw)).toEqual(['']);
  });

  it('run with both or neither of source and sources', () => {
    const bad = { mail: { from: 'nobody' } };
    expect(pathsOf(bad)).toEqual(['', 'mail.from']);
    const both = { ...bad, source: { ...source, timeZone: 'Mars' }, sources: [{ ...source, name: 5 }] };
    expect(pathsOf(both)).toEqual(['sources[0].name', '', 'source.timeZone', 'mail.from']);
  });
});

describe('a variable that is not set', () => {
  it('is reported once, without problems of the missing value', () => {
    const raw = {
      source: { ...source, timeZone: '${X}', name: '${X}' },
      network: { allow: ['${X}'] },
      subscriptions: [
        { ...hook(), events: ['${X}'] },
        { ...good.subscriptions[2], digest: { at: '${X}' }, to: { email: { to: ['${X}'] } }, rate: '${X}/${X}' },
      ],
      mail: { from: '${X}' },
    };
    const message = 'expected the environment variable X to be set';
    const problems = problemsOf(raw);
    expect(new Set(problems.map((problem) => problem.message))).toEqual(new Set([message]));
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'mail.from',
      'network.allow[0]',
      'source.name',
      'source.timeZone',
      'subscriptions[0].events[0]',
      'subscriptions[1].digest.at',
      'subscriptions[1].rate',
      'subscriptions[1].to.email.to[0]',
    ]);
  });

  it('is also reported once for a subscription in its own file', () => {
    const file = JSON.stringify({ name: 'n', events: ['${X}'], digest: { at: '${X}' } });
    const unset = 'expected the environment variable X to be set';
    expect(() => parseSubscription('one.json', file, {})).toThrow(
      `one.json: 2 problems\n  events[0]: ${unset}\n  digest.at: ${unset}`,
    );
  });
});
