/** The table of permissions: every grant is listed, and a grant without a description is an error. */

import { describe, expect, it } from 'vitest';
import { generatePermissionsTable, type RolesTemplate, replacePermissions } from '../../tools/permissions-table.ts';

const ledger = { Ref: 'referencetoTidingsDataLedgerTable4B1F756EArn' };
const inAccount = (service: string, name: string) => ({
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      `:${service}:`,
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      `:${name}`,
    ],
  ],
});

function templateOf(role: string, statements: readonly object[], properties: object = {}): RolesTemplate {
  return {
    Resources: {
      [role]: { Type: 'AWS::IAM::Role', Properties: properties },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { Roles: [{ Ref: role }], PolicyDocument: { Statement: statements } },
      },
    },
  };
}

const allow = (Action: string | readonly string[], Resource: unknown, more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});

/** The only row of a template with the role of deliver. */
function describeGrants(...statements: readonly object[]): string {
  const [, , row = ''] = generatePermissionsTable(templateOf('TidingsDelivererFunctionRoleE00BC4BC', statements)).split(
    '\n',
  );
  const [, role, may = ''] = row.split('|').map((cell) => cell.trim());
  expect(role).toBe('`deliver`');
  return may;
}

describe('generatePermissionsTable', () => {
  it.each([
    [ledger, 'ledger'],
    [{ 'Fn::Join': ['', [ledger, '/index/lists']] }, 'index `lists` of ledger'],
    [{ Ref: 'referencetoTidingsDataSnapshotsTable98CF7637StreamArn' }, 'stream of snapshots'],
    [{ Ref: 'referencetoTidingsDataMissedRunsCA671F65Arn' }, 'queue of missed runs'],
    [{ Ref: 'referencetoTidingsDataUnannouncedBCD3A6C6Arn' }, 'bucket of unannounced records'],
    [{ 'Fn::ImportValue': 'Data:ExportsOutputFnGetAttDataLedgerTableD81DBB15Arn22942CD4' }, 'ledger'],
    [{ 'Fn::GetAtt': ['NewsDataSnapshotsTable01579267', 'Arn'] }, 'snapshots'],
    [{ 'Fn::GetAtt': ['NewsDataSnapshotsTable01579267', 'StreamArn'] }, 'stream of snapshots'],
    [{ 'Fn::GetAtt': ['TidingsDeliveriesQueue3501FF91', 'Arn'] }, 'queue of deliveries'],
    [{ 'Fn::GetAtt': ['TidingsPollerFunctionLogsFCD45E9F', 'Arn'] }, 'log group of `poll`'],
    [{ 'Fn::GetAtt': ['TidingsTickerFunction8FBBB2A9', 'Arn'] }, 'function `tick`'],
    [inAccount('ssm', 'parameter/tidings/links'), 'parameter `/tidings/links`'],
    [inAccount('ssm', 'parameter/tidings/secrets/*'), 'parameters under `/tidings/secrets/`'],
    [inAccount('secretsmanager', 'secret:Setup-??????'), 'secret `Setup`'],
    [inAccount('ses', 'identity/*'), 'any identity of SES'],
    [inAccount('ses', 'configuration-set/*'), 'any configuration set of SES'],
    [inAccount('events', 'event-bus/default'), 'bus `default`'],
    ['arn:aws:events:eu-west-1:123456789012:event-bus/theirs', 'bus `theirs` of account 123456789012'],
    ['arn:aws:kms:eu-central-1:123456789012:key/of-ours', 'key of parameters and secrets'],
    ['*', 'anything'],
  ])('describes %j as %s', (resource, words) => {
    expect(describeGrants(allow('some:Thing', resource))).toBe(`${words}: Thing`);
  });

  it('merges the actions on the same resource', () => {
    expect(
      describeGrants(
        allow(['dynamodb:GetItem', 'dynamodb:Query'], ledger),
        allow(['dynamodb:Query', 'dynamodb:PutItem'], ledger),
      ),
    ).toBe('ledger: GetItem, Query, PutItem');
  });

  it('shows the allowed mail sender', () => {
    const Condition = { StringEquals: { 'ses:FromAddress': 'tidings@example.com' } };
    expect(describeGrants(allow('ses:SendEmail', inAccount('ses', 'identity/*'), { Condition }))).toBe(
      'any identity of SES, as `tidings@example.com` only: SendEmail',
    );
  });

  it('includes inline and managed policies', () => {
    const table = generatePermissionsTable(
      templateOf('AWSCDKTriggerCustomResourceProviderCustomResourceProviderRoleE18FAF0A', [], {
        ManagedPolicyArns: [
          { 'Fn::Sub': 'arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole' },
        ],
        Policies: [
          {
            PolicyDocument: {
              Statement: [
                allow('lambda:InvokeFunction', {
                  'Fn::Join': ['', [{ 'Fn::GetAtt': ['TidingsSetupFunction9702D6EE', 'Arn'] }, ':*']],
                }),
              ],
            },
          },
        ],
      }),
    );
    expect(table).toBe(
      [
        '| role | may |',
        '|---|---|',
        '| the deployment, to run `setup` | versions of function `setup`: InvokeFunction |',
        '| the deployment, to run `setup` | AWS’s own policy `AWSLambdaBasicExecutionRole` |',
        '',
      ].join('\n'),
    );
  });

  it('has its rows in the order of the pipeline', () => {
    const { Resources } = templateOf('TidingsManageFunctionRole51280B6E', []);
    const table = generatePermissionsTable({
      Resources: { ...Resources, ...templateOf('TidingsPollerFunctionRole51832762', []).Resources },
    });
    expect(table.match(/`\w+`/g)).toEqual(['`poll`', '`manage`']);
  });

  it.each([
    [
      'a resource',
      allow('s3:GetObject', 'arn:aws:s3:::somebody-elses/*'),
      'a resource with a description, got arn:aws:s3',
    ],
    [
      'a star in a name',
      allow('ssm:GetParameter', inAccount('ssm', 'parameter/tidings*')),
      'a resource with a description',
    ],
    ['a condition', allow('ses:SendEmail', '*', { Condition: { Bool: { a: 'b' } } }), 'a condition with a description'],
    ['a denial', { Effect: 'Deny', Action: 'a:B', Resource: '*' }, 'expected grants only, got Deny'],
    ['an ARN', allow('a:B', { 'Fn::Split': [] }), 'expected an ARN, got {"Fn::Split":[]}'],
  ])('throws for %s without a description', (_, statement, message) => {
    expect(() => describeGrants(statement)).toThrow(message);
  });

  it('throws for an unknown role', () => {
    expect(() => generatePermissionsTable(templateOf('TidingsStrangerRole', []))).toThrow(
      'a role with a description, got TidingsStrangerRole',
    );
  });
});

describe('replacePermissions', () => {
  const page =
    'before\n<!-- permissions: made from the template by npm run generate -->\nold\n<!-- end of permissions -->\nafter\n';

  it('replaces only the table, idempotently', () => {
    const made = replacePermissions(page, '| new |\n');
    expect(made).toMatch(/^before\n<!-- .*-->\n\n\| new \|\n\n<!-- end of permissions -->\nafter\n$/);
    expect(replacePermissions(made, '| new |\n')).toBe(made);
  });

  it('throws for a page without the markers', () => {
    expect(() => replacePermissions('nothing', '')).toThrow("expected a page with '<!-- permissions");
    expect(() => replacePermissions(page.replace('end of', ''), '')).toThrow("and '<!-- end of permissions -->'");
  });
});
