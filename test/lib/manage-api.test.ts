/** The management API in a deployment: off unless the config says so, with the permissions it needs and no others. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CfnParameter, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, describe, expect, it } from 'vitest';
import { Tidings } from '../../lib/index.ts';
import { allowedTo, EXAMPLE, makeStacks, newApp, resourceOf, synthesize } from './stacks.ts';

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

/** The API, the console, links and the Slack app: all routes. */
function writeConfigWithAllRoutes(): string {
  const file = join(folder, 'all.yaml');
  const manage = 'manage: { secret: ssm:/tidings/links, api: {}, console: on }';
  const slack =
    'slack: { token: ssm:/tidings/slack-token, signingSecret: ssm:/tidings/slack-signing, offer: [task.*] }';
  const text = readFileSync(EXAMPLE, 'utf8').replace('manage: { secret: ssm:/tidings/links }', manage);
  writeFileSync(file, `${text}\n${slack}\n`);
  return file;
}

const keys = synthesizeWith('{}');
const routesOf = (template: typeof keys) =>
  Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`,
  );

const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e';

describe('the HTTP API in front of the internet', () => {
  const config = writeConfigWithAllRoutes();

  it('limits each route on its own, so that a flood on one does not use up the requests of the others', () => {
    const { functions } = synthesize(makeStacks({ config, rateLimits: { api: 7, slack: 30 } }));
    const { RouteSettings } = resourceOf(functions, 'AWS::ApiGatewayV2::Stage', 'TidingsManageStage');
    const settings = RouteSettings as Readonly<Record<string, Readonly<Record<string, number>>>>;
    const rates = Object.fromEntries(Object.entries(settings).map(([key, one]) => [key, one.ThrottlingRateLimit]));
    expect(rates).toEqual({
      'ANY /v1/{proxy+}': 7,
      'POST /slack': 30,
      'GET /console': 50,
      'POST /console': 50,
      'GET /console/{proxy+}': 50,
      'POST /console/{proxy+}': 50,
      'GET /unsubscribe/{token}': 20,
      'POST /unsubscribe/{token}': 20,
      'POST /subscribe/{token}': 20,
    });
    for (const { ThrottlingRateLimit = 0, ThrottlingBurstLimit } of Object.values(settings)) {
      expect(ThrottlingBurstLimit).toBe(2 * ThrottlingRateLimit);
    }
    // Every route but /health, which only IAM callers reach.
    const routes = Object.entries(functions.findResources('AWS::ApiGatewayV2::Route'));
    const keyOf = ([, { Properties }]: (typeof routes)[number]) => Properties.RouteKey;
    expect(routes.map(keyOf).sort()).toEqual([...Object.keys(settings), 'GET /health'].sort());
    // API Gateway rejects settings of a route that does not exist yet.
    const [stage] = Object.values(functions.findResources('AWS::ApiGatewayV2::Stage'));
    const limited = routes.filter((route) => keyOf(route) !== 'GET /health').map(([id]) => id);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(limited));
  });

  it('has the domain of API Gateway and no other by default', () => {
    const { functions, storage } = synthesize(makeStacks({ config }));
    functions.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
    expect(resourceOf(functions, 'AWS::ApiGatewayV2::Api', 'TidingsManageApi')).not.toHaveProperty(
      'DisableExecuteApiEndpoint',
    );
    expect(storage.toJSON().Outputs).not.toHaveProperty('DomainTarget');
  });

  it('answers on a domain of its own, and on that alone if the other is disabled', () => {
    const domain = { domainName: 'api.example.com', certificateArn: CERTIFICATE };
    const { functions, storage } = synthesize(makeStacks({ config, ...domain, disableExecuteApiEndpoint: true }));
    functions.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'api.example.com',
      DomainNameConfigurations: [{ CertificateArn: CERTIFICATE, EndpointType: 'REGIONAL' }],
    });
    functions.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', { Stage: '$default' });
    functions.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    const { Outputs } = storage.toJSON();
    expect(Outputs.ManageUrl.Value).toBe('https://api.example.com');
    expect(Object.keys(Outputs)).toEqual(['ManageUrl', 'DomainTarget', 'AlarmTopic', 'DashboardUrl']);
    // Links and the log-in of the console lead there too: the example has no manage.url.
    const deliver = resourceOf(functions, 'AWS::Lambda::Function', 'TidingsDelivererFunction');
    expect(deliver.Environment).toHaveProperty('Variables.TIDINGS_MANAGE_URL', 'https://api.example.com');
    const stores = JSON.stringify(resourceOf(functions, 'AWS::SSM::Parameter', 'TidingsStores').Value);
    expect(stores).toContain(String.raw`\"consoleUrl\":\"https://api.example.com\"`);
  });

  it('has no unacknowledged findings of cdk-nag with all of it', () => {
    const outdir = join(folder, 'nag');
    const { app } = makeStacks(
      { config, domainName: 'api.example.com', certificateArn: CERTIFICATE, disableExecuteApiEndpoint: true },
      { outdir },
    );
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  it('takes a certificate of the same app, whose ARN is known only at deployment', () => {
    const theirs = new Stack(newApp(), 'Theirs');
    const certificateArn = new CfnParameter(theirs, 'Certificate').valueAsString;
    new Tidings(theirs, 'News', { config, environment: {}, domainName: 'api.example.com', certificateArn });
    Template.fromStack(theirs).hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainNameConfigurations: [{ CertificateArn: { Ref: 'Certificate' } }],
    });
  });
});

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
    const { RouteSettings } = resourceOf(keys, 'AWS::ApiGatewayV2::Stage', 'TidingsManageStage');
    expect(RouteSettings).toMatchObject({
      'ANY /v1/{proxy+}': { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
      'POST /unsubscribe/{token}': { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
    });
  });
});
