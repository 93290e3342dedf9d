/** Any request to any route gets a response that fits its schema, or a problem: never a fault of the server. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routes } from '../../manage/api/routes.ts';
import { startApiWorld, taskEvent } from './api-world.ts';

const KEYS = [
  ...[
    'name',
    'url',
    'targetUrl',
    'to',
    'http',
    'slack',
    'email',
    'event',
    'events',
    'where',
    'rate',
    'gather',
    'digest',
  ],
  ...['quiet', 'timeZone', 'concurrency', 'template', 'headers', 'auth', 'format', 'expiresAt', 'verify', 'active'],
  ...['since', 'until', 'type', 'dryRun', 'subscription', 'status', 'scopes', '__proto__', 'constructor'],
];
const TEXTS = [
  '*',
  'task.*',
  'https://example.com',
  'a',
  'declared',
  '2d',
  '2026-11-14T00:00:00Z',
  '__proto__',
  '${X}',
];
const PARAMS = [
  'a',
  'declared',
  'main',
  'evt_1',
  'task',
  '1',
  '%00',
  '..%2f',
  'x'.repeat(300),
  '%F0%9F%98%80',
  '__proto__',
];
const QUERIES = ['limit', 'after', 'type', 'since', 'until', 'subject', 'order', 'status', 'url', 'source', 'x'];

const value = fc.anything({
  maxDepth: 3,
  values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(...TEXTS)],
});
const key = fc.constantFrom(...KEYS);
const request = fc.record({
  // A test waits for its attempt, which nobody makes here.
  route: fc.constantFrom(...routes.filter(({ operation }) => operation !== 'testSubscription')),
  params: fc.array(fc.constantFrom(...PARAMS), { minLength: 2, maxLength: 2 }),
  body: fc.oneof(value, fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value)))),
  query: fc.dictionary(fc.constantFrom(...QUERIES), fc.oneof(fc.string(), fc.constantFrom('1', ...TEXTS))),
});

describe('any request', () => {
  it('gets a valid response or a problem', async () => {
    const world = await startApiWorld();
    await world.record(taskEvent('1'));
    await world.ask('PUT', '/subscriptions/a', { url: world.receiver.url, events: ['*'] });
    await fc.assert(
      fc.asyncProperty(request, async ({ route, params, body, query }) => {
        const [first = '', second = ''] = params;
        const path = route.path.replace(/\{\w+\}/, first).replace(/\{\w+\}/, second);
        const parameters = route.method === 'get' ? `?${new URLSearchParams(query)}` : '';
        const text = route.body === undefined ? undefined : (JSON.stringify(body) ?? 'null');
        const answer = await world.ask(route.method.toUpperCase(), `${path}${parameters}`, text);
        expect(world.errors).toEqual([]);
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400)
          expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String) });
      }),
      { numRuns: 300 },
    );
    await world.stop();
  });
});
