/**
 * `api-units`: the units of the quota `units` that a request to the management API takes, times as many of it as a key may make in a
 * minute. Set AWS_ENDPOINT_URL_DYNAMODB to DynamoDB Local: dynalite does not count writes of indexes.
 */

import { randomBytes } from 'node:crypto';
import { dynamoUnitMeter } from '../adapters/dynamodb/unit-meter.ts';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { openDelivery } from '../core/model/delivery.ts';
import { DAY, MINUTE, plus } from '../core/model/time.ts';
import type { UnitMeter } from '../core/ports/unit-meter.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import { quotasOf } from '../manage/api/http/quotas.ts';
import { createKey } from '../manage/api/keys.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { event, NOON, subscription } from '../test/samples.ts';
import type { Benchmark, Figure } from './bench.ts';
import { type AskApi, askWith, config, environment, movableClock, OPERATOR } from './manage.ts';
import { openMetered } from './units.ts';

const SUBSCRIPTIONS = 900;
const EVENTS = 2000;
/** Events are recorded a few at once. */
const BATCH = 20;

const SPREAD = 30 * DAY;
const TYPES = ['task.closed', 'task.created', 'invoice.paid'];

/** How often a service asks in a minute, and what: at the rate of the API or of another quota. */
const REQUESTS: Readonly<Record<string, readonly [perMinute: number, request: (ask: AskApi) => Promise<unknown>]>> = {
  'GET /me': [600, (ask) => ask('GET', '/me')],
  'GET /sources': [600, (ask) => ask('GET', '/sources')],
  'GET /events?limit=100': [600, (ask) => ask('GET', '/events?limit=100')],
  'GET /events/{id}': [600, (ask) => ask('GET', '/events/evt_1998')],
  'GET /deliveries?limit=100': [600, (ask) => ask('GET', '/deliveries?limit=100')],
  'GET /deliveries?status=pending&limit=100': [600, (ask) => ask('GET', '/deliveries?status=pending&limit=100')],
  'GET /subscriptions': [600, (ask) => ask('GET', '/subscriptions')],
  'GET /subscriptions/{name}': [600, (ask) => ask('GET', '/subscriptions/own-1')],
  'POST /subscriptions': [
    600,
    (ask) =>
      ask('POST', '/subscriptions', {
        name: 'new',
        url: 'https://ops.example.com/hook',
        events: ['task.closed'],
        verify: 'none',
      }),
  ],
  'PATCH /subscriptions/{name}': [600, (ask) => ask('PATCH', '/subscriptions/new', { events: ['task.*'] })],
  'POST …/pause': [600, (ask) => ask('POST', '/subscriptions/new/pause')],
  'POST …/resume': [600, (ask) => ask('POST', '/subscriptions/new/resume')],
  'DELETE /subscriptions/{name}': [600, (ask) => ask('DELETE', '/subscriptions/new')],
  'POST /filters/test of 467 events': [60, (ask) => ask('POST', '/filters/test', { events: ['*.*'], since: '7d' })],
  'POST …/replay of 100 events': [
    10,
    (ask) => ask('POST', '/subscriptions/own-1/replay', { since: '108h', type: 'task.created' }),
  ],
};

export const apiUnits: Benchmark = async () => {
  const clock = movableClock();
  const { metered: _, close, client, tables, stream, rateLimiter, ...stores } = await openMetered(clock);
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({ config, database, environment, clock, holder: 'bench', random: () => 0.5 });
  try {
    let units = 0;
    const unitMeter: UnitMeter = {
      run: (_, work) => {
        const count = async (more: number) => {
          units += more;
        };
        return dynamoUnitMeter.run({ beforeRead: () => {}, count }, work);
      },
    };
    const api = { ...embedded, ...stores, unitMeter, mode: 'aws', randomBytes } as ApiPorts;
    const { id, token } = await createKey(api, OPERATOR, { name: 'bench', scopes: ['operate', 'read'] });
    await fill(stores, id, clock);
    const ask = askWith(api, token);
    // The first subscription of a key counts what it has.
    await ask('GET', '/me');
    const limit = quotasOf(config, {}).units;
    const figures: Figure[] = [];
    for (const [name, [perMinute, request]] of Object.entries(REQUESTS)) {
      units = 0;
      await request(ask);
      figures.push({
        name: `api-units (${name})`,
        ours: `${Math.round(units)} units`,
        floor: `${limit.count} units a minute for ${perMinute} requests`,
        ratio: (units * perMinute * MINUTE) / limit.per / limit.count,
        aim: 1,
      });
    }
    return figures;
  } finally {
    await embedded.close();
    await close();
  }
};

async function fill(
  { events, subscriptions }: Pick<ApiPorts, 'events' | 'subscriptions'>,
  owner: string,
  clock: ReturnType<typeof movableClock>,
): Promise<void> {
  for (let n = 0; n < SUBSCRIPTIONS; n++)
    await subscriptions.save(subscription(`own-${n}`, { declared: false, owner }));
  const step = SPREAD / EVENTS;
  const all = Array.from({ length: EVENTS }, (_, n) => {
    const one = event(String(n), {
      time: plus(NOON, -Math.round(SPREAD - n * step)),
      type: TYPES[n % TYPES.length] ?? '',
    });
    return { event: one, deliveries: [openDelivery(one, `own-${n % 10}`, one.time)] };
  });
  for (let start = 0; start < all.length; start += BATCH) {
    clock.set(all[start]?.event.time ?? NOON);
    await events.record(all.slice(start, start + BATCH));
  }
  clock.set(NOON);
}
