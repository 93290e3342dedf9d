/** The app as people run it: a process of its own, without an account, network or Docker. */

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfigForAws } from '../../runtime/config/load.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'tidings-app-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `cdk` does: runs the command of cdk.json with its context and the options. No credentials in sight. */
function runApp(options: Readonly<Record<string, unknown>>, outdir: string) {
  const { app, context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const [command, ...argv] = app.split(' ');
  expect(command).toBe('node');
  const { PATH } = process.env;
  const env = { PATH, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...options }) };
  return spawnSync(process.execPath, argv, { cwd: root, env, encoding: 'utf8', timeout: 120_000 });
}

describe('the app', () => {
  it('makes both stacks and the bundles of all functions, each with the config in it', {
    timeout: 120_000,
  }, async () => {
    const outdir = join(folder, 'out');
    const { status, stderr } = runApp({ config: 'examples/aws.yaml' }, outdir);
    expect(stderr).not.toContain('tidings:');
    expect(status).toBe(0);
    expect(globSync('*.template.json', { cwd: outdir }).sort()).toEqual([
      'Tidings.template.json',
      'TidingsData.template.json',
    ]);

    const bundles = globSync('asset.*/index.mjs', { cwd: outdir }).map((file) => join(outdir, file));
    expect(bundles).toHaveLength(6);
    // `$or` and quotes survive the way through esbuild.
    const { text } = loadConfigForAws(join(root, 'examples/aws.yaml'), {});
    expect(text).toContain('"$or"');
    for (const bundle of bundles) {
      const code = readFileSync(bundle, 'utf8');
      expect(
        [`'${text}'`, JSON.stringify(text), `\`${text.replaceAll('${', '\\${')}\``].some((literal) =>
          code.includes(literal),
        ),
      ).toBe(true);
      const { handler } = await import(bundle);
      expect(handler).toBeTypeOf('function');
    }
  });

  it('takes its options as context', { timeout: 120_000 }, () => {
    const outdir = join(folder, 'options');
    const { status } = runApp(
      {
        config: 'examples/aws.yaml',
        alarmEmail: 'ops@example.com',
        runbookUrl: 'https://runbook.example.com/',
        secretsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/of-ours',
        removalPolicy: 'destroy',
        'aws:cdk:bundling-stacks': [],
      },
      outdir,
    );
    expect(status).toBe(0);
    const read = (name: string) => readFileSync(join(outdir, name), 'utf8');
    expect(read('Tidings.template.json')).toContain('"Endpoint": "ops@example.com"');
    expect(read('Tidings.template.json')).toContain('https://runbook.example.com/#dead-letters');
    expect(read('Tidings.template.json')).toContain('key/of-ours');
    expect(read('TidingsData.template.json')).not.toContain('"DeletionPolicy": "Retain"');
    const { artifacts } = JSON.parse(read('manifest.json'));
    expect(artifacts.TidingsData.properties.terminationProtection).toBeFalsy();
    // Whoever deploys the functions deploys what they stand on.
    expect(artifacts.Tidings.dependencies).toContain('TidingsData');
  });

  it('tells what is wrong with a config as the command line does, and makes nothing', () => {
    const bad = join(folder, 'bad.yaml');
    writeFileSync(
      bad,
      'source: { baseUrl: "http://work.example.com", token: hunter2 }\nsubscriptions: [{ name: x, events: [task.clsed], to: { http: { url: "https://a.example.com", secret: "${S}" } } }]\n',
    );
    const { status, stderr } = runApp({ config: bad }, join(folder, 'none'));
    expect(status).toBe(2);
    expect(stderr).toBe(
      [
        `tidings: ${bad}: 4 problems`,
        "  source.baseUrl: expected an https URL, for the token travels with every request, got 'http://work.example.com'",
        "  subscriptions[0].events[0]: expected an event type, or a pattern that matches one (the nearest is 'task.closed'), got 'task.clsed'",
        "  source.token: expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager, got a value that is not shown here",
        "  subscriptions[0].to.http.secret: expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager, got a variable of the environment",
        '',
      ].join('\n'),
    );
    expect(globSync('none/*', { cwd: folder })).toEqual([]);
  });

  it('asks for a config where there is none', () => {
    const { status, stderr } = runApp({}, join(folder, 'none'));
    expect(status).toBe(2);
    expect(stderr).toBe(
      "tidings: config 'tidings.yaml': no such file; name another with -c config=FILE, or start from examples/aws.yaml\n",
    );
  });
});
