/** An app as `cdk init` makes it: CommonJS, with Jest tests that import the construct of the installed package and synthesize it. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, packAndInstall, run, scratch } from '../lib/installed-package.ts';
import { installJest } from './jest.ts';

let jest: string;
beforeAll(async () => {
  jest = installJest();
  await packAndInstall();
}, 600_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Without a transformer: Jest runs the files as they are. */
const CONFIG = { testMatch: ['<rootDir>/*.test.js'], testEnvironment: 'node', transform: {} };

const TEST = `
const { App, Stack } = require('aws-cdk-lib');
const { Template } = require('aws-cdk-lib/assertions');
const { Tidings, TidingsStack } = require('tidings/cdk');

test('the construct has two tables in the stack of the app', () => {
  const stack = new Stack(new App(), 'News');
  new Tidings(stack, 'Tidings', { config: 'tidings.yaml' });
  Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
});

test('the stack nests the functions', () => {
  const stack = new TidingsStack(new App(), 'News', { config: 'tidings.yaml' });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::CloudFormation::Stack', 1);
  template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
});

test('a wrong option is an error that names it', () => {
  const stack = new Stack(new App(), 'News');
  const make = () => new Tidings(stack, 'Tidings', { config: 'tidings.yaml', maxConcurrency: 0 });
  expect(make).toThrow(/maxConcurrency/);
});
`;

it('passes in Jest, in CommonJS', async () => {
  writeFileSync(join(app, 'package.json'), '{ "name": "news", "private": true }\n');
  writeFileSync(join(app, 'jest.config.json'), JSON.stringify(CONFIG));
  writeFileSync(join(app, 'news.test.js'), TEST);
  const { code, stdout, stderr } = await run(process.execPath, [jest, '--config', 'jest.config.json', '--ci']);
  expect([code, stdout, code === 0 ? '' : stderr]).toEqual([0, '', '']);
  expect(stderr).toMatch(/Tests: +3 passed, 3 total/);
}, 300_000);
