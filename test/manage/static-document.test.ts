/** Documents that anyone may read without a key: how much of them is sent. */

import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Problem } from '../../manage/api/http/problem.ts';
import { serveStatic } from '../../manage/api/http/static-document.ts';

it('a document is sent a limited number of times, and revalidated any number of times', async () => {
  let built = 0;
  const serve = serveStatic(() => {
    built += 1;
    return { text: 'x'.repeat(1_000_000), contentType: 'text/plain' };
  });
  const app = new Hono().get('/', serve).onError((error, context) => {
    if (!(error instanceof Problem)) throw error;
    return context.body(error.code, error.status as 503, error.headers);
  });
  const ask = (headers: Record<string, string> = {}) => app.request('/', { headers });
  const first = await ask();
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, (await first.text()).length]).toEqual([200, 1_000_000]);
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask()));
  const seconds = (performance.now() - begun) / 1000;
  const sent = answers.filter(({ status }) => status === 200);
  expect(sent.length).toBeGreaterThanOrEqual(15);
  expect(sent.length).toBeLessThanOrEqual(15 + 4 * seconds + 1);
  const refused = answers.find(({ status }) => status === 503);
  expect([await refused?.text(), refused?.headers.get('retry-after')]).toEqual(['TIDINGS_API_UNAVAILABLE', '1']);
  // A browser has it, and asks whether it has changed.
  expect((await ask({ 'if-none-match': etag })).status).toBe(304);
  // Compressed it is small enough to be sent.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const compressed = await ask({ 'accept-encoding': 'gzip' });
  expect([compressed.status, compressed.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  expect(built).toBe(1);
});
