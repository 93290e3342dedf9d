import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AwsFault, callAws, troubleOf } from '../../../adapters/aws/call.ts';
import { failureOf, startWire, type Wire } from './wire.ts';

describe('troubleOf', () => {
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
    ['ExpiredTokenException', 403, 'passing'],
    ['RequestTimeTooSkewed', 403, 'passing'],
    ['RequestTimeTooSkewedException', 403, 'passing'],
    ['InternalServerError', 500, 'passing'],
    ['InternalFailure', 400, 'passing'],
    ['Whatever', 503, 'passing'],
    ['SyntaxError', 200, 'passing'],
    ['TimeoutError', undefined, 'passing'],
    ['ValidationException', 400, 'refused'],
    ['ParameterNotFound', 400, 'refused'],
    // A store that is full stays so, however long one waits.
    ['ParameterLimitExceeded', 400, 'refused'],
  ] as const)('calls %s with status %s %s', (fault, status, trouble) => {
    expect(troubleOf(fault, status)).toBe(trouble);
  });
});

describe('askAws', () => {
  let wire: Wire;
  let client: SSMClient;
  beforeEach(async () => {
    wire = await startWire(() => ({ ok: { Parameter: { Value: 'v' } } }));
    client = new SSMClient({ ...wire.settings, maxAttempts: 1 });
  });
  afterEach(async () => {
    client.destroy();
    await wire.close();
  });

  const ask = (timeout = 2000, signal?: AbortSignal) =>
    callAws((by) => client.send(new GetParameterCommand({ Name: 'n' }), by), { timeout, signal });

  it('gives the answer', async () => {
    expect((await ask()).Parameter?.Value).toBe('v');
  });

  it('rejects with what the service said, its status and the id of the request', async () => {
    wire.next({ fault: 'ValidationException', words: 'no such name' });
    const fault = await failureOf(ask());
    expect(fault).toBeInstanceOf(AwsFault);
    expect(fault).toMatchObject({
      trouble: 'refused',
      fault: 'ValidationException',
      words: 'no such name',
      message: 'ValidationException: no such name',
      evidence: { status: 400, body: 'no such name', requestId: 'req-1' },
    });
  });

  it('keeps no more than 500 characters of it', async () => {
    wire.next({ fault: 'ValidationException', words: 'x'.repeat(10_000) });
    expect(await failureOf(ask())).toMatchObject({ words: 'x'.repeat(500), evidence: { body: 'x'.repeat(500) } });
  });

  it('repeats nothing of an answer it cannot read, and has no cause that would', async () => {
    wire.next({ garbage: 'a-secret that is no JSON' });
    const fault = await failureOf(ask());
    expect(fault).toMatchObject({ trouble: 'passing', words: '' });
    expect(JSON.stringify([fault.message, fault.stack, fault.cause ?? null, fault])).not.toContain('a-secret');
  });

  it.each(['hang', 'drip'] as const)('waits no longer than told (%s)', async (treatment) => {
    wire.next(treatment);
    const started = performance.now();
    expect(await failureOf(ask(300))).toMatchObject({ trouble: 'passing', message: 'Timeout: no answer within 0.3 s' });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('asks nothing when it was told to stop before', async () => {
    expect(await failureOf(ask(300, AbortSignal.abort()))).toMatchObject({ message: 'Stopped: we were asked to stop' });
    expect(wire.requests).toEqual([]);
  });

  it('calls everything else passing: the network, or a fault of the SDK', async () => {
    for (const thrown of [new Error('broken'), 'a text', undefined]) {
      expect(await failureOf(callAws(() => Promise.reject(thrown), { timeout: 100 }))).toMatchObject({
        name: 'AwsFault',
        trouble: 'passing',
      });
    }
  });
});
