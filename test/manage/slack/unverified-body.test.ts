/** How much is read of requests that may be forged. */

import { expect, it } from 'vitest';
import { LARGE_BODIES, readUnverified } from '../../../manage/slack/unverified-body.ts';
import { createByteRate } from '../../../runtime/byte-rate.ts';

const KB = 1024;

/** A body that counts what is read of it. */
function bodyOf(bytes: number, headers: Readonly<Record<string, string>>) {
  let read = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (read >= bytes) return controller.close();
        controller.enqueue(new Uint8Array(16 * KB).fill(97));
        read += 16 * KB;
      },
    },
    { highWaterMark: 0 },
  );
  return { request: { headers: new Headers(headers), body }, read: () => read };
}

it('refuses by the stated length, and reads nothing', async () => {
  const large = bodyOf(2048 * KB, { 'content-length': String(2048 * KB) });
  expect(await readUnverified(large.request, () => true)).toBe('too large');
  const many = bodyOf(512 * KB, { 'content-length': String(512 * KB) });
  expect(await readUnverified(many.request, () => false)).toBe('too many');
  expect([large.read(), many.read()]).toEqual([0, 0]);
});

it('refuses a body without a length where it exceeds what is free', async () => {
  const chunked = { 'transfer-encoding': 'chunked', 'content-length': '5' };
  const many = bodyOf(512 * KB, chunked);
  expect(await readUnverified(many.request, () => false)).toBe('too many');
  expect(many.read()).toBe(80 * KB);
  const large = bodyOf(4096 * KB, chunked);
  expect(await readUnverified(large.request, () => true)).toBe('too large');
  expect(large.read()).toBe(1040 * KB);
});

it('reads small bodies without a budget, with and without a length', async () => {
  const forms: Readonly<Record<string, string>>[] = [
    { 'content-length': String(64 * KB) },
    { 'transfer-encoding': 'chunked' },
    {},
  ];
  for (const headers of forms) {
    const { request } = bodyOf(64 * KB, headers);
    expect(await readUnverified(request, () => false)).toEqual({ text: 'a'.repeat(64 * KB) });
  }
  expect(await readUnverified({ headers: new Headers(), body: null }, () => false)).toEqual({ text: '' });
});

it('allows four megabytes at once, and one more each second', () => {
  let now = 0;
  const take = createByteRate(LARGE_BODIES, () => now);
  const takeAll = () => Array.from({ length: 6 }, () => take(1024 * KB)).filter(Boolean).length;
  expect(takeAll()).toBe(4);
  now = 1500;
  expect(takeAll()).toBe(1);
  now = 1_000_000;
  expect(takeAll()).toBe(4);
});
