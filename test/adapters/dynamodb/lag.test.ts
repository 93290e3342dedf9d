/**
 * The stores on a table with lagging eventually consistent reads: the store contracts still hold, except for the few reads
 * listed in docs/tables.md that may be stale.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import { QUEUE_GRACE } from '../../../core/model/delivery.ts';
import { DAY, fixedClock, plus } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { declareSubscriptions } from '../../../core/subscriptions/declare.ts';
import { manifestStoreContract } from '../../contract/manifest-store.ts';
import { snapshotStoreContract } from '../../contract/snapshot-store.ts';
import { storeContracts } from '../../contract/stores.ts';
import { deliverJob } from '../../deliver-job.ts';
import { mapStores } from '../../map-stores.ts';
import { delivery, event, NOON, subscription } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { recordStream } from './recorded-stream.ts';
import { lagBehind, type Replica } from './replica.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

async function openLagging() {
  const names = await tables.create();
  const client = tables.connect();
  const stream = recordStream(client);
  const replica = await lagBehind(client, tables, names);
  const stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock: tickingClock() });
  return {
    replica,
    stream,
    stores,
    snapshots: stores.snapshots,
    manifests: stores.manifests,
    close: async () => client.destroy(),
  };
}

/** The same port. Updates the replica before reads or after writes that may be stale. */
function withMoments<T extends object>(
  port: T,
  replica: Replica,
  before: (method: string, args: readonly unknown[]) => boolean,
  after: (method: string) => boolean = () => false,
): T {
  return new Proxy(port, {
    get(target, method, receiver) {
      const act: unknown = Reflect.get(target, method, receiver);
      if (typeof act !== 'function') return act;
      return async (...args: unknown[]) => {
        if (before(String(method), args)) await replica.catchUp();
        const result: unknown = await Reflect.apply(act, target, args);
        if (after(String(method))) await replica.catchUp();
        return result;
      };
    },
  });
}

/** Whether this reads an index or the list of subscriptions. */
function mayLag(store: string, method: string, [query]: readonly unknown[]): boolean {
  if (store === 'events' && method === 'list') return Object.hasOwn(Object(query), 'subject');
  if (store === 'deliveries' && ['list', 'page'].includes(method)) return Object.hasOwn(Object(query), 'status');
  return (store === 'subscriptions' && method === 'list') || method === 'due';
}

/** An existing delivery may be stale, because every write is conditional. A new one must be found. */
const isChange = (store: string, method: string) =>
  store === 'agenda'
    ? method === 'postpone'
    : store === 'deliveries' && ['saveAttempt', 'update', 'rename', 'gather'].includes(method);

snapshotStoreContract('DynamoDB that lags', { history: 'not kept' }, async () => {
  const { snapshots, stream, replica, close } = await openLagging();
  return {
    // The proxy does not wrap generators. The list of open records is read from an index.
    store: {
      ...withMoments(snapshots, replica, (method) => method === 'due'),
      list: snapshots.list,
      async *listOpen(source, resource) {
        await replica.catchUp();
        yield* snapshots.listOpen(source, resource);
      },
    },
    changes: async () => stream.take().flatMap((record) => transitionFromRecord(record) ?? []),
    close,
  };
});

storeContracts('DynamoDB that lags', { expires: 'by itself' }, async () => {
  const { stores, replica, close } = await openLagging();
  const mapped = mapStores(stores, (store, name) =>
    withMoments(
      store,
      replica,
      (method, args) => mayLag(name, method, args),
      (method) => isChange(name, method),
    ),
  );
  return { stores: { ...stores, ...mapped }, close };
});

manifestStoreContract('DynamoDB that lags', openLagging);

/** Ports that these deliveries do not use. */
const FIXED = { channels: channelRegistry, random: () => 0.5, zoneOf: async () => 'UTC' };

describe('right after a write', () => {
  it('a delivery is attempted, with its event and for its subscription', async () => {
    const { stores, snapshots, close } = await openLagging();
    await stores.subscriptions.save(subscription('ops'));
    const opening = delivery('1', 'ops');
    await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
    const sent: string[] = [];
    const channelFor = () => ({
      async send({ events }: OutboundMessage) {
        sent.push(...events.map(({ id }) => id));
        return { status: 200, body: 'ok' };
      },
    });
    const job = { kind: 'attempt' as const, delivery: opening.id, attempt: 1, group: 'ops' };
    const delivered = await deliverJob({ ...FIXED, ...stores, snapshots, clock: tickingClock(), channelFor }, job);
    expect(delivered?.delivery.status).toBe('settled');
    expect(sent).toEqual(['evt_1']);
    await close();
  });

  it('a single waiting message is sent, although tick has postponed it', async () => {
    const { stores, snapshots, replica, close } = await openLagging();
    await stores.subscriptions.save(
      subscription('team', { to: { channel: 'email', settings: { to: ['ann@example.com'] } } }),
    );
    const waiting = delivery('1', 'team', { status: 'waiting', dueAt: NOON });
    await stores.events.record([{ event: event('1'), deliveries: [waiting] }]);
    await replica.catchUp();
    const [moment] = await stores.agenda.due(NOON, 1);
    if (moment === undefined) throw new Error('nothing is due');
    await stores.agenda.postpone(moment, plus(NOON, QUEUE_GRACE));
    const channelFor = () => ({ send: async () => ({ status: 200 }) });
    const job = { kind: 'attempt' as const, delivery: waiting.id, attempt: 1, group: 'team' };
    const delivered = await deliverJob({ ...FIXED, ...stores, snapshots, clock: tickingClock(), channelFor }, job);
    expect(delivered?.delivery).toMatchObject({ id: waiting.id, status: 'settled' });
    await close();
  });

  it('a deployment keeps a rotated secret', async () => {
    const { stores, replica, close } = await openLagging();
    const withSecret = (secret: string) =>
      subscription('ops', { to: { channel: 'http', settings: { url: 'https://ops.example.com/hook', secret } } });
    await stores.subscriptions.applyDeclared([withSecret('ssm:/first')]);
    await replica.catchUp();
    await stores.subscriptions.applyDeclared([withSecret('ssm:/second')]);
    await declareSubscriptions({ ...stores, clock: fixedClock(NOON), channels: channelRegistry }, [
      withSecret('ssm:/third'),
    ]);
    const kept = JSON.stringify(await stores.subscriptions.get('ops'));
    expect(kept).toContain('ssm:/second');
    expect(kept).toContain('ssm:/third');
    expect(kept).not.toContain('ssm:/first');
    await close();
  });

  it('a changed delivery is not overwritten because of a stale read', async () => {
    const { stores, replica, close } = await openLagging();
    const opening = delivery('1', 'ops');
    await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
    await replica.catchUp();
    const attempts = [{ number: 1, at: NOON, ms: 3, outcome: 'accepted' as const }];
    await stores.deliveries.saveAttempt({ ...opening, status: 'settled', dueAt: null, attempts });
    const old = await stores.deliveries.get(opening.id);
    expect(old).toEqual(opening);
    expect(await stores.deliveries.saveAttempt({ ...opening, attempts })).toBe(false);
    expect(await stores.deliveries.update(opening, { ...opening, status: 'held', dueAt: null })).toBe(false);
    await close();
  });
});
