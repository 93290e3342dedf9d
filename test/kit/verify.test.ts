/** Compares the kit with other libraries: it accepts what they sign and rejects what they reject. */

import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { isStale, recentIds, type VerifyOptions, verify, webhookId } from '../../kit/verify.ts';
import { SECRET } from '../samples.ts';
import { AT, BODY, good, headers, OTHER, outcome } from './outcome.ts';
import { SIGNERS, signWithOurs } from './signed.ts';

describe('verify', () => {
  it.each(Object.entries(SIGNERS))('accepts what %s signs, for any body and id', async (_, sign) => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.uuid(), async (value, id) => {
        const body = JSON.stringify({ value });
        const request = { headers: sign(SECRET, id, AT, body), body };
        expect(await verify({ ...good, ...request })).toEqual(JSON.parse(body));
      }),
      { numRuns: 50 },
    );
  });

  it('accepts a body as bytes and as a string', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const body = JSON.stringify({ text });
        const bytes = new TextEncoder().encode(body);
        const signed = { ...good, headers: signWithOurs(SECRET, 'evt_1', AT, body) };
        const whole = new Uint8Array([0, ...bytes, 0]);
        for (const form of [body, bytes, bytes.buffer, Buffer.from(body), whole.subarray(1, -1)]) {
          expect(await verify({ ...signed, body: form })).toEqual(JSON.parse(body));
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['Headers', new Headers(headers)],
    ['an object in capitals', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toUpperCase(), v]))],
    ['lists of one, as some gateways have them', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]]))],
  ])('reads headers from %s', async (_, given) => {
    expect(await outcome({ headers: given })).toBe('accepted');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)('reports a missing %s', async (name) => {
    for (const missing of [
      { ...headers, [name]: undefined },
      { ...headers, [name]: '' },
    ]) {
      const refused = verify({ ...good, headers: missing });
      await expect(refused).rejects.toMatchObject({ name: 'VerifyError', code: 'missing_header' });
      await expect(refused).rejects.toThrow(name);
    }
    const others = new Headers(headers);
    others.delete(name);
    expect(await outcome({ headers: others })).toBe('missing_header');
  });

  it.each(['', '12x', '1e9', '-5', '1.5', ' 1', '9999999999999'])('rejects %j as a timestamp', async (timestamp) => {
    expect(await outcome({ headers: { ...headers, 'webhook-timestamp': timestamp } })).toMatch(
      timestamp === '' ? 'missing_header' : 'bad_timestamp',
    );
  });

  it('allows exactly five minutes in both directions', async () => {
    const after = (seconds: number) => outcome({ now: AT.getTime() + seconds * 1000 });
    expect([await after(300), await after(301)]).toEqual(['accepted', 'too_old']);
    expect([await after(-300), await after(-301)]).toEqual(['accepted', 'too_new']);
  });

  it('applies `tolerance`; NaN rejects everything', async () => {
    const now = AT.getTime() + 900_000;
    expect(await outcome({ now, tolerance: 900 })).toBe('accepted');
    expect(await outcome({ now, tolerance: 899 })).toBe('too_old');
    expect(await outcome({ tolerance: Number.NaN })).toBe('too_old');
    expect(await outcome({ now: Number.NaN })).toBe('too_old');
  });

  it('uses the system clock by default', async () => {
    const { now: _, ...request } = good;
    await expect(verify(request)).rejects.toMatchObject({ code: expect.stringMatching(/^too_/) });
    const fresh = signWithOurs(SECRET, 'evt_1', new Date(), BODY);
    expect(await verify({ ...request, headers: fresh })).toEqual(JSON.parse(BODY));
  });

  it('accepts one valid signature among several, in any position', async () => {
    const [right = '', wrong = ''] = [headers, signWithOurs(OTHER, 'evt_1', AT, BODY)].map(
      (h) => h['webhook-signature'],
    );
    const others = [wrong, 'v1,', 'v2,abc', 'v1a,AAAA', 'nonsense', ''];
    for (let place = 0; place <= others.length; place++) {
      const list = others.toSpliced(place, 0, right).join(' ');
      expect(await outcome({ headers: { ...headers, 'webhook-signature': list } })).toBe('accepted');
    }
    expect(await outcome({ headers: { ...headers, 'webhook-signature': others.join(' ') } })).toBe('no_match');
  });

  it('checks at most sixteen signatures', async () => {
    const { 'webhook-signature': right } = headers;
    const wrong = (count: number) =>
      Array<string>(count).fill(signWithOurs(OTHER, 'evt_1', AT, BODY)['webhook-signature']);
    expect(await outcome({ headers: { ...headers, 'webhook-signature': [...wrong(15), right].join(' ') } })).toBe(
      'accepted',
    );
    expect(await outcome({ headers: { ...headers, 'webhook-signature': [...wrong(16), right].join(' ') } })).toBe(
      'no_match',
    );
  });

  it('accepts signatures of two secrets during a rotation', async () => {
    const { secret: _, ...request } = good;
    expect(await verify({ ...request, secrets: [OTHER, SECRET] })).toEqual(JSON.parse(BODY));
    expect(await verify({ ...request, secrets: [SECRET, OTHER] })).toEqual(JSON.parse(BODY));
    await expect(verify({ ...request, secrets: [OTHER] })).rejects.toMatchObject({ code: 'no_match' });
  });

  it('rejects a valid signature with another version, non-canonical base64 or missing bytes', async () => {
    const [, signature = ''] = headers['webhook-signature'].split(',');
    // The last character before '=' has two unused bits: other characters decode to the same bytes.
    const respelled = signature.replace(
      /(.)=$/,
      (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`,
    );
    expect(Buffer.from(respelled, 'base64')).toEqual(Buffer.from(signature, 'base64'));
    for (const list of [
      `v2,${signature}`,
      `v1a,${signature}`,
      signature,
      `v1,${respelled}`,
      `v1,${signature.slice(0, 20)}`,
    ]) {
      expect(await outcome({ headers: { ...headers, 'webhook-signature': list } })).toBe('no_match');
    }
  });

  it.each([
    ['standardwebhooks', new Webhook(SECRET)],
    ['svix', new Svix(SECRET)],
  ])('rejects whatever %s rejects, for any tampering', async (_, judge) => {
    const tamper = fc.record({
      part: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'),
      at: fc.nat(200),
      put: fc.constantFrom('', 'x', '0', ' ', ',', '=', '.', '{', 'é'),
      cut: fc.nat(3),
    });
    const verdicts = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(tamper, async ({ part, at, put, cut }) => {
        const now = new Date();
        const request: Record<string, string> = { ...signWithOurs(SECRET, 'evt_1', now, BODY), body: BODY };
        const text = request[part] ?? '';
        const place = at % (text.length + 1);
        request[part] = text.slice(0, place) + put + text.slice(place + cut);
        const { body = '', ...tampered } = request;
        const theirs = await Promise.resolve()
          .then(() => judge.verify(body, tampered))
          .then(
            () => 'accepted' as const,
            () => 'refused' as const,
          );
        verdicts[theirs] += 1;
        if (theirs === 'refused') expect(await outcome({ headers: tampered, body, now })).not.toBe('accepted');
      }),
      { numRuns: 500 },
    );
    expect(verdicts.refused).toBeGreaterThan(100);
  });

  it('agrees with standardwebhooks on requests signed at any time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -900, max: 900 }), async (seconds) => {
        // At the limit, a second may pass between the two checks.
        fc.pre(Math.abs(Math.abs(seconds) - 300) > 5);
        const headers = signWithOurs(SECRET, 'evt_1', new Date(Date.now() + seconds * 1000), BODY);
        const ours = await outcome({ headers, now: Date.now() });
        expect(ours).toBe(seconds > 300 ? 'too_new' : seconds < -300 ? 'too_old' : 'accepted');
        const theirs = () => new Webhook(SECRET).verify(BODY, { ...headers });
        if (ours === 'accepted') expect(theirs).not.toThrow();
        else expect(theirs).toThrow();
      }),
    );
  });

  it('rejects a change of any byte of id, body or timestamp', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('id', 'body', 'time'),
        fc.nat(),
        fc.integer({ min: 1, max: 94 }),
        async (what, at, by) => {
          const turned = (text: string) => {
            const place = at % text.length;
            const code = ((text.charCodeAt(place) - 32 + by) % 95) + 32;
            return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
          };
          if (what === 'body') expect(await outcome({ body: turned(BODY) })).toBe('no_match');
          if (what === 'id')
            expect(await outcome({ headers: { ...headers, 'webhook-id': turned('evt_1') } })).toBe('no_match');
          const later = String(Number(headers['webhook-timestamp']) + by);
          if (what === 'time')
            expect(await outcome({ headers: { ...headers, 'webhook-timestamp': later } })).toBe('no_match');
        },
      ),
    );
  });

  it.each([
    [{ parsed: true }, 'object'],
    [null, 'null'],
    [undefined, 'undefined'],
    [42, 'number'],
  ])('rejects %j as a body with a reason', async (body, named) => {
    // Only untyped callers can do this.
    const options: object = { ...good, body };
    const refused = verify(options as VerifyOptions);
    await expect(refused).rejects.toMatchObject({ code: 'bad_body' });
    await expect(refused).rejects.toThrow(
      `raw text or bytes of the request, got ${named}. A parsed body cannot be verified`,
    );
  });

  it.each(['', 'not json', '{"a":'])(
    'reports that a body is not JSON only if its signature is valid: %j',
    async (body) => {
      expect(await outcome({ body, headers: signWithOurs(SECRET, 'evt_1', AT, body) })).toBe('not_json');
      expect(await outcome({ body })).toBe('no_match');
    },
  );

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['no prefix', Buffer.alloc(32, 7).toString('base64')],
    ['too few bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
    ['too many bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`],
    ['no base64', 'whsec_*** this is not base64 at all ***'],
    ['a public key that is cut', `whpk_${Buffer.alloc(31, 7).toString('base64')}`],
  ])('rejects %s as a secret before reading the request, without showing it', async (_, secret) => {
    const refused = verify({ ...good, secret, headers: {} });
    await expect(refused).rejects.toMatchObject({ code: 'bad_secret' });
    if (secret) await expect(refused).rejects.not.toThrow(secret);
  });

  it('explains that the public key is needed when given the private key', async () => {
    await expect(verify({ ...good, secret: `whsk_${Buffer.alloc(64, 7).toString('base64')}` })).rejects.toThrow(
      "'whpk_'",
    );
  });

  it('rejects a list with a missing secret', async () => {
    expect(await outcome({ secrets: [OTHER, undefined] })).toBe('bad_secret');
  });

  it('accepts a secret without base64 padding', async () => {
    expect(await outcome({ secret: SECRET.replace(/=+$/, '') })).toBe('accepted');
  });
});

describe('recentIds', () => {
  it('remembers added ids and removes the oldest beyond its limit', () => {
    const ids = recentIds(2);
    for (const id of ['a', 'b', 'a', 'c']) ids.add(id);
    expect(['a', 'b', 'c'].map(ids.has)).toEqual([true, false, true]);
  });

  it('has a default limit of 10,000 ids', () => {
    const ids = recentIds();
    for (let id = 0; id <= 10_000; id++) ids.add(String(id));
    expect([ids.has('0'), ids.has('1'), ids.has('10000')]).toEqual([false, true, true]);
  });
});

describe('duplicates', () => {
  it.each([
    ['Headers', new Headers(headers)],
    ['an object in capitals', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toUpperCase(), v]))],
  ])('webhookId reads the header from %s', (_, given) => {
    expect(webhookId(given)).toBe('evt_1');
    expect(() => webhookId({})).toThrow(expect.objectContaining({ code: 'missing_header' }));
  });

  it('a body without an id cannot be mistaken for a duplicate', () => {
    const ids = recentIds();
    const { id } = JSON.parse('{"type":"task.closed"}');
    expect(() => ids.has(id)).toThrow('expected the header webhook-id, got undefined');
    expect(() => ids.add(id)).toThrow('expected the header webhook-id, got undefined');
  });
});

describe('isStale', () => {
  it('is true only for a lower version than the stored one', () => {
    const event = { data: { version: 5 } };
    expect([undefined, 4, 5, 6].map((held) => isStale(event, held))).toEqual([false, false, false, true]);
  });
});
