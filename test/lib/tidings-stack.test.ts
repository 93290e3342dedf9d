/** The stack and its nested stack, synthesized once for all suites, because loading the CDK takes longer than the tests. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, NestedStack, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, describe, expect, it } from 'vitest';
import { Tidings, TidingsData } from '../../lib/index.ts';
import { costSuite } from './cost-suite.ts';
import { dataSuite } from './data-suite.ts';
import { functionsSuite } from './functions-suite.ts';
import { manageSuite } from './manage-suite.ts';
import { watchSuite } from './monitoring-suite.ts';
import { optionsSuite } from './options-suite.ts';
import { permissionsSuite } from './permissions-suite.ts';
import { CONTEXT, EXAMPLE, makeStacks, newApp, synthesize, writeManySources } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-stacks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A config without mail and links, but with buses. */
const small = join(folder, 'tidings.yaml');
writeFileSync(
  small,
  `source: { baseUrl: "https://\${HOST}/api", token: "ssm:/tidings/token" }
subscriptions:
  - { name: here, events: [task.*], to: { bus: {} } }
  - { name: again, events: [invoice.*], to: { bus: { name: default } } }
  - { name: there, events: [task.*], to: { bus: { name: "arn:aws:events:eu-west-1:123456789012:event-bus/theirs" } } }
`,
);

const full = synthesize(makeStacks({ alarmEmail: 'ops@example.com', runbookUrl: 'https://runbook.example.com/' }));
const without = synthesize(
  makeStacks({
    config: small,
    environment: { HOST: 'work.example.com' },
    moreSecrets: ['ssm:/tidings/old'],
    secretsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/of-ours',
  }),
);

dataSuite(full);
functionsSuite(full, without);
manageSuite(full, without);
permissionsSuite(full, without);
watchSuite(full, without);
costSuite(full, without, synthesize(makeStacks({ config: writeManySources(folder, 2) })));
optionsSuite(full);

describe('Tidings', () => {
  it('reports all problems of a config, and synthesizes nothing', () => {
    const bad = join(folder, 'bad.yaml');
    writeFileSync(bad, 'source: { baseUrl: "https://work.example.com", token: "${TOKEN}" }\nmail: { from: nobody }\n');
    expect(() => makeStacks({ config: bad })).toThrow(
      `${bad}: 2 problems\n  mail.from: expected a sender such as 'Tidings <tidings@example.com>', got 'nobody'\n  source.token: expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager, got an environment variable`,
    );
  });
});

describe('a second Tidings', () => {
  const make = (scope: Stack, id: string) => new Tidings(scope, id, { config: EXAMPLE, environment: {} });
  const taken = (path: string, other: string) =>
    expect.objectContaining({
      code: 'TIDINGS_STACK_TAKEN',
      message: `'${path}': stack 'Theirs' already contains a Tidings at '${other}': both would write the parameter /tidings/Theirs/stores; use one stack for each`,
    });

  it('in the same stack is rejected, also in a nested one', () => {
    const stack = new Stack(newApp(), 'Theirs');
    make(stack, 'News');
    expect(() => make(stack, 'More')).toThrow(taken('Theirs/More', 'Theirs/News'));
    const nested = new NestedStack(stack, 'Nested');
    expect(() => make(nested, 'News')).toThrow(taken('Theirs/Nested/News', 'Theirs/News'));
  });

  it('in its own stack is allowed, even if the stack was created within the other', () => {
    const app = newApp();
    const stack = new Stack(app, 'Theirs');
    make(stack, 'News');
    expect(() => make(new Stack(app, 'Others'), 'News')).not.toThrow();
    expect(() => make(new Stack(stack, 'Within'), 'News')).not.toThrow();
  });
});

describe('the templates', () => {
  /** Removes the hashes of bundles, which change with the code. */
  const masked = (template: Template) =>
    JSON.parse(
      JSON.stringify(template.toJSON())
        .replaceAll(/[0-9a-f]{64}/g, '<asset>')
        .replaceAll(/CurrentVersion[0-9A-F]{8}[0-9a-f]{32}/g, 'CurrentVersion<hash>'),
    );

  it('of data and functions match their snapshots', async () => {
    await expect(json(masked(full.storage))).toMatchFileSnapshot('snapshots/Tidings.json');
    await expect(json(masked(full.functions))).toMatchFileSnapshot('snapshots/Functions.json');
  });

  it('use parameters between stacks, because exports cannot be changed', () => {
    for (const template of [full.storage, full.functions]) {
      expect(JSON.stringify(template.toJSON())).not.toMatch(/Fn::ImportValue|"Export"/);
    }
  });

  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
});

describe('cdk-nag', () => {
  const check = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

  it('has no unacknowledged findings, with the rules of AWS Solutions and Serverless', () => {
    const { app } = makeStacks({ alarmEmail: 'ops@example.com' }, { outdir: join(folder, 'nag') });
    check(app);
    expect(() => app.synth()).not.toThrow();
  });

  it('also checks the nested stack', () => {
    const { app, stack } = makeStacks({}, { outdir: join(folder, 'nag-nested') });
    new Queue(stack.functions, 'Bare');
    check(app);
    expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
  });

  it('has no findings in another stack with known account and region', () => {
    const app = newApp({ outdir: join(folder, 'nag-known'), context: { 'aws:cdk:bundling-stacks': [] } });
    const env = { account: '123456789012', region: 'eu-central-1' };
    new Tidings(new Stack(app, 'Theirs', { env }), 'News', { config: EXAMPLE, environment: {} });
    check(app);
    expect(() => app.synth()).not.toThrow();
  });

  const env = { account: '123456789012', region: 'eu-central-1' };
  it.each([
    ['exports', undefined, 'strong', /Fn::ImportValue/],
    ['exports, of an account and region that are known', env, 'strong', /Fn::ImportValue/],
    ['outputs, as our own flags have it', undefined, 'weak', /Fn::GetStackOutput/],
    ['outputs, of an account and region that are known', env, 'weak', /Fn::GetStackOutput/],
  ] as const)('has no findings when the data is in another stack, known by %s', (_, env, kind, reference) => {
    const context = { ...CONTEXT, '@aws-cdk/core:defaultCrossStackReferences': kind };
    const app = newApp({ outdir: mkdtempSync(join(folder, 'nag-apart-')), context });
    const stackProps = env === undefined ? {} : { env };
    const data = new TidingsData(new Stack(app, 'Kept', stackProps), 'Data');
    const theirs = new Stack(app, 'Theirs', stackProps);
    new Tidings(theirs, 'News', { config: EXAMPLE, environment: {}, data });
    check(app);
    expect(() => app.synth()).not.toThrow();
    // Otherwise this would not be another kind of reference.
    expect(JSON.stringify(Template.fromStack(theirs).findResources('AWS::IAM::Policy'))).toMatch(reference);
  });

  it('reports a finding that is not acknowledged', () => {
    const app = newApp({ outdir: join(folder, 'nag-control'), context: {} });
    new Queue(new Stack(app, 'Bare'), 'Queue');
    check(app);
    expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
    expect(readFileSync(join(folder, 'nag-control/validation-report.json'), 'utf8')).toContain('SQSRedrivePolicy');
  });
});
