/** The kit in a real HTTP server, and with public keys. */

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type VerifyOptions, verify } from '../../kit/verify.ts';
import { SECRET } from '../samples.ts';
import { AT, BODY, headers, outcome } from './outcome.ts';
import { edKeys, type Signed, signWithEd, signWithOurs } from './signed.ts';

describe('verify in a Node server', () => {
  /** Sends a request with exactly these headers, including duplicates, and returns the result of verify. */
  async function over(headerList: readonly (readonly [string, string])[]): Promise<string> {
    let said = '';
    const server = createServer(async (came, response) => {
      said = await outcome({ headers: came.headers, body: await buffer(came), now: AT });
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((answered, failed) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST' }, (answer) => {
        answer.resume().on('end', answered);
      });
      for (const name of new Set(headerList.map(([name]) => name))) {
        const values = headerList.filter(([other]) => other === name).map(([, value]) => value);
        sent.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
      }
      sent.on('error', failed).end(BODY);
    });
    server.closeAllConnections();
    server.close();
    return said;
  }

  const right = Object.entries(headers);

  it('accepts header names in any letter case', async () => {
    expect(await over(right)).toBe('accepted');
    expect(await over(right.map(([name, value]) => [name.replace('webhook', 'Webhook'), value]))).toBe('accepted');
  });

  it('rejects duplicate headers, except for signatures', async () => {
    expect(await over([...right, ['webhook-id', 'evt_2']])).toBe('no_match');
    expect(await over([...right, ['webhook-timestamp', '1']])).toBe('bad_timestamp');
    expect(await over([['webhook-signature', 'v1,AAAA'], ...right])).toBe('accepted');
  });
});

describe('verify with a public key (v1a)', () => {
  const { privateKey, whpk } = edKeys();
  const request = { headers: signWithEd(privateKey, 'evt_1', AT, BODY), body: BODY, now: AT };

  it('accepts the public key as publicKey, secret or one of secrets', async () => {
    for (const key of [{ publicKey: whpk }, { secret: whpk }, { secrets: [SECRET, whpk] }]) {
      expect(await verify({ ...request, ...key })).toEqual(JSON.parse(BODY));
    }
  });

  it('rejects another key, another body and an invalid signature', async () => {
    const refused = (change: Partial<VerifyOptions>) => outcome({ secret: whpk, ...request, ...change });
    expect(await refused({ secret: edKeys().whpk })).toBe('no_match');
    expect(await refused({ body: BODY.replace('3', '4') })).toBe('no_match');
    for (const signature of ['v1a,AAAA', `v1a,${Buffer.alloc(64).toString('base64')}`, 'v1a,']) {
      expect(await refused({ headers: { ...request.headers, 'webhook-signature': signature } })).toBe('no_match');
    }
  });

  it('rejects an HMAC made with the public key', async () => {
    const forged: Signed = signWithOurs(whpk.replace('whpk_', 'whsec_'), 'evt_1', AT, BODY);
    expect(await outcome({ secret: whpk, headers: forged })).toBe('no_match');
  });

  it('accepts a v1 or a v1a signature, for a migration from one to the other', async () => {
    const both = `${headers['webhook-signature']} ${request.headers['webhook-signature']}`;
    const signed = { ...request, headers: { ...headers, 'webhook-signature': both } };
    expect(await verify({ ...signed, secret: SECRET })).toEqual(JSON.parse(BODY));
    expect(await verify({ ...signed, publicKey: whpk })).toEqual(JSON.parse(BODY));
  });
});
