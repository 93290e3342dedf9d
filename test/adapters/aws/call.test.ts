import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AwsError, callAws, classifyAwsError } from '../../../adapters/aws/call.ts';
import { type AwsServer, failureOf, startAwsServer } from './aws-server.ts';

describe('classifyAwsError', () => {
  it.each([
    ['ThrottlingException', 400, 'throttled'],
    ['RequestThrottled', 403, 'throttled'],
    ['KMS.ThrottlingException', 400, 'throttled'],
    ['TooManyRequestsException', 429, 'throttled'],
    ['LimitExceededException', 400, 'throttled'],
    ['Whatever', 429, 'throttled'],
    ['AccessDenied', 403, 'denied'],
    ['AccessDeniedException', 400, 'denied'],
    ['UnrecognizedClientException', 403, 'denied'],
    ['NotAuthorizedForSourceException', 400, 'denied'],
    ['ExpiredTokenException', 403, 'transient'],
    ['RequestTimeTooSkewed', 403, 'transient'],
    ['RequestTimeTooSkewedException', 403, 'transient'],
    ['InternalServerError', 500, 'transient'],
    ['InternalFailure', 400, 'transient'],
    ['Whatever', 503, 'transient'],
    ['SyntaxError', 200, 'transient'],
    ['TimeoutError', undefined, 'transient'],
    ['ValidationException', 400, 'refused'],
    ['ParameterNotFound', 400, 'refused'],
    // Waiting does not help against a full store.
    ['ParameterLimitExceeded', 400, 'refused'],
  ] as const)('classifies %s with status %s as %s', (awsCode, status, kind) => {
    expect(classifyAwsError(awsCode, status)).toBe(kind);
  });
});

describe('callAws', () => {
  let server: AwsServer;
  let client: SSMClient;
  beforeEach(async () => {
    server = await startAwsServer(() => ({ ok: { Parameter: { Value: 'v' } } }));
    client = new SSMClient({ ...server.settings, maxAttempts: 1 });
  });
  afterEach(async () => {
    client.destroy();
    await server.close();
  });

  const send = (timeout = 20_000, signal?: AbortSignal) =>
    callAws(client, (options) => client.send(new GetParameterCommand({ Name: 'n' }), options), { timeout, signal });

  it('resolves with the response', async () => {
    expect((await send()).Parameter?.Value).toBe('v');
  });

  it('rejects with the error code and message of the service, its status and the request id', async () => {
    server.next({ awsCode: 'ValidationException', detail: 'no such name' });
    const error = await failureOf(send());
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({
      kind: 'refused',
      awsCode: 'ValidationException',
      detail: 'no such name',
      message: 'ValidationException: no such name',
      evidence: { status: 400, body: 'no such name', requestId: 'req-1' },
    });
  });

  it('keeps at most 500 characters of the message', async () => {
    server.next({ awsCode: 'ValidationException', detail: 'x'.repeat(10_000) });
    expect(await failureOf(send())).toMatchObject({ detail: 'x'.repeat(500), evidence: { body: 'x'.repeat(500) } });
  });

  it('quotes nothing of a response that is not JSON, in the message, stack or cause', async () => {
    server.next({ garbage: 'a-secret that is no JSON' });
    const error = await failureOf(send());
    expect(error).toMatchObject({ kind: 'transient', detail: '' });
    expect(JSON.stringify([error.message, error.stack, error.cause ?? null, error])).not.toContain('a-secret');
  });

  it.each(['hang', 'drip'] as const)('rejects at the timeout (%s)', async (treatment) => {
    server.next(treatment);
    const started = performance.now();
    expect(await failureOf(send(300))).toMatchObject({
      kind: 'transient',
      message: 'Timeout: no response within 0.3 s',
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('sends nothing if the signal is already aborted', async () => {
    expect(await failureOf(send(300, AbortSignal.abort()))).toMatchObject({
      message: 'Aborted: the caller is shutting down',
    });
    expect(server.requests).toEqual([]);
  });

  it('treats network errors and unknown errors as transient', async () => {
    for (const thrown of [new Error('broken'), 'a text', undefined]) {
      expect(await failureOf(callAws(client, () => Promise.reject(thrown), { timeout: 100 }))).toMatchObject({
        name: 'AwsError',
        kind: 'transient',
      });
    }
  });
});
