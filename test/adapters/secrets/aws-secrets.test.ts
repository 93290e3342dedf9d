import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awsSecrets } from '../../../adapters/secrets/aws-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Instant, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';
import {
  type AwsServer,
  type AwsServerRequest,
  type AwsServerResponse,
  failureOf,
  startAwsServer,
} from '../aws/aws-server.ts';

const VALUE = 'the-value-that-must-not-leak';

let server: AwsServer;
let now: Instant;
let parameters: Map<string, string>;
let secrets: Map<string, object>;

beforeEach(async () => {
  now = NOON;
  parameters = new Map([['/tidings/token', VALUE]]);
  secrets = new Map([
    ['tidings/slack', { SecretString: JSON.stringify({ webhook: VALUE, token: 'other', count: 3, empty: '' }) }],
    ['plain', { SecretString: `${VALUE}\n` }],
    ['bytes', { SecretBinary: Buffer.from(VALUE).toString('base64') }],
  ]);
  server = await startAwsServer(answering);
});
afterEach(async () => server.close());

function answering({ operation, body }: AwsServerRequest): AwsServerResponse {
  if (operation === 'GetParameter') {
    const Value = parameters.get(String(body.Name));
    if (body.WithDecryption !== true) return { awsCode: 'ValidationException', detail: 'expected to decrypt' };
    return Value === undefined ? { awsCode: 'ParameterNotFound', detail: '' } : { ok: { Parameter: { Value } } };
  }
  if (operation === 'GetSecretValue') {
    const found = secrets.get(String(body.SecretId));
    return found === undefined
      ? { awsCode: 'ResourceNotFoundException', detail: "Secrets Manager can't find the specified secret." }
      : { ok: found };
  }
  parameters.set(String(body.Name), String(body.Value));
  return { ok: { Version: 1 } };
}

const open = (change: { readonly timeout?: number; readonly prefix?: string; readonly keepFor?: number } = {}) =>
  awsSecrets({
    settings: server.settings,
    clock: { now: () => now },
    ...change,
  });

const requested = () =>
  server.requests.map(({ operation, body }) => `${operation} ${String(body.Name ?? body.SecretId)}`);

/** All that is ever shown or kept of an error. */
const printAll = (error: Error) => JSON.stringify([error.message, error.stack, error, String(error.cause)]);

describe('resolving', () => {
  it('decrypts a parameter', async () => {
    expect(await open().resolve('ssm:/tidings/token')).toBe(VALUE);
    expect(requested()).toEqual(['GetParameter /tidings/token']);
    expect(server.requests[0]?.service).toBe('ssm');
    expect(server.unsigned()).toBe(0);
  });

  it('reads a secret without its trailing line break', async () => {
    expect(await open().resolve('secret:plain')).toBe(VALUE);
    expect(server.requests[0]?.service).toBe('secretsmanager');
  });

  it('reads a key of a secret', async () => {
    expect(await open().resolve('secret:tidings/slack#webhook')).toBe(VALUE);
  });

  it('reads a secret by its ARN', async () => {
    const arn = 'arn:aws:secretsmanager:eu-test-1:000000000000:secret:ops-AbCdEf';
    secrets.set(arn, { SecretString: '{"key":"by arn"}' });
    expect(await open().resolve(`secret:${arn}#key`)).toBe('by arn');
  });

  it('sends one request for all keys of a secret and for concurrent callers', async () => {
    const opened = open();
    const values = await Promise.all([
      opened.resolve('secret:tidings/slack#webhook'),
      opened.resolve('secret:tidings/slack#token'),
      opened.resolve('ssm:/tidings/token'),
      opened.resolve('ssm:/tidings/token'),
    ]);
    expect(values).toEqual([VALUE, 'other', VALUE, VALUE]);
    expect(requested().toSorted()).toEqual(['GetParameter /tidings/token', 'GetSecretValue tidings/slack']);
  });

  it('distinguishes a parameter from a secret of the same name', async () => {
    parameters.set('plain', 'the parameter');
    const opened = open();
    expect([await opened.resolve('ssm:plain'), await opened.resolve('secret:plain')]).toEqual(['the parameter', VALUE]);
  });

  it('caches a secret for 5 minutes, then sees a change', async () => {
    const opened = open();
    await opened.resolve('ssm:/tidings/token');
    parameters.set('/tidings/token', 'rotated');
    now = plus(NOON, 5 * MINUTE - 1);
    expect(await opened.resolve('ssm:/tidings/token')).toBe(VALUE);
    now = plus(NOON, 5 * MINUTE);
    expect(await opened.resolve('ssm:/tidings/token')).toBe('rotated');
    expect(server.requests).toHaveLength(2);
  });

  it('sends a request for a fresh secret, and caches the result', async () => {
    const opened = open();
    await opened.resolve('ssm:/tidings/token');
    parameters.set('/tidings/token', 'rotated');
    expect(await opened.resolve('ssm:/tidings/token')).toBe(VALUE);
    expect(await opened.resolve('ssm:/tidings/token', { fresh: true })).toBe('rotated');
    expect(await opened.resolve('ssm:/tidings/token')).toBe('rotated');
    expect(server.requests).toHaveLength(2);
  });

  it('shares one request between concurrent callers that want a fresh secret', async () => {
    const opened = open();
    await opened.resolve('secret:tidings/slack#webhook');
    const fresh = { fresh: true };
    await Promise.all([
      opened.resolve('secret:tidings/slack#webhook', fresh),
      opened.resolve('secret:tidings/slack#token', fresh),
      opened.resolve('secret:tidings/slack#webhook', fresh),
    ]);
    expect(server.requests).toHaveLength(2);
    await opened.resolve('secret:tidings/slack#webhook', fresh);
    expect(server.requests).toHaveLength(3);
  });

  it('does not cache a failed fresh read', async () => {
    const opened = open();
    await opened.resolve('ssm:/tidings/token');
    parameters.delete('/tidings/token');
    await failureOf(opened.resolve('ssm:/tidings/token', { fresh: true }));
    parameters.set('/tidings/token', 'back');
    expect(await opened.resolve('ssm:/tidings/token')).toBe('back');
  });

  it('caches for as long as the option says', async () => {
    const opened = open({ keepFor: SECOND });
    await opened.resolve('ssm:/tidings/token');
    now = plus(NOON, SECOND);
    await opened.resolve('ssm:/tidings/token');
    expect(server.requests).toHaveLength(2);
  });
});

describe('a secret that cannot be resolved', () => {
  it.each([
    ['ssm:/not/there', /^'ssm:\/not\/there' could not be read: ParameterNotFound/],
    ['secret:missing', /^'secret:missing' could not be read: ResourceNotFoundException: Secrets Manager can't find/],
    ['secret:plain#key', /^'secret:plain#key': expected JSON with text at 'key', got none$/],
    ['secret:tidings/slack#nothing', /expected JSON with text at 'nothing', got none$/],
    ['secret:tidings/slack#count', /expected JSON with text at 'count', got none$/],
    ['secret:tidings/slack#empty', /expected JSON with text at 'empty', got none$/],
    ['secret:tidings/slack#constructor', /expected JSON with text at 'constructor', got none$/],
    ['secret:bytes', /^'secret:bytes': expected text, got none$/],
  ])('is given up, with its reference and without any value: %s', async (reference, message) => {
    const error = await failureOf(open().resolve(reference));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_SECRET_UNAVAILABLE' });
    expect(error.message).toMatch(message);
    expect(printAll(error)).not.toContain(VALUE);
  });

  it.each([VALUE, `\${${VALUE}}`, `file:/${VALUE}`, '', 'ssm:', 'secret:', 'secret:#key'])(
    'a text that is no reference (%j) may be the secret itself, and is not repeated',
    async (reference) => {
      const error = await failureOf(open().resolve(reference));
      expect(error).toBeInstanceOf(GiveUp);
      expect(error.message).toMatch(/^in AWS a secret is ssm:\/path, secret:name or secret:name#key/);
      expect(printAll(error)).not.toContain(VALUE);
      expect(server.requests).toEqual([]);
    },
  );

  it('is retried later when the role has no permission, which may still be propagating', async () => {
    const opened = open();
    server.next({ awsCode: 'AccessDeniedException', detail: 'not authorized to perform: ssm:GetParameter' });
    const error = await failureOf(opened.resolve('ssm:/tidings/token'));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_SECRET_DENIED' });
    expect(await opened.resolve('ssm:/tidings/token')).toBe(VALUE);
    expect(error.message).toMatch(
      /^'ssm:\/tidings\/token' could not be read: the role has no permission: .*ssm:GetParam/,
    );
  });

  it.each(['ParameterNotFound', 'AccessDeniedException', 'ThrottlingException'])(
    'has no status of a receiver, because no request was sent to one: %s',
    async (awsCode) => {
      server.always(() => ({ awsCode, detail: 'no' }));
      expect(await failureOf(open().resolve('ssm:/tidings/token'))).toHaveProperty('evidence', {});
    },
  );

  it('does not affect the others', async () => {
    const opened = open();
    const [bad, good] = await Promise.allSettled([opened.resolve('ssm:/no'), opened.resolve('ssm:/tidings/token')]);
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('is requested again each time', async () => {
    const opened = open();
    await failureOf(opened.resolve('ssm:/late'));
    parameters.set('/late', 'here');
    expect(await opened.resolve('ssm:/late')).toBe('here');
  });
});

describe('storing', () => {
  it('stores a new secret under the prefix, encrypted, and returns a reference to it', async () => {
    const opened = open();
    const reference = await opened.keep('ops', VALUE);
    expect(reference).toMatch(/^ssm:\/tidings\/secrets\/ops-[0-9a-f]{8}$/);
    expect(server.requests[0]?.body).toMatchObject({ Type: 'SecureString', Value: VALUE });
    expect(server.requests[0]?.body).not.toHaveProperty('Overwrite');
    expect(await opened.resolve(reference)).toBe(VALUE);
  });

  it('never overwrites an earlier one', async () => {
    const opened = open({ prefix: '/prod/tidings/' });
    const references = await Promise.all([opened.keep('ops', 'a'), opened.keep('ops', 'b')]);
    expect(new Set(references).size).toBe(2);
    for (const reference of references) expect(reference).toMatch(/^ssm:\/prod\/tidings\/ops-/);
  });

  it('turns any name into a valid parameter name', async () => {
    expect(await open().keep('Zoë & co/..', VALUE)).toMatch(/^ssm:\/tidings\/secrets\/[A-Za-z0-9_.-]+$/);
  });

  it('does not repeat the secret from the error message of the service', async () => {
    server.always(() => ({ awsCode: 'ValidationException', detail: `Value '${VALUE}' at 'value' failed` }));
    const error = await failureOf(open().keep('ops', VALUE));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toMatch(/^'ssm:\/tidings\/secrets\/ops-.*' could not be stored: ValidationException$/);
    expect(printAll(error)).not.toContain(VALUE);
  });
});

describe('storing without permission', () => {
  it('blames the credentials of the person, not a role', async () => {
    server.always(() => ({ awsCode: 'AccessDeniedException', detail: 'not authorized' }));
    const error = await failureOf(open().keep('ops', VALUE));
    expect(error.message).toMatch(/' could not be stored: your credentials have no permission: AccessDeniedException$/);
  });
});

describe('a service with an error', () => {
  const calls = [
    ['a parameter', (opened: ReturnType<typeof open>) => opened.resolve('ssm:/tidings/token')],
    ['a secret', (opened: ReturnType<typeof open>) => opened.resolve('secret:plain')],
    ['keeping one', (opened: ReturnType<typeof open>) => opened.keep('ops', VALUE)],
  ] as const;

  it.each(calls)(
    'that fails, throttles or closes the connection once still returns %s, because the SDK retries',
    async (_, call) => {
      for (const answer of [
        { awsCode: 'InternalServerError', status: 500 },
        { awsCode: 'ThrottlingException', detail: 'Rate exceeded' },
        'cut',
      ] as const) {
        server.next(answer);
        expect(await call(open())).toBeTruthy();
      }
      expect(server.requests).toHaveLength(6);
    },
  );

  const always: readonly (readonly [string, AwsServerResponse])[] = [
    ['throttles', { awsCode: 'ThrottlingException', detail: 'Rate exceeded' }],
    ['fails', { awsCode: 'InternalServiceError', status: 500 }],
    ['hangs up', 'cut'],
    ['does not respond', 'hang'],
    ['never ends its answer', 'drip'],
    ['sends an unreadable response', { garbage: VALUE }],
  ];

  it.each(always)('that %s is retried later, with the reference and without any value', async (_, answer) => {
    server.always(() => answer);
    for (const [, call] of calls) {
      const error = await failureOf(call(open({ timeout: 600 })));
      expect(error).toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ code: 'TIDINGS_SECRET_UNREACHABLE' });
      expect(error.message).toMatch(/^'(ssm|secret):.*' could not be (read|stored): \w/);
      expect(printAll(error)).not.toContain(VALUE);
    }
  });
});
