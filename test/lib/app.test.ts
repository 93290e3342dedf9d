/** The CDK app, in its own process and in this one, without an account, network or Docker. */

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { errorMessage } from '../../core/model/errors.ts';
import { stackFromContext } from '../../lib/stack-from-context.ts';
import { CONTEXT, EXAMPLE, newApp, root } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-app-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command of cdk.json with its context and options, as `cdk` does, without credentials. */
function runApp(options: Readonly<Record<string, unknown>>, outdir: string) {
  const { app, context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const [command, ...argv] = app.split(' ');
  expect(command).toBe('node');
  const { PATH } = process.env;
  const env = { PATH, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...options }) };
  return spawnSync(process.execPath, argv, { cwd: root, env, encoding: 'utf8', timeout: 300_000 });
}

/** Synthesizes in this process, without bundling. */
function synthesize(options: Readonly<Record<string, unknown>>, outdir: string): void {
  const app = newApp({ context: { ...CONTEXT, ...options }, outdir });
  stackFromContext(app, {});
  app.synth();
}

/** The stacks that the CLI sees. */
function stacksOf(outdir: string): string[] {
  const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8'));
  return Object.keys(artifacts).filter((name) => artifacts[name].type === 'aws:cloudformation:stack');
}

describe('the app', () => {
  it('synthesizes one stack with a nested one, whose templates are valid', () => {
    const outdir = join(folder, 'out');
    // package.test.ts builds the bundles, and functions/bundle.test.ts runs them.
    const { status, stderr } = runApp({ config: 'examples/aws.yaml', 'aws:cdk:bundling-stacks': [] }, outdir);
    // CDK prints the problems of a template here.
    expect([status, stderr]).toEqual([0, '']);
    expect(globSync('*.template.json', { cwd: outdir }).sort()).toEqual([
      'Tidings.template.json',
      expect.stringMatching(/^TidingsFunctions\w{8}\.nested\.template\.json$/),
    ]);
    // With two stacks `cdk deploy` would require a name.
    expect(stacksOf(outdir)).toEqual(['Tidings']);
  });

  it('reads options from the context', () => {
    const outdir = join(folder, 'options');
    synthesize(
      {
        config: EXAMPLE,
        name: 'News',
        alarmEmail: 'ops@example.com',
        runbookUrl: 'https://runbook.example.com/',
        secretsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/of-ours',
        moreSecrets: 'ssm:/tidings/old,secret:tidings/older#ops',
        maxConcurrency: '3',
        domainName: 'api.example.com',
        certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
        disableExecuteApiEndpoint: 'true',
        rateLimits: 'api:5,links:3',
        logRetention: '7d',
        tracing: 'xray',
        alarmsPerSource: 'true',
        sourceMaps: 'true',
        paused: 'true',
        removalPolicy: 'destroy',
      },
      outdir,
    );
    expect(stacksOf(outdir)).toEqual(['News']);
    const read = (name: string) => readFileSync(join(outdir, name), 'utf8');
    const [nested = ''] = globSync('NewsFunctions*.nested.template.json', { cwd: outdir });
    for (const text of [
      '"Endpoint": "ops@example.com"',
      'https://runbook.example.com/#dead-letters',
      'key/of-ours',
      '/tidings/old"',
      'secret:tidings/older-??????',
      '"MaximumConcurrency": 3',
      '"DomainName": "api.example.com"',
      'certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
      '"DisableExecuteApiEndpoint": true',
      '"ThrottlingRateLimit": 3,',
      '"RetentionInDays": 7',
      '"TIDINGS_TRACING": "xray"',
      '"TIDINGS_SOURCE_METRICS": "true"',
      '--enable-source-maps',
      '"State": "DISABLED"',
      '"TIDINGS_DEPLOYMENT": "News"',
      '"/tidings/News/stores"',
      '/tidings/secrets/News/',
    ]) {
      expect(read(nested)).toContain(text);
    }
    expect(read('News.template.json')).not.toContain('"DeletionPolicy": "Retain"');
    const { artifacts } = JSON.parse(read('manifest.json'));
    expect(artifacts.News.properties.terminationProtection).toBeFalsy();
  });

  it('reads options from the config, including the name of the stack', () => {
    const config = join(folder, 'named.yaml');
    writeFileSync(config, `${readFileSync(EXAMPLE, 'utf8')}\naws: { name: Ours, paused: true }\n`);
    const outdir = join(folder, 'named');
    synthesize({ config, paused: 'false' }, outdir);
    expect(stacksOf(outdir)).toEqual(['Ours']);
    const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8'));
    expect(artifacts.Ours.properties.terminationProtection).toBe(true);
    // Options with -c have priority.
    const [nested = ''] = globSync('OursFunctions*.nested.template.json', { cwd: outdir });
    expect(readFileSync(join(outdir, nested), 'utf8')).not.toContain('"State": "DISABLED"');
  });

  it('names an invalid option and what was expected', () => {
    const wrong = { name: '1st', maxConcurrency: 'many', paused: 'maybe', logRetention: '31d', removalPolicy: 'keep' };
    let message = '';
    try {
      synthesize({ config: EXAMPLE, ...wrong }, join(folder, 'none'));
    } catch (error) {
      message = errorMessage(error);
    }
    expect(message.split('\n')).toEqual([
      `${EXAMPLE}: 5 problems`,
      expect.stringMatching(/^ {2}aws\.name: expected a name of at most 100 letters.* got '1st'$/),
      "  aws.maxConcurrency: expected a whole number from 2 to 1000, got 'many'",
      expect.stringMatching(/^ {2}aws\.logRetention: expected one of 1d, 3d,.* got '31d'$/),
      "  aws.paused: expected true, false or draining, got 'maybe'",
      "  aws.removalPolicy: expected one of retain, destroy, got 'keep'",
    ]);
  });

  it.each([
    ['confg', 'config'],
    ['Paused', 'paused'],
    ['alarm_email', 'alarmEmail'],
  ])('suggests the correct option for %s', (misspelled, suggestion) => {
    expect(() => synthesize({ config: EXAMPLE, [misspelled]: 'true' }, join(folder, 'none'))).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^TIDINGS_/),
        message: `-c ${misspelled}: unknown option; did you mean '${suggestion}'?`,
      }),
    );
  });

  it('reports the problems of a config like the CLI, and synthesizes nothing', () => {
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
        "  source.baseUrl: expected an https URL, because every request carries the token, got 'http://work.example.com'",
        "  subscriptions[0].events[0]: expected an event type, or a pattern that matches one (the nearest is 'task.closed'), got 'task.clsed'",
        "  source.token: expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager, got a value that is not shown here",
        "  subscriptions[0].to.http.secret: expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager, got an environment variable",
        '',
      ].join('\n'),
    );
    expect(globSync('none/*', { cwd: folder })).toEqual([]);
  });

  it('reports a missing config', () => {
    expect(() => synthesize({}, join(folder, 'none'))).toThrow(
      "config 'tidings.yaml': no such file; name another with -c config=FILE, or start from examples/aws.yaml",
    );
  });
});
