import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../adapters/channels/http/address.ts';
import { headerNameProblem, headerValueProblem, ownHeaders } from '../../../../adapters/channels/http/headers.ts';
import type { HttpSettings } from '../../../../adapters/channels/http/settings.ts';
import { GiveUp } from '../../../../core/model/errors.ts';

const resolve = async (reference: string) => reference.replace('${KEY}', 'key-of-the-gateway');
const target = (change: Partial<HttpSettings>): HttpSettings => ({
  url: 'https://ops.example.com',
  secret: 's',
  ...change,
});
const refusal = (change: Partial<HttpSettings>) =>
  ownHeaders(target(change), resolve).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('ownHeaders', () => {
  it('resolves values, and converts names to lower case', async () => {
    const { headers, secrets } = await ownHeaders(target({ headers: { 'X-Key': 'Key ${KEY}' } }), resolve);
    expect(headers).toEqual({ 'x-key': 'Key key-of-the-gateway' });
    expect(secrets).toEqual(expect.arrayContaining(['Key key-of-the-gateway', 'key-of-the-gateway']));
  });

  it('builds Basic authentication from a user name and a password, also non-ASCII', async () => {
    const auth = { basic: { user: 'änn', password: '${KEY}ß:' } };
    // As in AWS: what is no reference cannot be resolved.
    const resolveReference = async (text: string) => {
      if (!text.includes('${')) throw new Error('no reference');
      return resolve(text);
    };
    const { headers, secrets } = await ownHeaders(target({ auth }), resolveReference);
    const [word = '', encoded = ''] = headers.authorization?.split(' ') ?? [];
    expect([word, Buffer.from(encoded, 'base64').toString()]).toEqual(['Basic', 'änn:key-of-the-gatewayß:']);
    expect(secrets).toEqual(expect.arrayContaining([encoded, 'key-of-the-gatewayß:']));
  });

  it('builds Bearer authentication', async () => {
    const { headers, secrets } = await ownHeaders(target({ auth: { bearer: '${KEY}' } }), resolve);
    expect(headers).toEqual({ authorization: 'Bearer key-of-the-gateway' });
    expect(secrets).toContain('key-of-the-gateway');
  });

  it('returns no headers without settings', async () => {
    expect(await ownHeaders(target({}), resolve)).toEqual({ headers: {}, secrets: [] });
  });

  it.each([
    ['a line end in a value', { headers: { 'x-key': 'a\r\nwebhook-id: evt_2' } }],
    ['a value outside Latin-1', { headers: { 'x-key': '→' } }],
    ['a line end in a token', { auth: { bearer: 'a\nb: c' } }],
    ['a name with a blank', { headers: { 'x key': 'a' } }],
    ['an empty name', { headers: { '': 'a' } }],
    ['a name twice', { headers: { 'x-key': 'a', 'X-Key': 'b' } }],
    ['two logins', { headers: { Authorization: 'a' }, auth: { bearer: 'b' } }],
    ['a user with a colon', { auth: { basic: { user: 'a:b', password: 'c' } } }],
    ['our signature', { headers: { 'Webhook-Signature': 'v1,a' } }],
  ])('gives up on %s, without showing the value', async (_, change) => {
    const error = await refusal(change);
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_HTTP_HEADER_REFUSED' });
    expect(String(error)).not.toMatch(/evt_2|→|v1,a/);
  });

  it('throws the error of a missing secret', async () => {
    const missing = new GiveUp('TIDINGS_SECRET_UNAVAILABLE', 'not set');
    await expect(ownHeaders(target({ auth: { bearer: 'x' } }), () => Promise.reject(missing))).rejects.toBe(missing);
  });
});

describe('headerNameProblem', () => {
  it.each(['x-key', 'Authorization', 'User-Agent', 'Cookie', 'X-Tidings', 'accept'])('accepts %s', (name) => {
    expect(headerNameProblem(name)).toBeUndefined();
  });

  it.each([
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'connection',
    'Upgrade',
    'Expect',
    'webhook-id',
    'WEBHOOK-TIMESTAMP',
    'tidings-replay',
    'proxy-authorization',
  ])('rejects %s, which is reserved', (name) => {
    expect(headerNameProblem(name)).toBe(`expected a header of your own: ${name.toLowerCase()} is set by Tidings`);
  });

  it.each(['', 'x key', 'x:key', 'schlüssel', 'x\r\ny', 'x'.repeat(300)])('rejects %j as a name', (name) => {
    expect(headerNameProblem(name)).toMatch(/letters, digits/);
  });
});

describe('headerValueProblem', () => {
  it('rejects everything that Node would not send, and line breaks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const sent = () => new Headers({ 'x-key': value });
        // Fetch trims the value, including line breaks.
        fc.pre(value === value.trim());
        if (headerValueProblem(value) === undefined) expect(sent).not.toThrow();
        if (/[\r\n\0]/.test(value)) expect(headerValueProblem(value)).toBeDefined();
      }),
    );
  });
});

describe('parseAddress', () => {
  it.each(['https://ops.example.com/hook?a=b', 'http://10.0.0.1:8080/'])('takes %s', (text) => {
    expect(parseAddress(text).href).toBe(text);
  });

  it.each([
    'ops.example.com',
    'ftp://ops.example.com',
    'file:///etc/passwd',
    'https://ann:hunter22@ops.example.com/',
    'http://[fe80::1%25eth0]/',
    '',
  ])('gives up on %j without showing it', (text) => {
    const attempt = () => parseAddress(text);
    expect(attempt).toThrow(GiveUp);
    expect(attempt).not.toThrow(/hunter22|passwd/);
  });
});
