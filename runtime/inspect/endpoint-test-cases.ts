/**
 * The requests of an endpoint test: valid ones that careless receivers reject, and invalid ones that careless receivers
 * accept. Only builds them; sends nothing.
 */

import { createHash } from 'node:crypto';
import { USER_AGENT } from '../../adapters/http/user-agent.ts';
import { signingKey, signWebhook } from '../../core/delivery/signing/sign.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';

export interface EndpointTestCase {
  /** Stable: programs read it. */
  readonly name: string;
  /** A short description of the request. */
  readonly sent: string;
  readonly expected: 'accept' | 'refuse';
  /** How to fix an endpoint that responds otherwise. */
  readonly fix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface EndpointTestCases {
  /** Proves that the secret is right. Unless it is accepted, the other results mean nothing. */
  readonly valid: EndpointTestCase;
  /** Identical to `valid`, byte for byte: a retry. */
  readonly again: EndpointTestCase;
  readonly others: readonly EndpointTestCase[];
}

/** Well beyond the 5 minutes that libraries allow. */
const STALE_AGE = 10 * MINUTE;

const BIG_BYTES = 200 * 1024;

/** `seed` makes the ids of each test unique, because a receiver may remember earlier ones. */
export function buildEndpointTestCases(secret: string, now: Instant, seed: string): EndpointTestCases {
  const context = { secret, now, id: (name: string) => `evt_${digest(`${seed} ${name}`).slice(0, 32)}` };
  const valid = validCase(context);
  const again = {
    ...valid,
    name: 'again',
    sent: 'the same request again, as after a lost response',
    fix: 'Respond with 2xx to a webhook-id you have already processed, and do nothing else. Any other status causes more retries.',
  };
  return { valid, again, others: [...validVariants(context), ...invalidCases(context)] };
}

interface EndpointTestContext {
  readonly secret: string;
  readonly now: Instant;
  readonly id: (name: string) => string;
}

function validCase(context: EndpointTestContext): EndpointTestCase {
  return {
    name: 'valid',
    sent: 'a valid request',
    expected: 'accept',
    fix:
      'Check that the endpoint uses this secret, decodes the base64 after whsec_ to get the key, and signs ' +
      'webhook-id, webhook-timestamp and the raw body, joined by dots.',
    ...signed(context, context.id('valid'), bodyOf(context, 'valid')),
  };
}

function validVariants(context: EndpointTestContext): readonly EndpointTestCase[] {
  const spaced = JSON.stringify(buildPing(context, 'raw', { title: 'Grüße, 東京 & 🎉' }), null, 3).replaceAll(
    '": ',
    '" :  ',
  );
  const rotated = signed(context, context.id('rotated'), bodyOf(context, 'rotated'));
  const signature = rotated.headers['webhook-signature'] ?? '';
  return [
    {
      name: 'raw-bytes',
      sent: 'non-ASCII text, JSON with unusual whitespace',
      expected: 'accept',
      fix:
        'Verify the raw bytes before anything parses them. Parsing and re-serializing JSON changes its whitespace, and ' +
        'decoding with an encoding other than UTF-8 changes the text.',
      ...signed(context, context.id('raw'), spaced),
    },
    {
      name: 'big',
      sent: 'a body of 200 KB',
      expected: 'accept',
      fix: 'Raise the limit on the request body: a record with long text makes a large event. 1 MB is enough.',
      ...signed(context, context.id('big'), bodyOf(context, 'big', { text: 'x'.repeat(BIG_BYTES) })),
    },
    {
      name: 'rotation',
      sent: 'three signatures, one of them valid',
      expected: 'accept',
      fix:
        'Split webhook-signature at spaces and accept the request when any signature matches; skip unknown versions. ' +
        'There are two signatures while a secret is being rotated.',
      ...rotated,
      headers: {
        ...rotated.headers,
        'webhook-signature': `v1,${digest('another', 'base64')} v1a,${digest('ed', 'base64')} ${signature}`,
      },
    },
  ];
}

function invalidCases(context: EndpointTestContext): readonly EndpointTestCase[] {
  const request = (name: string) => signed(context, context.id(name), bodyOf(context, name));
  const invalid = (
    name: string,
    sent: string,
    fix: string,
    { headers, body }: Request,
    change: Readonly<Record<string, string | undefined>> = {},
  ): EndpointTestCase => ({
    name,
    sent,
    expected: 'refuse',
    fix,
    headers: defined({ ...headers, ...change }),
    body,
  });

  const body = request('tampered-body');
  const respaced = request('respaced');
  const time = request('moved-time');
  const several = request('none-good');
  const signature = several.headers['webhook-signature'] ?? '';
  const unrelatedSecret = `whsec_${digest(context.id('unrelatedSecret'), 'base64')}`;
  const signTheBody =
    'Compute the signature over the raw body and compare it. An endpoint that accepts this request accepts forged events.';
  return [
    invalid('tampered-body', 'a modified body', signTheBody, {
      ...body,
      body: body.body.replace('"version":1', '"version":2'),
    }),
    invalid(
      'respaced',
      'the signed JSON with different whitespace',
      'Verify the raw bytes, not re-serialized JSON: verify exactly what you parse.',
      { ...respaced, body: JSON.stringify(JSON.parse(respaced.body), null, 1) },
    ),
    invalid(
      'tampered-id',
      'a webhook-id other than the signed one',
      'Include webhook-id in the signed content. Otherwise a changed id gets an old event past your deduplication.',
      request('tampered-id'),
      { 'webhook-id': context.id('another') },
    ),
    invalid(
      'moved-time',
      'a webhook-timestamp other than the signed one',
      'Include webhook-timestamp in the signed content. Otherwise a changed timestamp makes an old request look new.',
      time,
      { 'webhook-timestamp': String(Number(time.headers['webhook-timestamp']) - 1) },
    ),
    invalid(
      'stale',
      'a valid signature, 10 minutes old',
      'Reject a webhook-timestamp more than 5 minutes in the past. Otherwise a captured request can be replayed forever.',
      signed(context, context.id('stale'), bodyOf(context, 'stale'), plus(context.now, -STALE_AGE)),
    ),
    invalid(
      'future',
      'a valid signature, 10 minutes in the future',
      'Reject a webhook-timestamp more than 5 minutes in the future. Otherwise a captured request stays valid too long.',
      signed(context, context.id('future'), bodyOf(context, 'future'), plus(context.now, STALE_AGE)),
    ),
    invalid(
      'wrong-secret',
      'a signature made with another secret',
      signTheBody,
      signed(
        { ...context, secret: unrelatedSecret },
        context.id('unrelatedSecret'),
        bodyOf(context, 'unrelatedSecret'),
      ),
    ),
    invalid('unsigned', 'no signature', 'Reject requests without webhook-signature.', request('unsigned'), {
      'webhook-signature': undefined,
    }),
    invalid(
      'none-good',
      'several signatures, none of them valid',
      'Compare complete signatures of version v1 only, and reject the request unless one is equal.',
      several,
      {
        'webhook-signature': `v1, v1,${digest('another', 'base64')} ${signature.slice(0, 20)} ${signature.replace(/^\w+,/, 'v9,')}`,
      },
    ),
  ];
}

type Request = Pick<EndpointTestCase, 'headers' | 'body'>;

function signed({ secret, now }: EndpointTestContext, id: string, body: string, at: Instant = now): Request {
  const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT };
  return { headers: { ...headers, ...signWebhook(id, at, body, [signingKey(secret)]) }, body };
}

function bodyOf(context: EndpointTestContext, name: string, record: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(buildPing(context, name, record));
}

/** A ping, marked as a test: a receiver that checks the type ignores it. */
function buildPing(
  { now, id }: EndpointTestContext,
  name: string,
  record: Readonly<Record<string, string>>,
): TidingsEvent {
  return {
    specversion: '1.0',
    id: id(name),
    type: 'tidings.ping',
    source: '/tidings',
    subject: 'subscription/exam',
    time: now,
    datacontenttype: 'application/json',
    test: true,
    data: {
      version: 1,
      record: { id: 'exam', name: 'exam', ...record },
      previous: {},
      changes: [],
      occurred: { after: null, before: now },
      cause: 'poll',
    },
  };
}

function digest(text: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHash('sha256').update(text).digest(encoding);
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
