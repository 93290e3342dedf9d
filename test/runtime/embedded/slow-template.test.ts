/** A template that is slow on real records: it is rendered beside the loop that delivers, left out, and at last pauses its subscription. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { sayEvent } from '../../../core/events/catalogue.ts';
import { findAdvice } from '../../../core/messages/advice.ts';
import { fromMillis, MINUTE } from '../../../core/model/time.ts';
import { jobFor } from '../../../core/ports/queue.ts';
import { resumeSubscription } from '../../../core/subscriptions/verbs.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { announceAll, deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { cpuMillis } from '../../cpu-time.ts';
import { startReceiver } from '../../manage/api-world.ts';
import { delivery, event, SECRET, subscription } from '../../samples.ts';

const LOOPS =
  '{% for i in (1..900) %}{% for j in (1..900) %}{% assign x = j | plus: 1 | minus: i %}{% endfor %}{% endfor %}x';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let embedded: Embedded;
let now: number;
let database: ReturnType<typeof openDatabase>;

beforeEach(async () => {
  receiver = await startReceiver();
  now = Date.now();
  const config = parseTree(
    'test',
    {
      source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    },
    {},
  );
  database = openDatabase(':memory:');
  const clock = { now: () => fromMillis(now) };
  const options = { config, database, environment: { OPS: SECRET }, clock, holder: 'test', random: () => 0.5 };
  embedded = await openEmbedded({ ...options, usesThreads: true });
  await saveTemplate(LOOPS);
});

afterEach(async () => {
  await embedded.close();
  await receiver.stop();
});

const saveTemplate = (text: string) => {
  const to = { channel: 'http', settings: { url: receiver.url, secret: '${OPS}' } };
  return embedded.subscriptions.save(subscription('slow', { declared: false, to, template: { body: { text } } }));
};

/** Makes the first attempt of a new delivery. Returns it afterwards. */
async function deliverOne(id: string) {
  const open = delivery(id, 'slow', { createdAt: fromMillis(now), dueAt: fromMillis(now) });
  await embedded.events.record([{ event: event(id), deliveries: [open] }]);
  await embedded.queue.send([jobFor(open)], fromMillis(now));
  await deliverAll(embedded, {});
  return embedded.deliveries.get(open.id);
}

describe('a template that is slow on real records', () => {
  it('does not block the loop that delivers, and the default message is sent with the reason', async () => {
    // Loads what every delivery needs.
    await saveTemplate('ok');
    await deliverOne('0');
    await saveTemplate(LOOPS);
    const begun = cpuMillis();
    const sent = await deliverOne('1');
    const took = cpuMillis() - begun;
    expect(sent).toMatchObject({
      status: 'settled',
      attempts: [{ outcome: 'accepted', message: expect.stringMatching(/^template.body(.text)?: .*within 250 ms/) }],
    });
    expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([undefined, 'evt_1']);
    // It takes half a second, twice the limit.
    expect(took).toBeLessThan(250);
  });

  it('is left out for ten minutes, and pauses its subscription when it stays slow', async () => {
    await deliverOne('1');
    expect((await deliverOne('2'))?.attempts[0]?.message).toMatch(
      /^template: it took longer than 250 ms, and is tried again after/,
    );
    expect(await readHealth(embedded, 'slow')).toMatchObject({ state: 'ok', slowTemplates: 1 });
    for (const id of ['3', '4']) {
      now += 11 * MINUTE;
      await deliverOne(id);
    }
    expect(await readHealth(embedded, 'slow')).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('its template keeps taking longer than 250 ms'),
    });
    // The trail and an event say so: nobody has asked for it.
    const { entries } = await embedded.audit.page({ limit: 9 });
    expect(entries).toMatchObject([
      {
        action: 'subscription.paused',
        target: 'subscription/slow',
        by: { kind: 'service', id: 'tidings' },
        details: { because: expect.stringContaining('its template keeps taking longer') },
      },
    ]);
    await announceAll(embedded, {});
    const { events } = await embedded.events.list({ types: ['subscription.*'], limit: 9 });
    expect(events).toMatchObject([
      {
        type: 'subscription.disabled',
        subject: 'subscription/slow',
        data: { record: { state: 'paused', reason: expect.stringContaining('its template keeps taking longer') } },
      },
    ]);
    expect(events.map((one) => sayEvent(one))).toEqual([
      expect.stringMatching(/^Receiver `slow` is paused: its template keeps .*; pending messages are kept$/),
    ]);
    expect(events.map((one) => findAdvice(one))).toEqual([
      'Simplify its template; then `tidings subscriptions resume slow` sends the pending messages.',
    ]);
    expect(await deliverOne('5')).toMatchObject({ status: 'held' });
    await saveTemplate('ok');
    const ports = { ...embedded, randomBytes: (size: number) => new Uint8Array(size) };
    expect(await resumeSubscription(ports, { kind: 'command', id: 'ann' }, 'slow')).toBe(1);
    expect(await readHealth(embedded, 'slow')).toMatchObject({ state: 'ok', reason: null });
  });

  it('is forgotten after a good rendering', async () => {
    await deliverOne('1');
    await saveTemplate('ok');
    expect(await deliverOne('2')).toMatchObject({ status: 'settled', attempts: [{ outcome: 'accepted' }] });
    expect((await readHealth(embedded, 'slow')).slowTemplates).toBeUndefined();
  });
});
