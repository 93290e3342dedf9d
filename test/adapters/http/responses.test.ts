/** What becomes of each response a receiver can send, broken ones included, and the bytes of each request. */

import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { CERTIFICATE } from './certificate.ts';

/** Long enough for a busy machine; responses that never end take that long. */
const TIMEOUT = 1000;

/** What the receiver does after its bytes: it closes, resets, or keeps the connection open. */
type Next = 'close' | 'reset' | 'hang';

type Result = readonly [status: number, body: string] | 'none';

let server: Server;
let url: URL;
let response: { readonly pieces: readonly Buffer[]; readonly next: Next };
/** All bytes of each request, in order of arrival. */
let sent: Buffer[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (!isComplete(received)) return;
      sent.push(received);
      for (const piece of response.pieces) {
        socket.write(piece);
        await turn();
        await turn();
      }
      if (response.next === 'close') socket.end();
      if (response.next === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?of=ops`);
});
afterAll(() => {
  server.close();
});

function isComplete(request: Buffer): boolean {
  const head = request.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(request.toString('latin1', 0, head))?.[1]);
  return head !== -1 && request.length >= head + 4 + length;
}

async function post(to: URL, headers: Readonly<Record<string, string>> = {}, body = 'hello') {
  const transport = openHttpTransport({ allow: ['127.0.0.0/8', '::1/128'], timeout: TIMEOUT, ca: CERTIFICATE });
  try {
    return await transport.post(to, headers, body);
  } finally {
    await transport.close();
  }
}

async function resultOf(to: URL): Promise<Result> {
  try {
    const { status, body } = await post(to);
    return [status, body];
  } catch (error) {
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_UNREACHABLE' });
    return 'none';
  }
}

describe('a request', () => {
  const accept = { pieces: [Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')], next: 'close' } as const;

  it('carries path, query, host, headers and the length of the body', async () => {
    response = accept;
    sent = [];
    const headers = { 'X-Key': 'Zoë', 'content-type': 'application/json' };
    expect(await post(url, headers, '{"a":"ä€"}')).toMatchObject({ status: 204 });
    expect(sent.map(String)).toEqual([
      [
        'POST /hook?of=ops HTTP/1.1',
        `host: ${url.host}`,
        'connection: keep-alive',
        'accept-encoding: identity',
        'X-Key: Zo\ufffd',
        'content-type: application/json',
        'content-length: 13',
        '',
        '{"a":"ä€"}',
      ].join('\r\n'),
    ]);
    expect(sent[0]?.includes(Buffer.from('Zoë', 'latin1'))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a megabyte', 'ä'.repeat(500_000)],
  ])('carries a body of %s', async (_, body) => {
    response = accept;
    sent = [];
    expect(await post(url, {}, body)).toMatchObject({ status: 204 });
    expect(sent[0]?.subarray(-Buffer.byteLength(body) - 4).toString()).toBe(`\r\n\r\n${body}`);
  });

  it.each([['a\r\nb'], ['a\nb'], ['a\0b']])('is not sent with a header that would break it: %j', async (value) => {
    sent = [];
    await expect(post(url, { 'x-key': value })).rejects.toThrow();
    expect(sent).toEqual([]);
  });
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const HI = 'content-length: 2\r\n\r\nhi';
const long = (length: number) => `x-long: ${'y'.repeat(length)}\r\n`;

/** The bytes of a response, what the receiver does after them, and the result: status and body, or no response. */
const CORPUS: readonly (readonly [name: string, bytes: string, next: Next, result: Result])[] = [
  ['a response, then close', OK + HI, 'close', [200, 'hi']],
  ['a response, then keep-alive', OK + HI, 'hang', [200, 'hi']],
  ['a response without a reason phrase', `HTTP/1.1 200\r\n${HI}`, 'hang', [200, 'hi']],
  ['empty lines before it', `\r\n\r\n${OK}${HI}`, 'close', [200, 'hi']],
  ['no content', 'HTTP/1.1 204 No\r\n\r\n', 'hang', [204, '']],
  ['no content, with a body', `HTTP/1.1 204 No\r\n${HI}`, 'hang', [204, '']],
  ['not modified, with a length', 'HTTP/1.1 304 No\r\ncontent-length: 3\r\n\r\n', 'hang', [304, '']],
  ['not modified, with a body', 'HTTP/1.1 304 No\r\ncontent-length: 3\r\n\r\nabc', 'close', [304, '']],
  ['a redirect', 'HTTP/1.1 307 No\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n', 'hang', [307, '']],
  ['an unknown status', `HTTP/1.1 999 No\r\n${HI}`, 'close', [999, 'hi']],
  ['a body that ends with the connection', `${OK}\r\nhello`, 'close', [200, 'hello']],
  ['a body without length that breaks off', `${OK}\r\nhello`, 'reset', [200, 'hello']],
  ['a body that never ends', `${OK}\r\nhello`, 'hang', [200, 'hello']],
  ['less than its length', `${OK}content-length: 10\r\n\r\nhello`, 'close', [200, 'hello']],
  ['less than its length, and silence', `${OK}content-length: 10\r\n\r\nhello`, 'hang', [200, 'hello']],
  ['more than its length', `${OK}${HI}!`, 'hang', [200, 'hi']],
  ['two responses', OK + HI + OK + HI, 'close', [200, 'hi']],
  ['more than is kept', `${OK}content-length: 9000\r\n\r\n${'x'.repeat(9000)}`, 'hang', [200, 'x'.repeat(4096)]],
  ['more than is read', `${OK}content-length: 99999\r\n\r\n${'x'.repeat(99_999)}`, 'hang', [200, 'x'.repeat(4096)]],
  ['chunks', `${CHUNKED}2\r\nhi\r\n3\r\n ho\r\n0\r\n\r\n`, 'hang', [200, 'hi ho']],
  ['chunks with extensions', `${CHUNKED}2;a=b\r\nhi\r\n0\r\n\r\n`, 'hang', [200, 'hi']],
  ['chunks with trailers', `${CHUNKED}2\r\nhi\r\n0\r\nx-after: 1\r\n\r\n`, 'hang', [200, 'hi']],
  ['chunks with endless trailers', `${CHUNKED}2\r\nhi\r\n0\r\n${long(30_000)}\r\n`, 'hang', [200, 'hi']],
  ['chunks that break', `${CHUNKED}2\r\nhi\r\nZZ\r\n`, 'hang', [200, 'hi']],
  ['chunks that break off', `${CHUNKED}5\r\nhi`, 'close', [200, 'hi']],
  ['chunks without an end', `${CHUNKED}2\r\nhi\r\n`, 'close', [200, 'hi']],
  ['a chunk size that overflows', `${CHUNKED}fffffffffffffffff\r\nhi`, 'close', [200, '']],
  [
    'length and chunks',
    `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    'hang',
    'none',
  ],
  [
    'chunks and length',
    `${OK}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    'hang',
    'none',
  ],
  ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nhi`, 'hang', 'none'],
  ['a length below zero', `${OK}content-length: -2\r\n\r\nhi`, 'hang', 'none'],
  ['a length that overflows', `${OK}content-length: 99999999999999999999\r\n\r\nhi`, 'hang', 'none'],
  ['an encoding of the transfer', `${OK}transfer-encoding: gzip\r\n\r\nhello`, 'close', [200, 'hello']],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello', 'close', [200, 'hello']],
  ['HTTP/1.0 with a length', `HTTP/1.0 200 OK\r\n${HI}`, 'hang', [200, 'hi']],
  ['HTTP/1.2', `HTTP/1.2 200 OK\r\n${HI}`, 'hang', 'none'],
  ['HTTP/0.9', 'hello', 'close', 'none'],
  ['lines that end in LF', `HTTP/1.1 200 OK\ncontent-length: 2\n\nhi`, 'hang', 'none'],
  ['a status of four digits', `HTTP/1.1 1000 X\r\n${HI}`, 'hang', 'none'],
  ['a status of letters', `HTTP/1.1 abc X\r\n${HI}`, 'hang', 'none'],
  ['a status below 100', `HTTP/1.1 099 X\r\n${HI}`, 'close', 'none'],
  ['an early hint', `HTTP/1.1 103 Early\r\nlink: a\r\n\r\n${OK}${HI}`, 'hang', [200, 'hi']],
  ['many early hints', `${'HTTP/1.1 103 Early\r\nlink: a\r\n\r\n'.repeat(30)}${OK}${HI}`, 'hang', [200, 'hi']],
  ['an early hint and no more', 'HTTP/1.1 103 Early\r\nlink: a\r\n\r\n', 'close', 'none'],
  ['an early hint and silence', 'HTTP/1.1 103 Early\r\nlink: a\r\n\r\n', 'hang', 'none'],
  ['another protocol', 'HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello', 'hang', 'none'],
  ['another protocol without a name', 'HTTP/1.1 101 S\r\n\r\nhello', 'close', 'none'],
  ['an offer of another protocol', `${OK}upgrade: x\r\nconnection: upgrade\r\n${HI}`, 'hang', [200, 'hi']],
  ['nothing', '', 'close', 'none'],
  ['nothing, broken off', '', 'reset', 'none'],
  ['silence', '', 'hang', 'none'],
  ['half a status', 'HTTP/1.1 20', 'close', 'none'],
  ['half a header', `${OK}x-half`, 'close', 'none'],
  ['half a header, broken off', `${OK}x-half: a`, 'reset', 'none'],
  ['no end of the headers', `${OK}x-half: a\r\n`, 'hang', 'none'],
  ['garbage', '\0\x01\x02garbage\r\n\r\n', 'hang', 'none'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00', 'hang', 'none'],
  ['a header that starts with a space', `${OK} x: y\r\n${HI}`, 'hang', 'none'],
  ['a header over two lines', `${OK}x: y\r\n z\r\n${HI}`, 'hang', 'none'],
  ['a space before the colon', `${OK}x : y\r\n${HI}`, 'hang', 'none'],
  ['a header without a colon', `${OK}x\r\n${HI}`, 'hang', 'none'],
  ['a header without a name', `${OK}: y\r\n${HI}`, 'hang', 'none'],
  ['NUL in a header', `${OK}x: a\0b\r\n${HI}`, 'hang', 'none'],
  ['Latin-1 in a header', `${OK}x: Zo\xeb\r\n${HI}`, 'hang', [200, 'hi']],
  ['spaces around a header', `${OK}x: \t a b \t \r\n${HI}`, 'hang', [200, 'hi']],
  ['headers several times', `${OK}x-id: a\r\nX-Id: b\r\ndate: 1\r\ndate: 2\r\nx-id: c\r\n${HI}`, 'hang', [200, 'hi']],
  [
    'headers named like JavaScript properties',
    `${OK}__proto__: a\r\n__proto__: b\r\nconstructor: c\r\n${HI}`,
    'hang',
    [200, 'hi'],
  ],
  ['headers of 15 KB', `${OK}${long(15_000)}${HI}`, 'hang', [200, 'hi']],
  ['headers of 17 KB', `${OK}${long(17_000)}${HI}`, 'hang', 'none'],
  ['headers of a megabyte', `${OK}${long(1_000_000)}${HI}`, 'hang', 'none'],
  ['3,000 headers', `${OK}${'a: b\r\n'.repeat(3000)}${HI}`, 'hang', [200, 'hi']],
];

describe('an HTTP/1.1 response', () => {
  it.each(CORPUS)('is read or rejected: %s', async (_, bytes, next, result) => {
    response = { pieces: [Buffer.from(bytes, 'latin1')], next };
    expect(await resultOf(url)).toEqual(result);
  });

  const status = fc.constantFrom(200, 202, 204, 304, 307, 410, 429, 500, 503).map((code) => `HTTP/1.1 ${code} X\r\n`);
  const hint = fc.constantFrom('', '', '', 'HTTP/1.1 103 Early\r\n\r\n', 'HTTP/1.1 102 Wait\r\nx: y\r\n\r\n');
  const header = fc.constantFrom(
    'connection: close\r\n',
    'connection: keep-alive\r\n',
    'keep-alive: timeout=1\r\n',
    'retry-after: 7\r\n',
    'x-request-id: a\r\n',
    'X-Request-Id: b\r\n',
    'content-encoding: gzip\r\n',
    'Transfer-Encoding: identity\r\n',
    'trailer: x\r\n',
    'upgrade: h2c\r\n',
    ' folded\r\n',
    'broken\r\n',
  );
  const body = fc.string({ unit: 'binary-ascii', maxLength: 1500 });
  const framed = fc.oneof(
    body.map((text) => `content-length: ${text.length}\r\n\r\n${text}`),
    fc.tuple(body, fc.nat(3000)).map(([text, length]) => `content-length: ${length}\r\n\r\n${text}`),
    body.map((text) => `\r\n${text}`),
    fc.array(body, { maxLength: 4 }).map((chunks) => {
      const coded = chunks.filter((text) => text !== '').map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
      return `transfer-encoding: chunked\r\n\r\n${coded.join('')}0\r\n\r\n`;
    }),
  );
  const bytes = fc
    .tuple(hint, status, fc.array(header, { maxLength: 4 }), framed)
    .map(([early, first, headers, rest]) => Buffer.from(`${early}${first}${headers.join('')}${rest}`, 'latin1'));

  it('is the same wherever it is split into packets', async () => {
    const cuts = fc.record({
      end: fc.option(fc.nat(2000), { nil: undefined }),
      pieces: fc.array(fc.nat(400), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(bytes, cuts, async (whole, { end, pieces }) => {
        const cut = whole.subarray(0, end);
        response = { pieces: [cut], next: 'close' };
        const expected = await resultOf(url);
        const starts = [0, ...pieces.toSorted((a, b) => a - b)];
        response = { pieces: starts.map((from, index) => cut.subarray(from, starts[index + 1])), next: 'close' };
        expect(await resultOf(url)).toEqual(expected);
      }),
      { numRuns: 100 * Number(process.env.FC_RUNS ?? 1) },
    );
  });
});
