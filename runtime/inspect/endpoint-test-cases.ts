/**
 * What an endpoint is asked in an exam: requests that are right in ways a careless receiver gets wrong, and requests that
 * are wrong in ways a careless receiver takes for right. Only makes them; nothing is sent here.
 */

import { createHash } from 'node:crypto';
import { signingKey, signWebhook } from '../../core/delivery/sign.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';

export interface EndpointTestCase {
  /** Stable: programs read it. */
  readonly name: string;
  /** What is sent, in a few words. */
  readonly sent: string;
  readonly expected: 'accept' | 'refuse';
  /** What to mend when it is answered otherwise. */
  readonly mend: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface EndpointTestCases {
  /** The one that proves the secret; the others mean nothing before it is accepted. */
  readonly valid: EndpointTestCase;
  /** `valid` to the byte: what a retry is. */
  readonly again: EndpointTestCase;
  readonly others: readonly EndpointTestCase[];
}

/** Well past the 5 minutes that libraries allow. */
const STALE = 10 * MINUTE;

const BIG_BYTES = 200 * 1024;

/** `seed` makes the ids of one exam differ from those of the last: a receiver may have kept them. */
export function buildEndpointTestCases(secret: string, now: Instant, seed: string): EndpointTestCases {
  const paper = { secret, now, id: (name: string) => `evt_${digest(`${seed} ${name}`).slice(0, 32)}` };
  const valid = validCase(paper);
  const again = {
    ...valid,
    name: 'again',
    sent: 'the same once more, as after a lost answer',
    mend: 'Answer 2xx when a webhook-id comes again, and do nothing else: anything but 2xx makes it come again and again.',
  };
  return { valid, again, others: [...rightCases(paper), ...wrongCases(paper)] };
}

interface EndpointTestContext {
  readonly secret: string;
  readonly now: Instant;
  readonly id: (name: string) => string;
}

function validCase(paper: EndpointTestContext): EndpointTestCase {
  return {
    name: 'valid',
    sent: 'a valid request',
    expected: 'accept',
    mend:
      'Check that the endpoint holds this very secret, decodes the base64 after whsec_ to get the key, and signs ' +
      'webhook-id, webhook-timestamp and the raw body, joined by dots.',
    ...signed(paper, paper.id('valid'), textOf(paper, 'valid')),
  };
}

function rightCases(paper: EndpointTestContext): readonly EndpointTestCase[] {
  const spaced = JSON.stringify(eventOf(paper, 'raw', { title: 'Grüße, 東京 & 🎉' }), null, 3).replaceAll(
    '": ',
    '" :  ',
  );
  const rotated = signed(paper, paper.id('rotated'), textOf(paper, 'rotated'));
  const good = rotated.headers['webhook-signature'] ?? '';
  return [
    {
      name: 'raw-bytes',
      sent: 'text beyond ASCII, JSON spaced in an odd way',
      expected: 'accept',
      mend:
        'Verify the bytes as they came, before anything parses them: JSON that was parsed and written again is spaced ' +
        'otherwise, and text read in another encoding than UTF-8 is another text.',
      ...signed(paper, paper.id('raw'), spaced),
    },
    {
      name: 'big',
      sent: 'a body of 200 KB',
      expected: 'accept',
      mend: 'Raise the limit on bodies: a record with a long text makes a big event. 1 MB is enough.',
      ...signed(paper, paper.id('big'), textOf(paper, 'big', { text: 'x'.repeat(BIG_BYTES) })),
    },
    {
      name: 'rotation',
      sent: 'three signatures, one of them good',
      expected: 'accept',
      mend:
        'Split webhook-signature at spaces and accept when any one of them fits, passing over versions you do not know: ' +
        'while a secret changes there are two.',
      ...rotated,
      headers: {
        ...rotated.headers,
        'webhook-signature': `v1,${digest('another', 'base64')} v1a,${digest('ed', 'base64')} ${good}`,
      },
    },
  ];
}

function wrongCases(paper: EndpointTestContext): readonly EndpointTestCase[] {
  const request = (name: string) => signed(paper, paper.id(name), textOf(paper, name));
  const wrong = (
    name: string,
    sent: string,
    mend: string,
    { headers, body }: Request,
    change: Readonly<Record<string, string | undefined>> = {},
  ): EndpointTestCase => ({ name, sent, expected: 'refuse', mend, headers: defined({ ...headers, ...change }), body });

  const body = request('tampered-body');
  const respaced = request('respaced');
  const time = request('moved-time');
  const several = request('none-good');
  const good = several.headers['webhook-signature'] ?? '';
  const stranger = `whsec_${digest(paper.id('stranger'), 'base64')}`;
  const overBody = 'Compare with a signature over the raw body. If this passes, anybody can make up events.';
  return [
    wrong('tampered-body', 'a body that was changed', overBody, {
      ...body,
      body: body.body.replace('"version":1', '"version":2'),
    }),
    wrong(
      'respaced',
      'the same JSON, spaced otherwise than it was signed',
      'Verify the bytes as they came, not JSON written anew: what you verify must be what you go on to read.',
      { ...respaced, body: JSON.stringify(JSON.parse(respaced.body), null, 1) },
    ),
    wrong(
      'tampered-id',
      'another webhook-id than was signed',
      'Sign webhook-id too: whoever can change it gets an old event past your de-duplication.',
      request('tampered-id'),
      { 'webhook-id': paper.id('another') },
    ),
    wrong(
      'moved-time',
      'another webhook-timestamp than was signed',
      'Sign webhook-timestamp too: whoever can change it makes an old request look fresh.',
      time,
      { 'webhook-timestamp': String(Number(time.headers['webhook-timestamp']) - 1) },
    ),
    wrong(
      'stale',
      'a good signature, 10 minutes old',
      'Refuse a webhook-timestamp more than 5 minutes ago: otherwise whoever once saw a request can send it for ever.',
      signed(paper, paper.id('stale'), textOf(paper, 'stale'), plus(paper.now, -STALE)),
    ),
    wrong(
      'future',
      'a good signature, 10 minutes ahead',
      'Refuse a webhook-timestamp more than 5 minutes ahead: a copy of it would stay good for longer than you allow.',
      signed(paper, paper.id('future'), textOf(paper, 'future'), plus(paper.now, STALE)),
    ),
    wrong(
      'wrong-secret',
      'a signature made with another secret',
      overBody,
      signed({ ...paper, secret: stranger }, paper.id('stranger'), textOf(paper, 'stranger')),
    ),
    wrong('unsigned', 'no signature at all', 'Refuse a request without webhook-signature.', request('unsigned'), {
      'webhook-signature': undefined,
    }),
    wrong(
      'none-good',
      'several signatures, none of them good',
      'Compare whole signatures, of the version v1 only, and refuse unless one of them is equal.',
      several,
      {
        'webhook-signature': `v1, v1,${digest('another', 'base64')} ${good.slice(0, 20)} ${good.replace(/^\w+,/, 'v9,')}`,
      },
    ),
  ];
}

type Request = Pick<EndpointTestCase, 'headers' | 'body'>;

function signed({ secret, now }: EndpointTestContext, id: string, body: string, at: Instant = now): Request {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Tidings' };
  return { headers: { ...headers, ...signWebhook(id, at, body, [signingKey(secret)]) }, body };
}

function textOf(paper: EndpointTestContext, name: string, record: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(eventOf(paper, name, record));
}

/** A ping, marked as a test: a receiver that looks at types does nothing about it. */
function eventOf(
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
