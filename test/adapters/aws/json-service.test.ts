import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AwsFault, callAws } from '../../../adapters/aws/call.ts';
import { type JsonService, jsonService } from '../../../adapters/aws/json-service.ts';
import { ACCESS_KEY_SECRET, essenceOf, failureOf, startWire, type Wire, type WireAnswer } from './wire.ts';

const VALUE = { Parameter: { Value: 'v' } };

let wire: Wire;
let client: DynamoDBClient;
let ssm: JsonService;
beforeEach(async () => {
  wire = await startWire(() => ({ ok: VALUE }));
  // Its own endpoint is DynamoDB's, and leads nowhere.
  client = new DynamoDBClient({ ...wire.settings, endpoint: 'http://127.0.0.1:1' });
  ssm = jsonService({ client, service: 'ssm', target: 'AmazonSSM', endpoint: wire.settings.endpoint });
});
afterEach(async () => {
  client.destroy();
  await wire.close();
});

interface Where {
  readonly host?: string;
  readonly useFipsEndpoint?: boolean;
}

const by = () => ({ abortSignal: AbortSignal.timeout(5000) });
const ask = () => ssm('GetParameter', { Name: 'ä/n' }, by());

describe('a request', () => {
  it('is what the SDK would have sent: operation, body and a signature for the service', async () => {
    expect(await ask()).toEqual({ body: VALUE, requestId: 'req-1' });
    const theirs = new SSMClient({ ...wire.settings, maxAttempts: 1 });
    await theirs.send(new GetParameterCommand({ Name: 'ä/n' }));
    theirs.destroy();
    const [own, sdk] = wire.requests;
    expect(essenceOf(own)).toEqual(essenceOf(sdk));
    expect(wire.unsigned()).toBe(0);
  });

  it.each([
    ['eu-central-1', {}, 'ssm.eu-central-1.amazonaws.com'],
    ['us-gov-west-1', {}, 'ssm.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', {}, 'ssm.cn-north-1.amazonaws.com.cn'],
    ['eusc-de-east-1', {}, 'ssm.eusc-de-east-1.amazonaws.eu'],
    ['us-east-1', { useFipsEndpoint: true }, 'ssm-fips.us-east-1.amazonaws.com'],
    ['eu-central-1', { host: 'email' }, 'email.eu-central-1.amazonaws.com'],
  ])('in %s with %j goes to %s', async (region, { host, ...more }: Where, hostname) => {
    const asked: string[] = [];
    const requestHandler = {
      handle: async (request: { readonly protocol: string; readonly hostname: string }) => {
        asked.push(`${request.protocol}//${request.hostname}`);
        throw new Error('seen');
      },
    };
    const elsewhere = new DynamoDBClient({ ...wire.settings, ...more, region, requestHandler });
    const service = { client: elsewhere, service: 'ssm', tries: 1, ...(host === undefined ? {} : { host }) };
    await failureOf(jsonService({ ...service, target: 'AmazonSSM' })('GetParameter', {}, by()));
    expect(asked).toEqual([`https://${hostname}`]);
  });

  it('carries the token of a role', async () => {
    const credentials = { ...wire.settings.credentials, sessionToken: 'of-the-role' };
    const role = new DynamoDBClient({ ...wire.settings, credentials });
    const options = { client: role, service: 'ssm', target: 'AmazonSSM', endpoint: wire.settings.endpoint };
    await jsonService(options)('GetParameter', {}, by());
    expect(wire.requests[0]?.headers['x-amz-security-token']).toBe('of-the-role');
    role.destroy();
  });
});

describe('an answer', () => {
  it.each<[WireAnswer, string, string]>([
    [{ fault: 'com.amazonaws.ssm#ParameterNotFound' }, 'refused', 'ParameterNotFound'],
    [{ fault: 'AccessDeniedException:http://internal.amazon.com/', words: 'no' }, 'denied', 'AccessDeniedException'],
  ])('%j is a fault by its own name, and not asked for again', async (answer, trouble, name) => {
    wire.always(() => answer);
    expect(await failureOf(ask())).toMatchObject({
      trouble,
      fault: name,
      evidence: { status: 400, requestId: 'req-1' },
    });
    expect(wire.requests).toHaveLength(1);
  });

  it.each<WireAnswer>([
    { fault: 'ThrottlingException', words: 'Rate exceeded' },
    { fault: 'InternalServerError', status: 500 },
    'cut',
    { garbage: '{"Parameter": ' },
  ])('of %j is asked for again, and then it is well', async (answer) => {
    wire.next(answer, answer);
    expect(await ask()).toEqual({ body: VALUE, requestId: 'req-1' });
    expect(wire.requests).toHaveLength(3);
  });

  it('that stays away is asked for three times, and told with what came last', async () => {
    wire.always(() => ({ fault: 'ThrottlingException', words: 'Rate exceeded' }));
    expect(await failureOf(ask())).toMatchObject({ trouble: 'throttled', words: 'Rate exceeded' });
    expect(wire.requests).toHaveLength(3);
  });

  it('that is no JSON is quoted nowhere', async () => {
    wire.always(() => ({ garbage: 'the-secret-itself' }));
    const error = await failureOf(callAws((options) => ssm('GetParameter', {}, options), { timeout: 2000 }));
    expect(error).toBeInstanceOf(AwsFault);
    expect(JSON.stringify([error.message, error.stack, error])).not.toMatch(/the-secret-itself/);
    expect(JSON.stringify([error.message, error.stack, error])).not.toContain(ACCESS_KEY_SECRET);
  });

  it.each<WireAnswer>(['hang', 'drip'])('that does not end (%j) is waited for as long as is asked', async (answer) => {
    wire.always(() => answer);
    const start = performance.now();
    const error = await failureOf(callAws((options) => ssm('GetParameter', {}, options), { timeout: 300 }));
    expect(error).toMatchObject({ trouble: 'passing', fault: 'Timeout' });
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
