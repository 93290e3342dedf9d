/** The permissions of each function: only what it needs. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { FUNCTION_PERMISSIONS } from '../../lib/function-permissions.ts';
import { generatePermissionsTable, type RolesTemplate, replacePermissions } from '../../tools/permissions-table.ts';
import { allowedTo, makeStacks, root, type Synthesized, synthesize } from './stacks.ts';

const NAMES = ['Announcer', 'Deliverer', 'Manage', 'Poller', 'Setup', 'Ticker'] as const;
const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** A policy document as text, with names of the maximum length. */
function textOf(document: unknown): string {
  const known: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws-us-gov',
    'AWS::Region': 'ap-southeast-99',
    'AWS::AccountId': '123456789012',
  };
  return JSON.stringify(document, (_, value) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('Ref' in value) return known[value.Ref] ?? 'arn:'.padEnd(200, 'x');
    if ('Fn::GetAtt' in value) return 'arn:'.padEnd(200, 'x');
    if (!('Fn::Join' in value)) return value;
    const [between, parts] = value['Fn::Join'];
    return parts.map((part: unknown) => JSON.parse(textOf(part))).join(between);
  });
}

export const permissionsSuite = ({ functions: template }: Synthesized, without: Synthesized) =>
  describe('permissions', () => {
    const actionsOf = (name: string) => Object.keys(allowedTo(template, name)).sort();
    const resourceOf = (name: string, action: string) => allowedTo(template, name)[action] ?? '';

    it('poll reads and commits snapshots, saves scan states, and reads the token', () => {
      expect(actionsOf('Poller')).toEqual([
        'dynamodb:BatchGetItem',
        'dynamodb:BatchWriteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        ...LOGS,
        'sqs:SendMessage',
        'ssm:GetParameter',
      ]);
      // Only its own dead-letter queue, not the delivery queue.
      expect(resourceOf('Poller', 'sqs:SendMessage')).toMatch(/^\{"Ref":"referenceto[^"]*MissedRuns[^"]*"\}$/);
      expect(resourceOf('Poller', 'dynamodb:BatchWriteItem')).not.toContain('Snapshots');
      expect(resourceOf('Poller', 'ssm:GetParameter')).toContain(':parameter/tidings/token"');
      expect(resourceOf('Poller', 'ssm:GetParameter')).not.toContain('links');
    });

    it('tick reads the agenda of deliveries, and puts those that are due on the queue', () => {
      expect(resourceOf('Ticker', 'dynamodb:Query').match(/\/index\/\w+/g)).toEqual(['/index/agenda']);
      expect(resourceOf('Ticker', 'sqs:SendMessage')).toContain('TidingsDeliveriesQueue');
      expect(actionsOf('Ticker')).not.toContain('ssm:GetParameter');
    });

    it('announce writes to the ledger, reads the stream, and reads no secret', () => {
      expect(actionsOf('Announcer')).toEqual([
        'dynamodb:BatchGetItem',
        'dynamodb:DescribeStream',
        'dynamodb:GetItem',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        ...LOGS,
        's3:ListBucket',
        's3:PutObject',
        'sqs:SendMessage',
      ]);
      expect(resourceOf('Announcer', 'dynamodb:PutItem')).not.toContain('Snapshots');
      expect(resourceOf('Announcer', 's3:PutObject')).toContain('/aws/lambda/*');
    });

    it('deliver reads the secrets of receivers and links, each by name, and never the token', () => {
      expect(resourceOf('Deliverer', 'ssm:GetParameter')).toContain(':parameter/tidings/links"');
      expect(resourceOf('Deliverer', 'ssm:GetParameter')).not.toContain('token');
      // Two keys of the same secret.
      expect(resourceOf('Deliverer', 'secretsmanager:GetSecretValue').match(/secret:tidings[^"]*/g)).toEqual([
        'secret:tidings/receivers-??????',
      ]);
      expect(actionsOf('Deliverer')).not.toContain('kms:Decrypt');
    });

    it('only deliver reads the rotated secrets of this stack, poll the tokens of its sources, and none of other stacks', () => {
      const readers = NAMES.filter((name) => resourceOf(name, 'ssm:GetParameter').includes('tidings/secrets'));
      expect(readers.toSorted()).toEqual(['Deliverer', 'Poller']);
      expect(resourceOf('Poller', 'ssm:GetParameter').match(/:parameter\/[^"]*\*/g)).toEqual([
        ':parameter/tidings/secrets/Tidings/source-*',
      ]);
      expect(resourceOf('Deliverer', 'ssm:GetParameter').match(/:parameter\/[^"]*\*/g)).toEqual([
        ':parameter/tidings/secrets/Tidings/*',
      ]);
    });

    it('no function reads the stores parameter, which is for the CLI', () => {
      const all = NAMES.map((name) => resourceOf(name, 'ssm:GetParameter')).join(' ');
      expect(all).not.toContain('stores');
    });

    it('deliver sends mail only with the sender of the config', () => {
      // SES checks more identities than the sender's, so the address is the limit.
      const resource = resourceOf('Deliverer', 'ses:SendEmail');
      expect(resource.match(/:(identity|configuration-set)\/[^"]*/g)?.sort()).toEqual([
        ':configuration-set/*',
        ':identity/*',
      ]);
      expect(resource.match(/\{"Ref":"AWS::AccountId"\}/g)).toHaveLength(2);
      const policies = Object.values(template.findResources('AWS::IAM::Policy'));
      const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
      const mail = statements.filter(({ Action }) => [Action].flat().includes('ses:SendEmail'));
      expect(mail).toEqual([
        expect.objectContaining({ Condition: { StringEquals: { 'ses:FromAddress': 'tidings@example.com' } } }),
      ]);
      expect(Object.keys(allowedTo(without.functions, 'Deliverer'))).not.toContain('ses:SendEmail');
    });

    it('deliver reads additional secrets, with their key, if configured', () => {
      const allowed = allowedTo(without.functions, 'Deliverer');
      expect(allowed['ssm:GetParameter']).toContain(':parameter/tidings/old"');
      expect(allowed['kms:Decrypt']).toBe('"arn:aws:kms:eu-central-1:123456789012:key/of-ours"');
      expect(Object.keys(allowedTo(without.functions, 'Ticker'))).not.toContain('kms:Decrypt');
    });

    it('deliver sends events to the buses of the config, also in other accounts', () => {
      const resources = allowedTo(without.functions, 'Deliverer')['events:PutEvents'] ?? '';
      expect(resources.match(/:event-bus\/\w+/g)?.sort()).toEqual([':event-bus/default', ':event-bus/theirs']);
      expect(resources).toContain('"arn:aws:events:eu-west-1:123456789012:event-bus/theirs"');
      expect(actionsOf('Deliverer')).not.toContain('events:PutEvents');
    });

    it('manage and setup access only subscriptions, their health and deliveries, and the agenda', () => {
      expect(actionsOf('Manage')).toEqual([
        'dynamodb:BatchGetItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        ...LOGS,
        'ssm:GetParameter',
      ]);
      expect(resourceOf('Manage', 'dynamodb:PutItem')).not.toContain('Ledger');
      expect(resourceOf('Manage', 'dynamodb:Query')).toContain('/index/agenda');
      expect(actionsOf('Setup')).toEqual([
        'dynamodb:BatchGetItem',
        'dynamodb:BatchWriteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        ...LOGS,
      ]);
    });

    it('no role may delete items, scan tables, or use wildcards as actions', () => {
      const all = NAMES.flatMap(actionsOf);
      expect(all.filter((action) => /\*|Scan|DeleteItem|DeleteTable/.test(action))).toEqual([]);
      expect(Object.values(FUNCTION_PERMISSIONS).flatMap(({ snapshots }) => snapshots?.table ?? [])).not.toContain(
        'BatchWriteItem',
      );
    });

    it('no role has a managed policy', () => {
      const roles = Object.entries(template.findResources('AWS::IAM::Role'));
      expect(roles).toHaveLength(9);
      for (const [, { Properties }] of roles) expect(Properties.ManagedPolicyArns).toBeUndefined();
    });

    it('of a config with more secrets than IAM allows fail the synthesis, with advice', () => {
      const names = Array.from({ length: 500 }, (_, at) => `/tidings/receivers/number-${at}/signing-secret`);
      expect(() => synthesize(makeStacks({ moreSecrets: names.map((name) => `ssm:${name}`) }))).toThrow(
        /the role of deliver needs 1[1-9] managed policies .* IAM allows 10: keep several of them in one secret, as secret:NAME#KEY/,
      );
      // As many values of one secret need one permission.
      const moreSecrets = names.map((_, at) => `secret:receivers#number-${at}`);
      expect(() => synthesize(makeStacks({ moreSecrets }))).not.toThrow();
    });

    it('of a config with hundreds of secrets stay within the limits of IAM, and exist before the function runs', () => {
      const names = Array.from({ length: 300 }, (_, at) => `/tidings/receivers/number-${at}/signing-secret`);
      const { functions } = synthesize(makeStacks({ moreSecrets: names.map((name) => `ssm:${name}`) }));
      const own = (type: string) =>
        Object.entries(functions.findResources(type)).filter(([id]) => id.startsWith('TidingsDelivererFunctionRole'));
      // With the values that CloudFormation inserts, which are not longer.
      const sizes = (type: string) =>
        own(type).map(([, { Properties }]) => textOf(Properties.PolicyDocument).replaceAll(/\s/g, '').length);
      expect(sizes('AWS::IAM::Policy')).toEqual([expect.toSatisfy((size: number) => size <= 10_240)]);
      const beside = sizes('AWS::IAM::ManagedPolicy');
      expect(beside.length).toBeGreaterThan(1);
      expect(beside.length).toBeLessThanOrEqual(10);
      for (const size of beside) expect(size).toBeLessThanOrEqual(6_144);
      const policies = [...own('AWS::IAM::Policy'), ...own('AWS::IAM::ManagedPolicy')];
      const granted = textOf(policies.map(([, { Properties }]) => Properties.PolicyDocument));
      expect(names.filter((name) => !granted.includes(`:parameter${name}"`))).toEqual([]);
      const [[, deliver] = []] = Object.entries(functions.findResources('AWS::Lambda::Function')).filter(([id]) =>
        id.startsWith('TidingsDelivererFunction'),
      );
      expect(deliver?.DependsOn).toEqual(expect.arrayContaining(policies.map(([id]) => id)));
    });

    const tableOf = (one: Template) => generatePermissionsTable(one.toJSON() as RolesTemplate);

    it('are listed in docs/security.md as in the template', () => {
      const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
      expect(page).toBe(replacePermissions(page, tableOf(template)));
      // One row for each grant, under the name of its role.
      const [, ...rows] = tableOf(template).match(/^\| `?\w.*$/gm) ?? [];
      const byRole = Map.groupBy(rows, (row) => row.split('|')[1]?.trim() ?? '');
      expect(byRole.size).toBe(Object.keys(template.findResources('AWS::IAM::Role')).length);
      // No action of a function is missing.
      const roles = [...byRole.values()];
      for (const [at, name] of ['Poller', 'Ticker', 'Announcer', 'Deliverer', 'Manage', 'Setup'].entries()) {
        const words = roles[at]?.join(' ').match(/\w+/g) ?? [];
        expect(words).toEqual(expect.arrayContaining(actionsOf(name).map((action) => action.replace(/^.*:/, ''))));
      }
    });

    it('of another config have descriptions too: buses, keys, more secrets', () => {
      expect(tableOf(without.functions)).toContain('bus `theirs` of account 123456789012, bus `default`: PutEvents');
      expect(tableOf(without.functions)).toContain('key of parameters and secrets: Decrypt');
    });
  });
