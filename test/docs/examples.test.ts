/** Every example of the docs works: configs load, events validate, and each other kind of example is run by a named test. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { patternProblems } from '../../core/filters/pattern.ts';
import { ConfigError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { referencesIn } from '../../core/model/reference.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { problemsOf } from '../core/events/event-schemas.ts';
import { SECRET } from '../samples.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].toSorted();

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
  /** The first line, to recognise it in a failure. */
  readonly begins: string;
}

const blocks: readonly Block[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, language = '', text = '']) => ({ page, language, text, begins: text.split('\n')[0] ?? '' }),
  ),
);
const of = (language: string) => blocks.filter((block) => block.language === language);

/** The tests that run the examples of a language; the test of the page for a language with several. */
const RUN_BY: Readonly<Record<string, string>> = {
  // Names of commands and options are checked by pages.test.ts, output by command-output.test.ts.
  '': 'test/docs/pages.test.ts',
  // Those of docs/api are run by test/docs/api-pages.test.ts.
  sh: 'test/docs/pages.test.ts',
  // Those of docs/receiving.md by test/kit/receiving-docs.test.ts, those of docs/api by test/docs/api-pages.test.ts.
  js: 'test/kit/receiving-docs.test.ts',
  python: 'test/kit/receiving-docs.test.ts',
  go: 'test/kit/receiving-docs.test.ts',
  ts: 'test/lib/package.test.ts',
  text: 'test/core/messages/template.test.ts',
  html: 'test/core/messages/template.test.ts',
  nginx: 'test/docs/hosting.test.ts',
  caddyfile: 'test/docs/hosting.test.ts',
  mermaid: 'a diagram',
};

describe('the examples of the docs', () => {
  it('are of a kind that a test runs', () => {
    const known = ['yaml', 'json', ...Object.keys(RUN_BY)];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
    expect(blocks.length).toBeGreaterThan(150);
  });
});

describe('README.md', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');

  it('stays short, and names the properties of the APIs it is for', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThan(120);
    for (const property of [
      'no webhooks',
      'REST',
      '`offset` and `limit`',
      'daily quota',
      'datemodifiedbegin',
      'five minutes',
    ])
      expect(readme).toContain(property);
  });

  it('names files that exist as what to change', () => {
    const page = readFileSync(join(root, 'docs/your-api.md'), 'utf8');
    const files = [...page.matchAll(/`((?:adapters|core|simulator|test)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

/** The requests of docs/your-api.md, against an API of the family. */
describe('docs/your-api.md', () => {
  it('shows requests that an API of the family answers as described', async () => {
    const simulator = await startSimulator({ tasks: 5 });
    const page = readFileSync(join(root, 'docs/your-api.md'), 'utf8');
    const requests = [...page.matchAll(/'https:\/\/work\.example\.com\/api(\/[^']*)'/g)].map(([, path = '']) => path);
    const [, password = ''] = /-u "\$TIDINGS_TOKEN:([^"]*)"/.exec(page) ?? [];
    const authorization = `Basic ${btoa(`${simulator.tokens.Administrator[0]}:${password}`)}`;
    const answers = await Promise.all(
      requests.map(async (path) =>
        (await fetch(simulator.url + path, { headers: { authorization, accept: 'application/json' } })).json(),
      ),
    );
    await simulator.stop();
    expect(answers).toMatchObject([
      { status: 'OK', listcount: 5, task: [{}] },
      { status: 'OK', listcount: 0, task: [] },
    ]);
  });
});

const source = { baseUrl: 'https://work.example.com/api', token: 'a-token' };

/** A value for each variable of an example, by its name. */
function environmentOf(text: string): Record<string, string> {
  const names = referencesIn(text);
  const sampleFor = (name: string) =>
    /SMTP/.test(name) ? 'smtp://localhost' : /URL|WEBHOOK/.test(name) ? 'https://receiver.example.com/' : SECRET;
  return Object.fromEntries(names.map((name) => [name, sampleFor(name)]));
}

/** The whole config that an example is a part of. */
function completed(example: Record<string, unknown>): Record<string, unknown> {
  if (example.source !== undefined || example.sources !== undefined) return example;
  if (example.name === undefined) return { source, ...example };
  const mail = { from: 'tidings@example.com', smtp: 'smtp://localhost' };
  return { source, mail, subscriptions: [{ events: ['*'], ...example }] };
}

function problemsOfConfig(text: string): readonly string[] {
  const example = parse(text);
  // A part of a subscription is checked as such.
  if (Object.keys(example).join() === 'where') return patternProblems(example.where).map(({ message }) => message);
  const config = completed(example);
  const isForAws = /\bssm:|\bsecret:[a-z]|\bbus:/.test(text);
  try {
    const given = isForAws ? { ...config, source: { ...source, token: 'ssm:/tidings/token' } } : config;
    parseTree('tidings.yaml', given, environmentOf(text), isForAws ? 'aws' : 'embedded');
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

/** Files of other programs. */
const FOREIGN = ['scrape_configs:'];

describe('a config in the docs', () => {
  const configs = of('yaml').filter(({ begins }) => !FOREIGN.includes(begins));

  it('is in every page that describes a part of it', () => {
    expect(new Set(configs.map(({ page }) => page)).size).toBeGreaterThan(5);
  });

  it.each(configs)('loads: $page, $begins', ({ text }) => {
    expect(problemsOfConfig(text)).toEqual([]);
  });

  it('is really checked', () => {
    expect(problemsOfConfig('name: x\nevents: [task.closd]\nto: { slack: { webhook: "${URL}" } }')).toHaveLength(1);
    expect(problemsOfConfig('where: { total: 5 }')).toHaveLength(1);
  });
});

describe('JSON in the docs', () => {
  it.each(of('json').filter(({ text }) => !/"specversion"/.test(text)))('parses: $page, $text', ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it.each(of('json').filter(({ text }) => /"specversion"/.test(text)))('is a valid event: $page', ({ text }) => {
    const event = JSON.parse(text) as TidingsEvent;
    expect(problemsOf(event)).toEqual([]);
  });
});
