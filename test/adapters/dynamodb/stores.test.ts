/** Behaviour of the DynamoDB stores beyond the contract of all stores. */

import { type AttributeValue, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromItem, toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { toSeconds } from '../../../adapters/dynamodb/timeline.ts';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { type Delivery, deliveryId, openDelivery, openGroup } from '../../../core/model/delivery.ts';
import { DAY, fixedClock, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { EventPage } from '../../../core/ports/event-store.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { delivery, event, NOON, snapshot, subscription } from '../../samples.ts';
import { failOnce } from './faults.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { tickingClock } from './ticking-clock.ts';

const RETENTION = 90 * DAY;

let tables: LocalTables;
let table: string;
let names: { readonly snapshots: string; readonly ledger: string };
let stores: DatabaseStores;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  names = await tables.create();
  table = names.ledger;
  stores = dynamoStores({ client: tables.client, tables: names, retention: RETENTION, clock: tickingClock() });
});

async function item(pk: string, sk: string): Promise<Record<string, unknown> | undefined> {
  const { Item } = await tables.client.send(new GetItemCommand({ TableName: table, Key: toItem({ pk, sk }) }));
  return Item === undefined ? undefined : fromItem(Item);
}

async function partition(pk: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await tables.client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: toItem({ ':pk': pk }),
    }),
  );
  return Items.map(fromItem);
}

it('lists the events of two processes that record parts of the same changes in the same millisecond', async () => {
  const announce = (...ids: readonly string[]) => ids.map((id) => ({ event: event(id), deliveries: [] }));
  const open = () =>
    dynamoStores({ client: tables.client, tables: names, retention: RETENTION, clock: fixedClock(NOON) });
  await open().events.record(announce('1', '2', '3'));
  await open().events.record(announce('1'));
  const { events } = await open().events.list({ limit: 10 });
  expect(events.map(({ id }) => id).sort()).toEqual(['evt_1', 'evt_2', 'evt_3']);
});

/** Closing a task causes three events. */
const closing = deriveEvents({
  before: snapshot('7', { record: { id: '7', title: 'Poster', status: 'Open', statusid: '1', dateclosed: null } }),
  after: snapshot('7', {
    version: 2,
    record: { id: '7', title: 'Poster', status: 'Closed', statusid: '7', dateclosed: '2026-11-14' },
    stage: { closed: true },
  }),
});

describe('events of one transition', () => {
  it('share one item, and each is read unchanged', async () => {
    expect(closing.length).toBeGreaterThan(1);
    const [first, second] = closing;
    await stores.events.record(closing.map((event) => ({ event, deliveries: [] })));
    expect(await stores.events.getMany(closing.map(({ id }) => id).reverse())).toEqual(closing.toReversed());
    expect(await stores.events.get(second?.id ?? '')).toEqual(second);
    expect((await stores.events.list({ limit: 9 })).events).toEqual(closing);
    expect((await stores.events.list({ limit: 9, subject: 'task/7' })).events).toEqual(closing);
    expect(Object.keys((await item(second?.id ?? '', 'event')) ?? {}).sort()).toEqual(['expiresAt', 'of', 'pk', 'sk']);
    expect(await item(first?.id ?? '', 'event')).toMatchObject({ type: first?.type, source: 'main', list: 'task/7' });
  });

  it('are read from any cursor between them', async () => {
    await stores.events.record(closing.map((event) => ({ event, deliveries: [] })));
    for (const query of [{}, { subject: 'task/7' }]) {
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await stores.events.list({ limit: 1, ...query, ...(after === undefined ? {} : { after }) });
        if (page.events.length === 0) break;
        seen.push(...page.events.map(({ id }) => id));
        after = page.cursor;
      }
      expect(seen).toEqual(closing.map(({ id }) => id));
    }
  });

  it('include those that a later config adds', async () => {
    const [first, ...rest] = closing;
    if (first === undefined) throw new Error('nothing was derived');
    await stores.events.record([{ event: first, deliveries: [] }]);
    const late = rest.map((event) => ({ event, deliveries: [openDelivery(event, 'ops', NOON)] }));
    await stores.events.record([{ event: first, deliveries: [] }, ...late]);
    expect((await stores.events.list({ limit: 9 })).events.map(({ id }) => id)).toEqual(closing.map(({ id }) => id));
    for (const { event, deliveries } of late) expect(await stores.deliveries.listByEvent(event.id)).toEqual(deliveries);
  });

  it('are read unchanged when they differ only by type, or contain what cannot be derived', async () => {
    const odd = event('1', {
      dataschema: 'other:/schema',
      source: '/tidings',
      test: true,
      data: {
        ...event('1').data,
        record: { id: '1', gone: 'now there' },
        previous: { title: 'not what changed' },
        changes: [
          { field: 'gone', from: 'x', to: null },
          { field: 'title', from: null, to: 'y' },
        ],
        details: { people: ['1'] },
        by: { id: '4', name: null },
      },
    });
    await stores.events.record([{ event: odd, deliveries: [] }]);
    expect(await stores.events.get('evt_1')).toEqual(odd);
  });

  it.each([
    ['5,000 assignees', 5000, ['assignee']],
    ['1,000 people in each of three parts', 1000, ['assignee', 'owner', 'follower']],
  ])('fit one item when %s are all replaced', async (_, count, parts) => {
    const peopleFrom = (first: number) => {
      const ids = Array.from({ length: count }, (_, n) => first + n);
      const fields = parts.flatMap((part) => [
        [`${part}id`, ids.join(',')],
        [`${part}s`, ids.map((id) => `Ann Vogt ${id}`).join(',')],
      ]);
      return { id: '7', title: 'Poster', ...Object.fromEntries(fields) };
    };
    const at = (version: number, first: number) =>
      snapshot('7', { version, record: cleanRow(workResourceOf('task'), peopleFrom(first)).fields });
    const derived = deriveEvents({ before: at(1, 1_000_000), after: at(2, 2_000_000) });
    expect(derived.map(({ type }) => type)).toContain('task.unassigned');
    await stores.events.record(derived.map((event) => ({ event, deliveries: [] })));
    expect((await stores.events.list({ limit: 9 })).events).toEqual(derived);
  });
});

describe('the timeline', () => {
  it('keeps the order over many batches and months, and continues from any cursor', async () => {
    const clock = { now: () => now };
    let now = '2026-09-30T23:59:59.000Z';
    const long = dynamoStores({ client: tables.client, tables: names, retention: RETENTION, clock });
    for (let batch = 0; batch < 5; batch++) {
      const ids = Array.from({ length: 3 }, (_, n) => `${batch}${n}`);
      await long.events.record(
        ids.map((id) => ({ event: event(id, { time: now }), deliveries: [delivery(id, 'ops')] })),
      );
      now = plus(now, batch < 2 ? 0 : 20 * DAY);
    }
    const all = Array.from({ length: 5 }, (_, batch) => [0, 1, 2].map((n) => `evt_${batch}${n}`)).flat();
    expect((await long.events.list({ limit: 99 })).events.map(({ id }) => id)).toEqual(all);
    const { cursor } = await long.events.list({ limit: 7 });
    const rest = await long.events.list({ limit: 99, ...(cursor === undefined ? {} : { after: cursor }) });
    expect(rest.events.map(({ id }) => id)).toEqual(all.slice(7));
    const since = await long.events.list({ limit: 99, since: '2026-10-01T00:00:00.000Z' });
    expect(since.events.map(({ id }) => id)).toEqual(all.slice(9));
    const newest = await long.deliveries.list({ limit: 4 });
    expect(newest.map(({ events }) => events[0])).toEqual(all.slice(-4));
    const oldest = await long.deliveries.list({ limit: 4, end: 'oldest' });
    expect(oldest.map(({ events }) => events[0])).toEqual(all.slice(0, 4));
  });

  it('has no size limit, and finds settled deliveries among the others', async () => {
    const many = Array.from({ length: 230 }, (_, n) => String(n).padStart(3, '0'));
    await stores.events.record(
      many.map((id) => ({ event: event(id), deliveries: [delivery(id, 'ops'), delivery(id, 'crm')] })),
    );
    expect((await stores.events.list({ limit: 999 })).events.map(({ id }) => id)).toEqual(
      many.map((id) => `evt_${id}`),
    );
    for (const id of ['004', '117']) {
      const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'accepted' as const }];
      await stores.deliveries.saveAttempt({ ...delivery(id, 'crm'), status: 'settled', dueAt: null, attempts });
    }
    const settled = await stores.deliveries.list({ status: 'settled', subscription: 'crm', limit: 9 });
    expect(settled.map(({ events }) => events[0])).toEqual(['evt_004', 'evt_117']);
    expect(await stores.deliveries.list({ status: 'settled', subscription: 'ops', limit: 9 })).toEqual([]);
    const pending = await stores.deliveries.list({ status: 'pending', limit: 999 });
    expect(pending).toHaveLength(458);
    expect(await stores.agenda.due('2027-01-01T00:00:00.000Z', 300)).toHaveLength(300);
  });

  const openAt = (now: string, client = tables.client) =>
    dynamoStores({ client, tables: names, retention: RETENTION, clock: tickingClock(now) });
  const idsOf = ({ events }: EventPage) => events.map(({ id }) => id);
  const goOn = (from: DatabaseStores, { cursor }: EventPage, query: object = {}) =>
    from.events.list({ limit: 9, ...query, ...(cursor === undefined ? {} : { after: cursor }) });

  it('has the deliveries of a key with many subscriptions where readers of events do not read them', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `s${n}`);
    const record = (id: string, subscriptions: readonly string[]) => {
      const deliveries = subscriptions.map((name) => delivery(id, name));
      return stores.events.record([{ event: event(id), deliveries }]);
    };
    await record('1', ['ops']);
    await record('2', names);
    await record('3', ['ops']);
    const ofEvents = await partition('timeline#2026-11');
    expect(ofEvents.map(({ events, deliveries }) => [events, (deliveries as unknown[]).length])).toEqual([
      [['evt_1'], 1],
      [['evt_2'], 0],
      [['evt_3'], 1],
    ]);
    expect(idsOf(await stores.events.list({ limit: 9 }))).toEqual(['evt_1', 'evt_2', 'evt_3']);
    // Readers of deliveries find them in the order in which they were recorded.
    const [first, ...middle] = (await stores.deliveries.list({ limit: 999, end: 'oldest' })).map(
      ({ events }) => events[0],
    );
    expect([first, middle.pop(), new Set(middle), middle.length]).toEqual(['evt_1', 'evt_3', new Set(['evt_2']), 250]);
    const seen: string[] = [];
    for (let after: string | undefined, isEnd = false; !isEnd; ) {
      const page = await stores.deliveries.page({ limit: 60, after });
      seen.push(...page.deliveries.map(({ id }) => id));
      after = page.cursor;
      isEnd = after === undefined;
    }
    expect([seen.length, new Set(seen).size]).toEqual([252, 252]);
  });

  it('skips a batch that is being recorded, and returns it from the cursor later', async () => {
    await stores.events.record([{ event: event('1'), deliveries: [] }]);
    const [batch] = await partition('timeline#2026-11');
    // Another process has written the batch, but not its events yet.
    const name = `${NOON}-00009-ffff`;
    const unfinished = { ...batch, sk: name, events: ['evt_8', 'evt_9'], deliveries: [] };
    await tables.client.send(new PutItemCommand({ TableName: table, Item: toItem(unfinished) }));
    const put = async (id: string, n: number) => {
      const kept = await item('evt_1', 'event');
      const Item = toItem({ ...kept, pk: id, place: `${name}#00${n}` });
      await tables.client.send(new PutItemCommand({ TableName: table, Item }));
    };
    await put('evt_8', 0);
    await stores.events.record([{ event: event('2'), deliveries: [] }]);
    const page = await stores.events.list({ limit: 9 });
    expect(idsOf(page)).toEqual(['evt_1', 'evt_2']);
    expect(await goOn(stores, page)).toEqual({ events: [], cursor: page.cursor, more: false });
    // Other events are recorded meanwhile.
    const later = openAt(plus(NOON, 3 * MINUTE));
    await later.events.record([{ event: event('3'), deliveries: [] }]);
    const next = await goOn(stores, page);
    expect(idsOf(next)).toEqual(['evt_3']);
    await put('evt_9', 1);
    expect(idsOf(await goOn(stores, next))).toEqual(['evt_8', 'evt_9']);
    expect(idsOf(await stores.events.list({ limit: 9 }))).toEqual(['evt_1', 'evt_8', 'evt_9', 'evt_2', 'evt_3']);
  });

  it('returns the events of an interrupted batch once no more can be written', async () => {
    await stores.events.record([{ event: event('1'), deliveries: [] }]);
    const [batch] = await partition('timeline#2026-11');
    const broken = { ...batch, events: ['evt_1', 'evt_9'] };
    await tables.client.send(new PutItemCommand({ TableName: table, Item: toItem(broken) }));
    expect(idsOf(await stores.events.list({ limit: 9 }))).toEqual([]);
    expect(idsOf(await openAt(plus(NOON, 2 * MINUTE)).events.list({ limit: 9 }))).toEqual(['evt_1']);
  });

  it.each([
    ['all', {}],
    ['one subject', { subject: 'task/1' }],
  ])(
    'returns each event once to a reader of %s, including one that is named first and written last',
    async (_, query) => {
      const of = (id: string) => event(id, { subject: 'task/1' });
      const slow = tables.connect();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isHeld = true;
      slow.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            if (commandName === 'PutItemCommand' && isHeld) await held;
            isHeld = false;
            return next(args);
          },
        { step: 'initialize' },
      );
      const first = openAt(NOON, slow).events.record([{ event: of('1'), deliveries: [] }]);
      const other = openAt(plus(NOON, 20 * SECOND));
      await other.events.record(['2', '3', '4'].map((id) => ({ event: of(id), deliveries: [] })));
      const seen: string[] = [];
      let page = await other.events.list({ limit: 2, ...query });
      seen.push(...idsOf(page));
      release();
      await first;
      slow.destroy();
      for (;;) {
        page = await goOn(other, page, { limit: 2, ...query });
        if (page.events.length === 0) break;
        seen.push(...idsOf(page));
      }
      expect(seen).toEqual(['evt_2', 'evt_3', 'evt_1', 'evt_4']);
    },
  );

  it('has a cursor of limited size', async () => {
    const clock = { now: () => now };
    let now = NOON;
    const long = dynamoStores({ client: tables.client, tables: names, retention: RETENTION, clock });
    for (let n = 0; n < 40; n++) {
      await long.events.record([{ event: event(String(n)), deliveries: [] }]);
      now = plus(now, 20 * SECOND);
    }
    const whole = await long.events.list({ limit: 99 });
    expect(whole.events).toHaveLength(40);
    expect(whole.cursor?.length).toBeLessThan(250);
  });
});

describe('deliveries', () => {
  it('opened later for an existing event are found by the event', async () => {
    const first = delivery('1', 'ops');
    const replayed: Delivery = { ...first, id: deliveryId('replay', 'evt_1', 'ops', NOON), mark: 'replay' };
    await stores.events.record([{ event: event('1'), deliveries: [first] }]);
    await stores.events.record([{ event: event('1'), deliveries: [replayed] }]);
    expect(await stores.deliveries.listByEvent('evt_1')).toEqual([first, replayed]);
    expect((await stores.events.list({ limit: 9 })).events).toHaveLength(1);
  });

  it('listed by status include all subscriptions, in the order of recording', async () => {
    const held = [delivery('1', 'zeta'), delivery('2', 'alpha'), delivery('3', 'zeta')].map((one) => ({
      ...one,
      status: 'held' as const,
      dueAt: null,
    }));
    await stores.events.record(held.map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
    const ids = async (query: object) =>
      (await stores.deliveries.list({ status: 'held', limit: 2, ...query })).map(({ events }) => events[0]);
    expect(await ids({})).toEqual(['evt_2', 'evt_3']);
    expect(await ids({ end: 'oldest' })).toEqual(['evt_1', 'evt_2']);
    expect(await ids({ subscription: 'zeta' })).toEqual(['evt_1', 'evt_3']);
    expect(await ids({ subscription: 'zet' })).toEqual([]);
  });

  it('of 2,000 events fit one item', async () => {
    const ids = Array.from({ length: 2000 }, (_, n) => `evt_${String(n).padStart(32, '0')}`);
    const member = delivery('1', 'team', { status: 'waiting' });
    const group = { ...openGroup([member], NOON), events: ids };
    expect(await stores.deliveries.gather(group, [])).toEqual(group);
    expect(await stores.deliveries.get(group.id)).toEqual(group);
  });
});

describe('expiry', () => {
  const seconds = (instant: string) => toSeconds(instant);

  it('events expire after their retention, and deliveries only when they are finished', async () => {
    const opening = delivery('1', 'ops');
    await stores.events.record([{ event: event('1', { time: NOON }), deliveries: [opening] }]);
    expect((await item('evt_1', 'event'))?.expiresAt).toBe(seconds(plus(NOON, RETENTION)));
    expect((await item(opening.id, 'delivery'))?.expiresAt).toBeUndefined();
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'accepted' as const }];
    await stores.deliveries.saveAttempt({ ...opening, status: 'settled', dueAt: null, attempts });
    expect((await item(opening.id, 'delivery'))?.expiresAt).toBe(seconds(plus(NOON, RETENTION)));
    const [batch] = await partition('timeline#2026-11');
    expect(Number(batch?.expiresAt)).toBeGreaterThan(seconds(plus(NOON, RETENTION)));
  });

  it('held deliveries expire, released ones do not', async () => {
    const opening = delivery('1', 'ops');
    const held: Delivery = { ...opening, status: 'held', dueAt: null };
    await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
    await stores.deliveries.update(opening, held);
    expect((await item(opening.id, 'delivery'))?.expiresAt).toBe(seconds(plus(NOON, RETENTION)));
    await stores.deliveries.update(held, opening);
    expect((await item(opening.id, 'delivery'))?.expiresAt).toBeUndefined();
  });

  it('an event is kept while it is being delivered, with those that share its item', async () => {
    const [first, second] = closing;
    if (first === undefined || second === undefined) throw new Error('too little was derived');
    const opening = openDelivery(second, 'ops', NOON);
    await stores.events.record(closing.map((event) => ({ event, deliveries: event === second ? [opening] : [] })));
    const dueAt = plus(NOON, RETENTION - HOUR);
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' as const }];
    await stores.deliveries.saveAttempt({ ...opening, dueAt, attempts });
    for (const { id } of [first, second]) {
      expect((await item(id, 'event'))?.expiresAt).toBe(seconds(plus(dueAt, 2 * DAY)));
    }
  });

  it('an old event is kept while it is replayed', async () => {
    const old = event('1', { time: plus(NOON, -RETENTION + HOUR) });
    await stores.events.record([{ event: old, deliveries: [] }]);
    const replayed: Delivery = { ...openDelivery(old, 'ops', NOON), id: deliveryId('replay', old.id), mark: 'replay' };
    await stores.events.record([{ event: old, deliveries: [replayed] }]);
    expect(Number((await item('evt_1', 'event'))?.expiresAt)).toBeGreaterThan(seconds(plus(NOON, DAY)));
    // The last of its ten attempts is made three days later.
    const dueAt = plus(NOON, 3 * DAY);
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' as const }];
    await stores.deliveries.saveAttempt({ ...replayed, dueAt, attempts });
    expect(Number((await item('evt_1', 'event'))?.expiresAt)).toBeGreaterThan(seconds(dueAt));
  });

  it('events that are replayed are not written again, because a refused write is billed by its size', async () => {
    await stores.events.record(closing.map((one) => ({ event: one, deliveries: [] })));
    const client = tables.connect();
    const written: string[] = [];
    client.middlewareStack.add((next) => async (args) => {
      const { Item } = args.input as { readonly Item?: Readonly<Record<string, AttributeValue>> };
      if (Item !== undefined) written.push(`${Item.pk?.S} ${Item.sk?.S}`);
      return next(args);
    });
    const later = dynamoStores({ client, tables: names, retention: RETENTION, clock: tickingClock() });
    const replays = closing.map((one) => ({
      event: one,
      deliveries: [{ ...openDelivery(one, 'ops', NOON), id: `dlv_${one.id}`, mark: 'replay' as const }],
    }));
    await later.events.record(replays);
    client.destroy();
    const ids = closing.map(({ id }) => id);
    // The item of the first has the events of all.
    expect(written.length).toBeGreaterThan(ids.length);
    expect(written).not.toContain(`${ids[0]} event`);
    expect(await stores.events.getMany(ids)).toEqual(closing);
    for (const id of ids) expect((await stores.deliveries.listByEvent(id)).map((one) => one.id)).toEqual([`dlv_${id}`]);
  });

  it('old events are kept while their group is delivered', async () => {
    const old = ['1', '2'].map((id) => event(id, { time: plus(NOON, -RETENTION + HOUR) }));
    const [first, second] = old.map((one) => openDelivery(one, 'team', plus(one.time, MINUTE), NOON));
    if (first === undefined || second === undefined) throw new Error('too little was opened');
    await stores.events.record(old.map((event, n) => ({ event, deliveries: n === 0 ? [first] : [second] })));
    const group = await stores.deliveries.gather(openGroup([first, second], NOON), [first, second]);
    const dueAt = plus(NOON, 3 * DAY);
    await stores.deliveries.saveAttempt({
      ...group,
      dueAt,
      attempts: [{ number: 1, at: NOON, ms: 1, outcome: 'retry' }],
    });
    for (const { id } of old) expect(Number((await item(id, 'event'))?.expiresAt)).toBeGreaterThan(seconds(dueAt));
  });

  it('the events of a finished group are not read, because hundreds of reads would be billed', async () => {
    const [first, second] = ['1', '2'].map((id) => openDelivery(event(id), 'team', NOON, NOON));
    if (first === undefined || second === undefined) throw new Error('too little was opened');
    await stores.events.record([first, second].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
    const group = await stores.deliveries.gather(openGroup([first, second], NOON), [first, second]);
    const client = tables.connect();
    const calls = failOnce(client, -1, 'before');
    const watched = dynamoStores({ client, tables: names, retention: RETENTION, clock: tickingClock() });
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'accepted' as const }];
    expect(
      await watched.deliveries.saveAttempt({ ...group, status: 'settled', dueAt: null, settledAt: NOON, attempts }),
    ).toBe(true);
    expect(calls.count()).toBe(1);
    client.destroy();
  });
});

describe('subscriptions', () => {
  it('are the same whatever the order of their names', async () => {
    const one = subscription('a', { where: { source: ['/sources/main'], type: [{ prefix: 'task.' }] } });
    await stores.subscriptions.applyDeclared([one]);
    const turned = Object.fromEntries(Object.entries(one).reverse()) as typeof one;
    expect((await stores.subscriptions.applyDeclared([turned])).changed).toEqual([]);
  });

  it('stay the same objects until they change, so that their filters are compiled once', async () => {
    const where = { subject: ['task/1'] };
    await stores.subscriptions.add(subscription('a', { where, declared: false }));
    await stores.subscriptions.add(subscription('b', { declared: false }));
    const [a, b] = await stores.subscriptions.list();
    const again = await stores.subscriptions.list();
    expect(again[0]).toBe(a);
    expect(again[1]).toBe(b);
    // The new one has the version of the removed one.
    await stores.subscriptions.remove('a');
    const remade = subscription('a', { where: { subject: ['task/2'] }, declared: false });
    await stores.subscriptions.add(remade);
    const [second, other] = await stores.subscriptions.list();
    expect(second).toEqual(remade);
    expect(other).toBe(b);
  });
});

it('returns nothing else for the text of a caller: neither for an id nor for a subject', async () => {
  const failed = delivery('1', 'ops', { status: 'failed', dueAt: null, settledAt: NOON });
  await stores.events.record([{ event: event('1'), deliveries: [failed] }]);
  for (const name of ['event', 'delivery']) await stores.subscriptions.save(subscription(name));
  expect(await stores.events.get('subscriptions')).toBeUndefined();
  expect(await stores.events.getMany(['subscriptions', 'evt_1'])).toEqual([event('1')]);
  expect(await stores.deliveries.get('subscriptions')).toBeUndefined();
  expect(await stores.deliveries.get('subscriptions', true)).toBeUndefined();
  const before = countRequests();
  for (const first of ['oldest', 'newest'] as const) {
    const page = await stores.events.list({ limit: 9, subject: 'delivery#failed', first });
    expect(page).toEqual({ events: [], cursor: undefined, more: false });
  }
  expect(before()).toBe(0);
});

/** Returns how many requests were made since. */
function countRequests(): () => number {
  let requests = 0;
  tables.client.middlewareStack.add(
    (next) => (args) => {
      requests += 1;
      return next(args);
    },
    { step: 'initialize' },
  );
  return () => requests;
}
