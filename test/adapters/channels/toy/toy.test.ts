/** Adding a channel takes one folder and one line in the list of channels: here the line is added by a mock. */

import { afterEach, expect, it, vi } from 'vitest';
import type { ChannelDefinition } from '../../../../adapters/channels/definition.ts';
import { channelRegistry, describeAddress } from '../../../../adapters/channels/registry.ts';
import { type Database, openDatabase } from '../../../../adapters/sqlite/database.ts';
import { limitsOf } from '../../../../core/delivery/lanes.ts';
import { announce } from '../../../../core/events/announce.ts';
import { openDelivery } from '../../../../core/model/delivery.ts';
import { fixedClock, plus, SECOND } from '../../../../core/model/time.ts';
import { permissionsOf, referencesOf } from '../../../../runtime/config/aws-references.ts';
import { parseConfig } from '../../../../runtime/config/load.ts';
import { configJsonSchema } from '../../../../runtime/config/schema.ts';
import { openEmbedded } from '../../../../runtime/embedded/embedded.ts';
import { endpointCheck } from '../../../../runtime/inspect/check-endpoint.ts';
import { renderMessage } from '../../../../runtime/inspect/render.ts';
import { deliverJob } from '../../../deliver-job.ts';
import { event, NOON, snapshot } from '../../../samples.ts';
import { sent } from './definition.ts';

vi.mock(import('../../../../adapters/channels/index.ts'), async (original) => {
  const [{ CHANNELS }, { toyChannel }] = await Promise.all([original(), import('./definition.ts')]);
  const channels: readonly ChannelDefinition[] = [...CHANNELS, toyChannel];
  return { CHANNELS: channels as unknown as typeof CHANNELS };
});

const environment = { TOY_KEY: 'k-1', TOKEN: 't' };
const toy = (box = 'red') => ({ toy: { box, apiKey: '${TOY_KEY}' } });

function parse(to: object, change: object = {}) {
  const source = { baseUrl: 'https://work.example.com/api', token: '${TOKEN}' };
  const subscription = { name: 'kids', events: ['task.closed'], to, ...change };
  return parseConfig('toy.json', JSON.stringify({ source, subscriptions: [subscription] }), environment);
}

let database: Database | undefined;

async function openToy(config = parse(toy())) {
  database = openDatabase(':memory:');
  const clock = fixedClock(NOON);
  return openEmbedded({ config, database, environment, clock, holder: 'test', random: () => 0.5 });
}

afterEach(() => {
  sent.length = 0;
});

it('is configured under its name, and its problems have a path', () => {
  expect(parse(toy(), { gather: '10s' }).subscriptions[0]?.to).toEqual({ channel: 'toy', settings: toy().toy });
  expect(() => parse({ toy: { box: 'red' } })).toThrow('subscriptions[0].to.toy.apiKey: expected text');
  expect(() => parse(toy('shut'))).toThrow("subscriptions[0].to.toy.box: expected an open box, got 'shut'");
  expect(() => parse({})).toThrow(/expected exactly one of http, .*, toy/);
  expect(() => parse(toy(), { template: { html: 'x' } })).toThrow('template.html: expected only label, text for toy');
  expect(JSON.stringify(configJsonSchema())).toContain('A box of toys.');
});

it('gets an event through announce, SQLite and deliver', async () => {
  const embedded = await openToy();
  const before = snapshot('1');
  const record = { id: '1', title: 'Task 1', status: 'Closed', dateclosed: null };
  const after = snapshot('1', { version: 2, record, stage: { closed: true } });
  await announce(embedded, [{ before, after }]);
  const [delivery] = await embedded.deliveries.list({ limit: 9 });
  expect(delivery).toMatchObject({ subscription: 'kids', status: 'waiting', dueAt: plus(NOON, 30 * SECOND) });
  await deliverJob(embedded, { kind: 'attempt', delivery: delivery?.id ?? '', attempt: 1, group: 'kids' });
  expect(sent).toEqual([{ box: 'red', key: 'k-1', types: ['task.closed'] }]);
  await embedded.close();
});

it('is checked, rendered, limited and described', async () => {
  const config = parse(toy(), { template: { text: '{{ event.type }} {{ "*" }}', label: '{{ record.title }}\n!' } });
  const embedded = await openToy(config);
  const [subscription] = config.subscriptions;
  if (subscription === undefined) throw new Error('the config has a subscription');
  const check = endpointCheck({ config, secrets: embedded.secrets, clock: fixedClock(NOON) });
  expect(await check(subscription)).toMatchObject({ ok: true, finding: 'red is open', url: 'toy:red' });
  const message = { subscription, events: [event('1')] as const, delivery: 'dlv_1', at: NOON, timeZone: 'UTC' };
  expect(await renderMessage(message, { links: {} })).toMatchObject({
    channel: 'toy',
    byTemplate: ['label', 'text'],
    text: expect.stringMatching(/\\\*$/),
    label: 'Task 1 !',
    payload: { box: 'red', label: 'Task 1 !' },
  });
  expect(limitsOf(subscription, channelRegistry)).toMatchObject({ concurrency: 3, rate: { count: 2, per: 60_000 } });
  expect(describeAddress(subscription.to)).toBe('toy box red');
  await embedded.close();
});

it('has its secrets and permissions granted in AWS', () => {
  const config = parse(toy());
  expect(referencesOf(config).deliver).toEqual(['${TOY_KEY}']);
  expect(permissionsOf(config)).toMatchObject([{ action: 'toys:Put', name: 'red' }]);
});

it('can be listed in a build that does not know it, and its deliveries give up', async () => {
  const embedded = await openToy();
  const to = { channel: 'lost', settings: { box: 'blue' } };
  const stray = { name: 'stray', events: ['task.*'], to, declared: false };
  await embedded.subscriptions.save(stray);
  expect(await embedded.subscriptions.get('stray')).toEqual(stray);
  expect(database?.row("SELECT body FROM subscriptions WHERE name = 'stray'")?.[0]).toContain(
    '"to":{"lost":{"box":"blue"}}',
  );
  expect(describeAddress(to)).toBe('lost (unknown channel)');
  const delivery = openDelivery(event('1'), 'stray', NOON);
  await embedded.events.record([{ event: event('1'), deliveries: [delivery] }]);
  const delivered = await deliverJob(embedded, { kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'stray' });
  expect(delivered?.attempt).toMatchObject({ outcome: 'gave-up', code: 'TIDINGS_CHANNEL_UNKNOWN' });
  await embedded.close();
});

it('does not compile without one of its parts', async () => {
  const { toyChannel } = await import('./definition.ts');
  const { openProbe: _, ...rest } = toyChannel;
  // @ts-expect-error a definition without a probe
  const incomplete: ChannelDefinition = rest;
  expect(incomplete.openProbe).toBeUndefined();
});
