/** `tidings/cdk` as somebody else has it: installed as a package, used from an app of their own, typed and run. */

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'tidings-package-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const node = (...argv: string[]) =>
  spawnSync(process.execPath, argv, { cwd: home, encoding: 'utf8', timeout: 120_000 });

const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { Tidings, type TidingsProps } from 'tidings/cdk';

const app = new App({ outdir: 'out', context: { 'aws:cdk:bundling-stacks': [] } });
const props: TidingsProps = { config: 'tidings.yaml', alarmEmail: 'ops@example.com' };
const tidings = new Tidings(new Stack(app, 'Ours'), 'News', props);
tidings.poller.handler.addEnvironment('OURS', 'yes');
app.synth();
`;

/** A package is a folder of real files; what it needs lies beside it. */
beforeAll(() => {
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, 'tidings'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  copyFileSync(join(root, 'package.json'), join(modules, 'tidings/package.json'));
  symlinkSync(join(root, 'functions'), join(modules, 'tidings/functions'));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(home, 'app.ts'), APP);
  copyFileSync(join(root, 'examples/aws.yaml'), join(home, 'tidings.yaml'));
  const built = node(join(root, 'bin/build-cdk.ts'), join(modules, 'tidings/cdk'));
  expect(built.stderr + built.stdout).toBe('');
  expect(built.status).toBe(0);
}, 120_000);

describe('tidings/cdk', () => {
  it('has types of its own that a strict app is content with', { timeout: 120_000 }, () => {
    const settings = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    const checked = node(
      join(root, 'node_modules/typescript/bin/tsc'),
      ...settings,
      '--types',
      'node',
      '--skipLibCheck',
      'app.ts',
    );
    expect(checked.stdout).toBe('');
    expect(checked.status).toBe(0);
  });

  it('runs in Node as it is, and makes the stack', { timeout: 120_000 }, () => {
    const made = node('app.ts');
    expect(made.stderr).not.toContain('Error');
    expect(made.status).toBe(0);
    const { Resources } = JSON.parse(readFileSync(join(home, 'out/Ours.template.json'), 'utf8'));
    const functions = Object.keys(Resources).filter((id) => /^News\w+Function[0-9A-F]{8}$/.test(id));
    expect(functions).toHaveLength(6);
  });

  it('is built before the package is packed, and packed with it', () => {
    const { scripts, files, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts.prepack).toContain('build:cdk');
    expect(files).toEqual(expect.arrayContaining(['cdk', 'functions', 'runtime', 'adapters', 'core', 'manage']));
    expect(exports['./cdk']).toEqual({ types: './cdk/types/lib/index.d.ts', default: './cdk/index.js' });
  });
});
