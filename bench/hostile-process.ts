/**
 * Callers of the management API that send the costliest requests they are allowed, in a process of their own: each key several at
 * once, as fast as they are answered. A refused request is repeated after a moment. Arguments: the URL of the service, then the tokens.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

const [url = '', ...tokens] = process.argv.slice(2);
const REQUESTS_AT_ONCE = 4;

/** As many operators as a pattern may have. */
const title = Array.from({ length: 200 }, (_, index) => ({ wildcard: `*${'word '.repeat(5)}${index}*` }));
const loop =
  '{% for a in (1..300) %}{% for b in (1..100) %}{% assign x = a | times: b %}{% endfor %}{% endfor %}{{ line }}';
const manyKeys = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`key${index}`, index]));

const HOSTILE: readonly (readonly [path: string, body?: unknown])[] = [
  ['/filters/test', { events: ['*'], where: { data: { record: { title } } } }],
  ['/events?limit=200'],
  ['/events?limit=200&text=nowhere'],
  ['/subscriptions', { url: 'https://example.com/', events: ['*'], template: { body: { text: loop } } }],
  ['/forecast?until=3650d'],
  ['/subscriptions', manyKeys],
  ['/event-types'],
];

async function send(token: string, [path, body]: (typeof HOSTILE)[number]): Promise<number> {
  const { statusCode, body: answer } = await request(`${url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.dump();
  return statusCode;
}

async function run(token: string, first: number): Promise<never> {
  for (let index = first; ; index++) {
    const status = await send(token, HOSTILE[index % HOSTILE.length] ?? ['/events']).catch(() => 0);
    if (status === 429 || status === 0) await sleep(100);
  }
}

for (const token of tokens) {
  for (let first = 0; first < REQUESTS_AT_ONCE; first++) void run(token, first * 2);
}
process.stdout.write(`${JSON.stringify({ keys: tokens.length })}\n`);
