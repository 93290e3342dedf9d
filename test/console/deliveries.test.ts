/** Deliveries in the console: failed first, filters, retries with a count beforehand, one delivery, and read-only sessions. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { replay } from '../../core/delivery/replay.ts';
import { DAY, HOUR, MINUTE } from '../../core/model/time.ts';
import { taskEvent } from '../manage/api-world.ts';
import { delivery, event, NOON } from '../samples.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
const csrf = () => browser.csrf('/console/deliveries');

beforeAll(async () => {
  world = await startConsoleWorld();
  const { embedded, receiver } = world;
  await world.record(taskEvent('good'), taskEvent('bad-1'), taskEvent('bad-2'));
  const declared = await embedded.subscriptions.get('declared');
  if (declared === undefined) throw new Error('no subscription');
  const ports = { ...embedded, channels: channelRegistry };
  const [good, ...bad] = await embedded.events.getMany(['evt_good', 'evt_bad-1', 'evt_bad-2']);
  if (good === undefined) throw new Error('no event');
  await replay(ports, declared, [good]);
  await world.pump();
  world.advance(MINUTE);
  receiver.status = 500;
  await replay(ports, declared, bad);
  for (let hour = 0; hour < 200; hour += 1) {
    await world.pump();
    world.advance(HOUR);
  }
  receiver.status = 200;
  world.advance(DAY);
  browser = await world.logInAs();
});
afterAll(() => world.stop());

const failedIds = async () => (await world.api.deliveries.list({ status: 'failed', limit: 10 })).map(({ id }) => id);

describe('the list of deliveries', () => {
  it('shows failed ones first, then the latest', async () => {
    const { text } = await browser.get('/console/deliveries');
    expect(await failedIds()).toHaveLength(2);
    const [failed, latest, bad, good] = ['<h2>Failed</h2>', '<h2>Latest</h2>', 'Task bad-1', 'Task good'].map((part) =>
      text.indexOf(part),
    );
    expect([failed, bad, latest, good]).toEqual([failed, bad, latest, good].toSorted((a = 0, b = 0) => a - b));
    expect(failed).toBeGreaterThan(0);
  });

  it('keeps its filters in the address', async () => {
    const { text } = await browser.get('/console/deliveries?status=settled&subscription=declared');
    expect(text).toContain('Task good');
    expect(text).not.toContain('Task bad-1');
    expect(text).toContain('<option value="settled" selected="">');
    expect((await browser.get('/console/deliveries?subscription=unknown')).status).toBe(404);
  });

  it('ignores a position that no list has returned', async () => {
    const { status, text } = await browser.get("/console/deliveries?after=';drop%20table--%00");
    expect(status).toBe(200);
    expect(text).toContain('<h2>Failed</h2>');
  });

  it('says what to do while there is nothing', async () => {
    const { text } = await browser.get('/console/deliveries?status=held');
    expect(text).toContain('No such deliveries');
    expect(text).toContain('Show all deliveries');
  });
});

describe('one delivery', () => {
  it('shows each attempt with the response, its event and its message', async () => {
    const [id = ''] = await failedIds();
    const { text } = await browser.get(`/console/deliveries/${id}`);
    expect(text).toContain('Attempt 2</b>');
    expect(text).toMatch(/Its id at the receiver: <code>req-\d+<\/code>/);
    expect(text).toContain('seen');
    expect(text).toContain('What is sent, as JSON');
    expect(text).toContain('Retry now');
    expect((await browser.get('/console/deliveries/dlv_unknown')).status).toBe(404);
  });
});

describe('retries', () => {
  it('count selected deliveries beforehand, and change nothing until they are confirmed', async () => {
    const ids = await failedIds();
    const fields = new URLSearchParams([
      ['csrf', await csrf()],
      ['what', 'selected'],
      ...ids.map((id): [string, string] => ['id', id]),
    ]);
    const asked = await browser.send('/console/deliveries/retry', {
      method: 'POST',
      body: fields,
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(asked.text).toContain('Retry 2 deliveries?');
    expect(await failedIds()).toEqual(ids);
    const none = await browser.post('/console/deliveries/retry', { csrf: await csrf(), what: 'selected' });
    expect(none.text).toContain('Nothing selected');
  });

  it('retry all failed ones, count them per subscription, and write one entry into the audit trail', async () => {
    const before = world.receiver.received.length;
    const form = { csrf: await csrf(), what: 'all', status: 'failed', subscription: '' };
    const asked = await browser.post('/console/deliveries/retry', form);
    expect(asked.text).toMatch(/declared<\/bdi><\/dt><dd>2 deliveries/);
    const { status, location } = await browser.post('/console/deliveries/retry', { ...form, confirmed: 'yes' });
    expect([status, location]).toEqual([303, '/console/deliveries?done=retried&count=2']);
    expect((await browser.get(location ?? '')).text).toContain('2 deliveries are being tried again.');
    await world.pump();
    expect(world.receiver.received.length).toBe(before + 2);
    expect(await failedIds()).toEqual([]);
    expect((await browser.get('/console/audit')).text).toContain('retried deliveries of');
    const again = await browser.post('/console/deliveries/retry', form);
    expect(again.text).toContain('Nothing to retry');
  });

  it('of one that was accepted in between say so', async () => {
    const [settled] = await world.api.deliveries.list({ status: 'settled', limit: 1 });
    const { status, text } = await browser.post(`/console/deliveries/${settled?.id}/retry`, { csrf: await csrf() });
    expect(status).toBe(409);
    expect(text).toContain('cannot be retried');
  });

  it('retry a very large number in parts, and say that more are left', async () => {
    const failed = Array.from({ length: 10_101 }, (_, index) => ({
      event: event(`many-${index}`),
      deliveries: [delivery(`many-${index}`, 'declared', { status: 'failed', dueAt: null, settledAt: NOON })],
    }));
    await world.api.events.record(failed);
    const form = { csrf: await csrf(), what: 'all', status: 'failed', subscription: 'declared' };
    const asked = await browser.post('/console/deliveries/retry', form);
    expect(asked.text).toContain('Retry 10,000 deliveries or more?');
    const first = await browser.post('/console/deliveries/retry', { ...form, confirmed: 'yes' });
    expect((await browser.get(first.location ?? '')).text).toContain(
      '10,000 deliveries are being tried again. More are left',
    );
    const second = await browser.post('/console/deliveries/retry', { ...form, confirmed: 'yes' });
    expect((await browser.get(second.location ?? '')).text).toContain('101 deliveries are being tried again.<');
  });
});

describe('a read-only session', () => {
  it('sees everything, has no forms that change anything, and cannot send one', async () => {
    const reader = await world.logInAs('read');
    for (const path of ['/deliveries', '/subscriptions', '/subscriptions/declared', '/audit', '/keys']) {
      const { status, text } = await reader.get(`/console${path}`);
      expect([path, status]).toEqual([path, 200]);
      const forms = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"/g)].map(([, action]) => action);
      expect([path, forms]).toEqual([path, ['/console/log-out']]);
    }
    const token = await reader.csrf('/console/deliveries');
    for (const path of [
      '/deliveries/retry',
      '/subscriptions/declared/pause',
      '/subscriptions/declared/test',
      '/keys',
    ]) {
      const { status } = await reader.post(`/console${path}`, { csrf: token, what: 'all', name: 'x', scopes: 'read' });
      expect([path, status]).toEqual([path, 403]);
    }
    expect((await world.ask('GET', '/subscriptions/declared')).body.active).toBe(true);
  });
});
