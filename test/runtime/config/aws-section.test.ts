/** The section `aws` of a config: options of the deployment. Checked in both modes, used only in AWS. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../core/model/errors.ts';
import { LOG_DAYS } from '../../../runtime/config/aws-schema.ts';
import { loadConfigForAws, parseTree } from '../../../runtime/config/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-aws-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'tidings.json');
const source = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };

function load(aws: unknown, options?: Readonly<Record<string, unknown>>, environment = {}) {
  writeFileSync(file, JSON.stringify(aws === undefined ? { source } : { source, aws }));
  return loadConfigForAws(file, environment, options === undefined ? {} : { options });
}

const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e';

const problemsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
};

describe('the section aws', () => {
  it('is empty by default, because the stack has the defaults', () => {
    expect(load(undefined).aws).toEqual({});
    expect(load({}).aws).toEqual({});
  });

  it('is returned as written, with variables expanded', () => {
    const aws = {
      name: 'News-2',
      alarmEmail: '${OPS}',
      runbookUrl: 'https://wiki.example.com/runbook',
      secretsKeyArn: 'arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/mrk-0d6f6b3c',
      moreSecrets: ['ssm:/tidings/old', 'secret:tidings/older#ops'],
      maxConcurrency: 2,
      domainName: 'tidings.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
      disableExecuteApiEndpoint: true,
      rateLimits: { api: 5, console: 5, slack: 50, links: 10_000 },
      sourceMaps: true,
      paused: false,
      removalPolicy: 'destroy',
    };
    const { aws: read } = load({ ...aws, logRetention: '90d' }, undefined, { OPS: 'ops@example.com' });
    expect(read).toEqual({ ...aws, alarmEmail: 'ops@example.com', logRetention: 90 });
  });

  it('is not part of the bundles: another alarm address does not change the functions', () => {
    expect(load({ alarmEmail: 'ops@example.com', paused: true }).text).toBe(load(undefined).text);
    expect(load({ alarmEmail: 'ops@example.com' }).config).not.toHaveProperty('aws');
  });

  it.each(LOG_DAYS.map((days) => [days]))('accepts a log retention of %i days, as CloudWatch does', (days) => {
    expect(load({ logRetention: `${days}d` }).aws).toEqual({ logRetention: days });
  });

  it.each<[object, string]>([
    [{ name: '-x' }, 'aws.name: expected a name of at most 100 letters, digits and -'],
    [{ name: 'x_y' }, 'aws.name: expected a name of at most 100 letters, digits and -'],
    [{ alarmEmail: 'ops' }, "aws.alarmEmail: expected a mail address, got 'ops'"],
    [{ runbookUrl: 'docs/runbook.md' }, 'aws.runbookUrl: expected a URL'],
    [{ secretsKeyArn: 'alias/ours' }, 'aws.secretsKeyArn: expected the ARN of a KMS key'],
    [{ moreSecrets: 'ssm:/x' }, 'aws.moreSecrets: expected a list'],
    [{ moreSecrets: ['ssm:/x*'] }, "aws.moreSecrets[0]: expected 'ssm:/path' or 'secret:name'"],
    [{ maxConcurrency: 1 }, 'aws.maxConcurrency: expected a whole number from 2 to 1000, got 1'],
    [{ maxConcurrency: 1001 }, 'aws.maxConcurrency: expected a whole number from 2 to 1000'],
    [
      { domainName: 'example', certificateArn: CERTIFICATE },
      "aws.domainName: expected a domain such as 'tidings.example.com'",
    ],
    [{ domainName: 'https://x.example.com', certificateArn: CERTIFICATE }, 'aws.domainName: expected a domain'],
    [{ domainName: 'x.example.com', certificateArn: 'ours' }, 'aws.certificateArn: expected the ARN of a certificate'],
    [{ domainName: 'x.example.com' }, 'aws.certificateArn: expected the ARN of the certificate of aws.domainName'],
    [{ certificateArn: CERTIFICATE }, 'aws.domainName: expected the domain of aws.certificateArn'],
    [{ disableExecuteApiEndpoint: true }, 'aws.disableExecuteApiEndpoint: expected false without aws.domainName'],
    [{ disableExecuteApiEndpoint: 'yes' }, 'aws.disableExecuteApiEndpoint: expected true or false'],
    [{ rateLimits: { api: 0 } }, 'aws.rateLimits.api: expected a whole number of requests a second, from 1 to 10000'],
    [{ rateLimits: { health: 5 } }, "aws.rateLimits: unknown key 'health'"],
    [{ logRetention: '2d' }, 'aws.logRetention: expected one of 1d, 3d, 5d'],
    [{ logRetention: 'a month' }, 'aws.logRetention: expected a number of whole days'],
    [{ sourceMaps: 'yes' }, "aws.sourceMaps: expected true or false, got 'yes'"],
    [{ paused: 1 }, 'aws.paused: expected true, false or draining, got 1'],
    [{ removalPolicy: 'keep' }, "aws.removalPolicy: expected one of retain, destroy, got 'keep'"],
    [{ alarmMail: 'ops@example.com' }, "aws: unknown key 'alarmMail', did you mean 'alarmEmail'?"],
  ])('is rejected with %j, in AWS and in the embedded mode', (aws, problem) => {
    expect(problemsOf(() => load(aws))).toEqual([expect.stringContaining(problem)]);
    const embedded = { source: { ...source, token: 'x' }, aws };
    expect(problemsOf(() => parseTree('tidings.yaml', embedded, {}))).toEqual([expect.stringContaining(problem)]);
  });

  it('does not show a secret written in place of a reference', () => {
    expect(problemsOf(() => load({ moreSecrets: ['ssm:/tidings/old', 'whsec_hunter2'] }))).toEqual([
      "aws.moreSecrets[1]: expected 'ssm:/path' or 'secret:name', got a value that is not shown here",
    ]);
    expect(problemsOf(() => load({ moreSecrets: 'whsec_hunter2' })).join()).not.toContain('hunter2');
  });

  it('has no effect in the embedded mode', () => {
    const embedded = { source: { ...source, token: 'x' } };
    expect(parseTree('tidings.yaml', { ...embedded, aws: { paused: true } }, {})).toEqual(
      parseTree('tidings.yaml', embedded, {}),
    );
  });
});

describe('options from the command line', () => {
  it('override single options of the section', () => {
    const { aws } = load(
      { name: 'News', paused: true, maxConcurrency: 5 },
      { paused: false, alarmEmail: 'a@b.example' },
    );
    expect(aws).toEqual({ name: 'News', paused: false, maxConcurrency: 5, alarmEmail: 'a@b.example' });
  });

  it('apply when the config has no section', () => {
    expect(load(undefined, { paused: true }).aws).toEqual({ paused: true });
  });

  it('are validated like the section', () => {
    expect(problemsOf(() => load({ paused: true }, { paused: 'maybe' }))).toEqual([
      "aws.paused: expected true, false or draining, got 'maybe'",
    ]);
  });

  it.each([[7], [[]], ['x']])('do not hide that aws is %j instead of a section', (aws) => {
    expect(problemsOf(() => load(aws, { paused: true }))).toEqual([expect.stringContaining('aws: expected a section')]);
  });
});

describe('manage without a url', () => {
  const manage = { secret: 'ssm:/tidings/links' };

  it('is valid in AWS, where the stack has an API', () => {
    writeFileSync(file, JSON.stringify({ source, manage }));
    expect(loadConfigForAws(file, {}).config.manage).toEqual(manage);
  });

  it('is rejected in the embedded mode', () => {
    expect(
      problemsOf(() =>
        parseTree('tidings.yaml', { source: { ...source, token: 'x' }, manage: { secret: 'file:/run/links' } }, {}),
      ),
    ).toEqual(['manage.url: expected a URL such as https://ops.example.com/tidings, got nothing']);
  });
});
