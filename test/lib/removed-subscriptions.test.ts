/** The warning about subscriptions that the config no longer declares, from real synths into one output directory. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Tidings, TidingsStack } from '../../lib/index.ts';
import { newApp } from './stacks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-removed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeConfig(...subscriptions: readonly string[]): string {
  const file = join(folder, 'tidings.yaml');
  const entries = subscriptions.map((one) => `  - { ${one}, events: [task.*], to: { bus: {} } }\n`);
  writeFileSync(
    file,
    `source: { baseUrl: "https://work.example.com", token: "ssm:/tidings/token" }\nsubscriptions:\n${entries.join('')}`,
  );
  return file;
}

type AddStack = (app: App, config: string) => Stack;
const addTidingsStack: AddStack = (app, config) => new TidingsStack(app, 'News', { config, environment: {} });

/** Writes the app to disk, and returns its warnings about subscriptions. */
function synth(subscriptions: readonly string[], addStack: AddStack = addTidingsStack): readonly string[] {
  const app = newApp({ outdir: join(folder, 'cdk.out') });
  const stack = addStack(app, writeConfig(...subscriptions));
  app.synth();
  return Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => String(entry.data))
    .filter((text) => text.includes('subscription '));
}

it('names each subscription that was removed, and what to do, and is silent otherwise', () => {
  // The first synthesis, other positions, and one that was added.
  expect(synth(['name: slow', 'name: slower', 'name: fast'])).toEqual([]);
  expect(synth(['name: fast', 'name: slower', 'name: slow', 'name: another'])).toEqual([]);
  const warnings = synth(['name: fast', 'name: another']);
  expect(warnings).toHaveLength(2);
  const [slower, slow] = warnings;
  expect(slower).toContain("subscription 'slower'");
  expect(slow).toContain("subscription 'slow' is no longer in the config: the deployment will drop its unsent");
  expect(slow).toContain('tidings deliveries --subscription slow --aws News');
  expect(slow).toContain('renamedFrom: slow');
  expect(slow).toContain('tidings replay --subscription slow --to NEW --aws News');
});

it('warns about a rename without renamedFrom only', () => {
  synth(['name: slow', 'name: fast']);
  expect(synth(['name: calm, renamedFrom: slow', 'name: fast'])).toEqual([]);
  // The template has only the names.
  const outdir = join(folder, 'cdk.out');
  const [nested = ''] = readdirSync(outdir).filter((file) => file.endsWith('.nested.template.json'));
  expect(JSON.parse(readFileSync(join(outdir, nested), 'utf8')).Metadata).toEqual({
    'tidings:subscriptions': ['calm', 'fast'],
  });
  expect(synth(['name: quiet', 'name: fast'])).toEqual([expect.stringContaining("subscription 'calm'")]);
});

it.each<[string, AddStack]>([
  [
    'a stack of its own',
    (app, config) => {
      const stack = new Stack(app, 'Ours');
      new Tidings(stack, 'Tidings', { config, environment: {} });
      return stack;
    },
  ],
  ['a stage', (app, config) => new TidingsStack(new Stage(app, 'Prod'), 'News', { config, environment: {} })],
])('warns in %s', (_, addStack) => {
  expect(synth(['name: slow', 'name: fast'], addStack)).toEqual([]);
  expect(synth(['name: fast'], addStack)).toEqual([expect.stringContaining("subscription 'slow'")]);
});

it('ignores a previous template that cannot be read', () => {
  synth(['name: slow', 'name: fast']);
  const outdir = join(folder, 'cdk.out');
  for (const text of ['', '{"Metadata":{"tidings:subscriptions":"slow"}}']) {
    for (const file of readdirSync(outdir)) {
      if (file.endsWith('.template.json')) writeFileSync(join(outdir, file), text);
    }
    expect(synth(['name: fast'])).toEqual([]);
  }
});
