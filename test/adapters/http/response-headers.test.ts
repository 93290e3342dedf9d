import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRedirectOrigin, readRequestId, readRetryAfter } from '../../../adapters/http/response-headers.ts';
import { HOUR } from '../../../core/model/time.ts';

const AT = '1994-11-06T08:49:37.000Z';
const after = (header: string | string[] | undefined, date?: string) =>
  readRetryAfter({ 'retry-after': header, date }, AT);

describe('readRetryAfter', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['no wait', '0', 0],
    ['seconds with a blank', ' 7 ', 7000],
    ['a date', 'Sun, 06 Nov 1994 08:51:37 GMT', 120_000],
    ['a date of the second form', 'Sunday, 06-Nov-94 08:51:37 GMT', 120_000],
    ['a date of the oldest form', 'Sun Nov  6 08:51:37 1994', 120_000],
    ['a date in the past', 'Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['the first of two', ['5', '900'], 5000],
    ['at most a day: seconds', '31536000', 24 * HOUR],
    ['at most a day: a date', 'Sun, 06 Nov 2994 08:51:37 GMT', 24 * HOUR],
  ])('reads %s', (_, header, expected) => {
    expect(after(header)).toBe(expected);
  });

  it('counts a date from the Date header, because clocks differ', () => {
    expect(after('Sun, 06 Nov 1994 10:00:30 GMT', 'Sun, 06 Nov 1994 10:00:00 GMT')).toBe(30_000);
    expect(after('Sun, 06 Nov 1994 08:51:37 GMT', 'yesterday')).toBe(120_000);
  });

  it.each(['', 'soon', '-5', '1.5', '1e3', '2026-11-14', '5 minutes', 'Sun, 99 Nov 1994 08:51:37 GMT'])(
    'is undefined for %j',
    (header) => {
      expect(after(header)).toBeUndefined();
    },
  );

  it('is undefined without the header', () => {
    expect(after(undefined)).toBeUndefined();
  });

  it('is between 0 and a day for any header', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const wait = after(header) ?? 0;
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(24 * HOUR);
        },
      ),
    );
  });
});

describe('readRequestId', () => {
  it.each(['x-request-id', 'x-amzn-requestid', 'x-amz-request-id', 'cf-ray', 'x-correlation-id'])(
    'reads %s',
    (name) => {
      expect(readRequestId({ [name]: 'req-1' })).toBe('req-1');
    },
  );

  it('prefers the id of the receiver to that of a gateway', () => {
    expect(readRequestId({ 'cf-ray': 'ray-1', 'x-request-id': 'req-1' })).toBe('req-1');
  });

  it('is limited in length, on one line, and undefined without a header', () => {
    expect(readRequestId({ 'x-request-id': 'x'.repeat(9000) })).toHaveLength(128);
    expect(readRequestId({ 'x-request-id': 'a\u0000b\u00e9c' })).toBe('a b c');
    expect(readRequestId({ 'x-request-id': '  ', 'cf-ray': 'ray-1' })).toBe('ray-1');
    expect(readRequestId({})).toBeUndefined();
  });
});

describe('readRedirectOrigin', () => {
  const from = new URL('https://ops.example.com/hook');

  it.each([
    ['https://other.example.com/in?token=abc', 'https://other.example.com'],
    ['/elsewhere', 'https://ops.example.com'],
    ['//third.example.com:8443/', 'https://third.example.com:8443'],
    ['http://ann:secret@10.0.0.1/', 'http://10.0.0.1'],
    ['data:text/plain,x', undefined],
    ['http://[', undefined],
  ])('of %s is %s', (location, origin) => {
    expect(readRedirectOrigin({ location }, from)).toBe(origin);
  });
});
