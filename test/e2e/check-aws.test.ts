/** `tidings check --for-aws`, as a user runs it before the deployment. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorMessage } from '../../core/model/errors.ts';
import { loadConfigForAws } from '../../runtime/config/load.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { AWS_SOURCE, configFolder } from './aws-config-file.ts';
import { tidings } from './command.ts';

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/aws.yaml');
const NOW = '2026-11-16T08:00:00.000Z';
const check = (...argv: readonly string[]) => runCommandAt(NOW, ['check', '--for-aws', ...argv]);

const { folder, configFile } = configFolder();
const source = AWS_SOURCE;

describe('tidings check --for-aws', () => {
  it('accepts the example without credentials or a region', async () => {
    const noCredentials = {
      AWS_ACCESS_KEY_ID: '',
      AWS_PROFILE: '',
      AWS_REGION: '',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    };
    const { code, stdout, stderr } = await tidings(['check', '--for-aws', '--config', example], noCredentials);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      `✔  ${example} is valid for AWS as stack Tidings (no requests made)`,
      '✔  main at https://work.example.com/api, time zone Europe/Berlin',
      '   task           every 5m   full sweep every 6h',
      '   project        every 1h   full sweep',
      '✔  ops-hook: http, task.*, invoice.paid',
      '✔  finance: slack, invoice.overdue, invoice.paid',
      '✔  morning: email, task.overdue, task.due_soon',
      '✔  mail from Tidings <tidings@example.com>, through SES',
      '-  alarms are sent to no one: aws.alarmEmail is not set',
      '   ssm:/tidings/links                Parameter Store  used by deliver, manage',
    ])
      expect(stdout.split('\n')).toContain(line);
    expect(stdout).toMatch(/ops-hook: its secrets exist, .* {2}tidings subscriptions test ops-hook --aws Tidings\n/);
  });

  it('prints what docs/cli.md shows', async () => {
    const docs = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const [, shown = ''] = /\$ tidings check --for-aws --config examples\/aws\.yaml\n([\s\S]*?)```/.exec(docs) ?? [];
    const { stdout } = await check('--config', example);
    const words = (line: string) => line.trim().replaceAll(/\s+/g, ' ');
    const printed = stdout.replaceAll(example, 'examples/aws.yaml').split('\n').map(words);
    const lines = shown.split('\n').map(words);
    expect(lines.length).toBeGreaterThan(10);
    expect(printed).toEqual(expect.arrayContaining(lines.filter((line) => line !== '…')));
  });

  it('marks cadences that are too short for AWS, and names the recipient of alarms', async () => {
    const file = configFile({
      source: { ...source, resources: { task: { every: '2s' } } },
      aws: { alarmEmail: 'a@b.example' },
    });
    const { stdout } = await check('--config', file);
    expect(stdout).toMatch(/^ {3}task +every 1m +full sweep every 6h +limited to once a minute in AWS$/m);
    expect(stdout).toContain("time zone of the token's user");
    expect(stdout).toContain('✔  alarms are sent to a@b.example');
  });

  it('prints one JSON object', async () => {
    const { code, stdout } = await check('--config', example, '--json');
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual([
      'stack',
      'alarmEmail',
      'mailFrom',
      'sources',
      'subscriptions',
      'secrets',
      'unproven',
      'warnings',
    ]);
    expect(result.sources[0].resources[0]).toEqual({
      resource: 'task',
      every: 300_000,
      sweep: 21_600_000,
      slowed: false,
    });
    expect(result.secrets).toHaveLength(4);
    // Only a stack knows the sources that were added to it.
    expect(result.unproven.map(({ how }: { how: string }) => how)).toContain(
      `tidings sources --aws ${result.stack} --config ${example}`,
    );
  });

  it('prints the errors of cdk synth and exits with 2', async () => {
    const file = configFile({
      source: { ...source, token: 'hunter2', timeZone: 'Mars' },
      mail: { from: 5, smtp: 'x' },
    });
    const { code, stdout, stderr } = await check('--config', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('4 problems');
    expect(stderr).not.toContain('hunter2');
    const synth = () => {
      try {
        loadConfigForAws(file, {});
        return '';
      } catch (error) {
        return `tidings: ${errorMessage(error)}\n`;
      }
    };
    expect(stderr).toBe(synth());
  });

  it('suggests the AWS example when there is no config, and rejects --ping', async () => {
    const missing = await check('--config', join(folder, 'nowhere.yaml'));
    expect(missing.stderr).toMatch(
      /no such file; name another config with --config, or start from examples\/aws\.yaml/,
    );
    const ping = await check('--ping');
    expect(ping.stderr).toContain("option '--for-aws' cannot be used with option '--ping'");
    expect([missing.code, ping.code]).toEqual([2, 2]);
  });
});

describe('a config for AWS in other commands', () => {
  it.each([['check'], ['once', '--data', 'nowhere'], ['serve', '--data', 'nowhere'], ['preview', '--data', 'nowhere']])(
    'is refused by %s, with one hint how to check it',
    async (...argv) => {
      const { code, stdout, stderr } = await runCommandAt(NOW, [...argv, '--config', example]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr.match(/for-aws/g)).toHaveLength(1);
      expect(stderr.trimEnd().split('\n').at(-1)).toBe(
        `a config with ssm: or secret: references is for AWS; check it with: tidings check --for-aws --config ${example}`,
      );
      expect(stderr).toContain(
        'source.token: expected ${NAME}, file:PATH or the secret: ssm: and secret: are resolved in AWS',
      );
    },
  );

  it('gets no hint when it has nothing specific to AWS', async () => {
    const file = configFile({ source: { ...source, token: 'x', timeZone: 'Mars' } });
    const { stderr } = await runCommandAt(NOW, ['check', '--config', file]);
    expect(stderr).toContain('source.timeZone');
    expect(stderr).not.toContain('for-aws');
  });
});
