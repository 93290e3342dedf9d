/** The former name of a subscription that the config has renamed: the ids of its deliveries come from it, so no other one gets it. */

import { afterEach, describe, expect, it } from 'vitest';
import { announceFeed } from '../../core/events/announce-feed.ts';
import type { Scope } from '../../core/model/api-key.ts';
import { DAY } from '../../core/model/time.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { SECRET } from '../samples.ts';
import { type ApiWorld, startApiWorld, startReceiver, taskEvent } from './api-world.ts';

let world: ApiWorld;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  await receiver.stop();
});

const declared = (more: object) => ({
  ...{ name: 'ops', events: ['subscription.*'], to: { http: { url: receiver.url, secret: SECRET } } },
  ...more,
});

async function start(): Promise<void> {
  receiver = await startReceiver();
  world = await startApiWorld({ config: { subscriptions: [declared({ renamedFrom: 'billing' })] } });
}

const own = (name: string) => ({ name, url: world.receiver.url, events: ['subscription.*'] });

/** A subscription of the key gets 410, which fires `subscription.disabled`. */
async function fireEvent(key: string): Promise<void> {
  await world.ask('POST', '/subscriptions', { ...own('gone'), events: ['task.*'] }, { key });
  world.receiver.status = 410;
  await world.record(taskEvent('a'));
  await world.ask('POST', '/subscriptions/gone/replay', { event: 'evt_a' }, { key });
  await world.pump();
  while ((await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' })) !== undefined);
  await world.pump();
}

describe('the former name of a subscription', () => {
  it.each<{ scopes: readonly Scope[] }>([
    { scopes: ['read', 'subscribe'] },
    { scopes: ['operate'] },
    { scopes: ['admin'] },
  ])('is not given to a subscription of a key with $scopes, which would get its deliveries', async ({ scopes }) => {
    await start();
    const { token: key } = await world.makeKey(scopes);
    const made = await world.ask('POST', '/subscriptions', own('billing'), { key });
    expect(made).toMatchObject({ status: 409, body: { code: 'TIDINGS_API_NAME_TAKEN' } });
    expect((await world.ask('PUT', '/subscriptions/billing', own('billing'), { key })).status).toBe(409);
    await fireEvent(key);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['subscription.disabled']);
  });

  it('is free a week after the config has left it out', async () => {
    await start();
    const { token: key } = await world.makeKey(['read', 'subscribe']);
    const [renamed] = world.embedded.config.subscriptions;
    if (renamed === undefined) throw new Error('expected a subscription');
    await declareSubscriptions(world.embedded, [{ ...renamed, renamedFrom: undefined }]);
    const add = () => world.ask('POST', '/subscriptions', own('billing'), { key });
    expect((await add()).status).toBe(409);
    world.advance(8 * DAY);
    expect((await add()).status).toBe(201);
  });
});
