/** The management API in a deployment: off unless the config says so, with the permissions it needs and no others. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { allowedTo, EXAMPLE, makeStacks, resourceOf, synthesize } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function synthesizeWith(api: string) {
  const file = join(folder, 'tidings.yaml');
  const text = readFileSync(EXAMPLE, 'utf8');
  const section = 'manage: { secret: ssm:/tidings/links }';
  expect(text).toContain(section);
  writeFileSync(file, text.replace(section, `manage: { secret: ssm:/tidings/links, api: ${api} }`));
  return synthesize(makeStacks({ config: file })).functions;
}

const keys = synthesizeWith('{}');
const routesOf = (template: typeof keys) =>
  Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`,
  );

describe('the management API of a deployment', () => {
  it('has one route, open for keys, or for IAM identities', () => {
    expect(routesOf(keys)).toContain('ANY /v1/{proxy+} NONE');
    expect(routesOf(synthesizeWith('{ auth: iam }'))).toContain('ANY /v1/{proxy+} AWS_IAM');
    const off = synthesizeWith('off');
    expect(routesOf(off).join()).not.toContain('/v1');
    expect(Object.keys(allowedTo(off, 'Manage'))).not.toContain('sqs:SendMessage');
    expect(Object.keys(allowedTo(off, 'Deliverer'))).not.toContain('dynamodb:DeleteItem');
  });

  it('has routes for the console if the config turns it on, with the same permissions, and publishes its address', () => {
    const on = synthesizeWith('off, console: on');
    expect(routesOf(on)).toEqual(
      expect.arrayContaining([
        'GET /console NONE',
        'POST /console NONE',
        'GET /console/{proxy+} NONE',
        'POST /console/{proxy+} NONE',
      ]),
    );
    expect(routesOf(on).join()).not.toContain('/v1');
    expect(routesOf(keys).join()).not.toContain('/console');
    expect(Object.keys(allowedTo(on, 'Manage'))).toEqual(Object.keys(allowedTo(keys, 'Manage')));
    const stores = JSON.stringify(resourceOf(on, 'AWS::SSM::Parameter', 'TidingsStores').Value);
    expect(stores).toContain('consoleUrl');
    expect(JSON.stringify(resourceOf(keys, 'AWS::SSM::Parameter', 'TidingsStores').Value)).not.toContain('consoleUrl');
  });

  it('may write to the ledger and the queue, and to no secret store', () => {
    const manage = allowedTo(keys, 'Manage');
    expect(Object.keys(manage).sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
      'ssm:GetParameter',
    ]);
    expect(manage['dynamodb:DeleteItem']).not.toContain('Snapshots');
    expect(manage['ssm:GetParameter']?.match(/:parameter\/[^"]*/g)).toEqual([':parameter/tidings/links']);
    expect(allowedTo(keys, 'Deliverer')['dynamodb:DeleteItem']).not.toContain('Snapshots');
  });

  it('allows more requests than links need', () => {
    const stage = resourceOf(keys, 'AWS::ApiGatewayV2::Stage', 'TidingsManageStage');
    expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
  });
});
