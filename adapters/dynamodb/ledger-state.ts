/** What the ledger keeps besides events and deliveries: subscriptions, threads, the state of scans, and leases. */

import { isDeepStrictEqual } from 'node:util';
import { type ScanState, unscanned } from '../../core/model/scan.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { plus } from '../../core/model/time.ts';
import type { Ledger, ScanLedger } from '../../core/ports/ledger.ts';
import { inParallel } from '../aws/parallel.ts';
import { leaseKey, scanKey, subscriptionKey, threadKey } from './keys.ts';
import { openTable, type Table, type TableOptions } from './table.ts';

type Subscriptions = 'subscription' | 'subscriptions' | 'applyDeclared' | 'saveSubscription' | 'removeSubscription';

export function subscriptions(table: Table): Pick<Ledger, Subscriptions> {
  const all = async (consistent: boolean): Promise<Subscription[]> => {
    const found: Subscription[] = [];
    for await (const item of table.query({ partition: ['pk', 'subscriptions'], consistent })) {
      // We wrote it, in this form.
      found.push(item.subscription as Subscription);
    }
    return found;
  };
  const save = async (subscription: Subscription): Promise<void> => {
    await table.put({ ...subscriptionKey(subscription.name), subscription });
  };
  return {
    // Read for every batch of the stream. One made within the last second may be told of what comes after that.
    subscriptions: () => all(false),

    // Consistent: an attempt gives up for good on one that is not there, and whoever changes one puts back all of it.
    async subscription(name) {
      const item = await table.get(subscriptionKey(name), true);
      return item?.subscription as Subscription | undefined;
    },

    saveSubscription: save,

    async removeSubscription(name) {
      const there = await table.get(subscriptionKey(name), true);
      if (there !== undefined) await table.writeAll([], [subscriptionKey(name)]);
      return there !== undefined;
    },

    async applyDeclared(wanted) {
      const known = new Map((await all(true)).map((one) => [one.name, one]));
      const names = new Set(wanted.map(({ name }) => name));
      const removed = [...known.values()]
        .filter(({ name, declared }) => declared && !names.has(name))
        .map(({ name }) => name);
      await table.writeAll([], removed.map(subscriptionKey));
      const written = wanted.filter((one) => !isSame(known.get(one.name), one));
      await inParallel(written, save);
      const namesOf = (isNew: boolean) =>
        written.filter(({ name }) => known.has(name) !== isNew).map(({ name }) => name);
      return { added: namesOf(true), changed: namesOf(false), removed };
    },
  };
}

/** The store keeps no order of names and nothing undefined: neither makes a difference. */
function isSame(kept: unknown, wanted: Subscription | ScanState): boolean {
  return isDeepStrictEqual(kept, JSON.parse(JSON.stringify(wanted)));
}

export function threads(table: Table): Pick<Ledger, 'thread' | 'saveThread'> {
  return {
    // Consistent: two messages on a record within a second belong under each other.
    async thread(subscription, subject) {
      const item = await table.get(threadKey(subscription, subject), true);
      return item === undefined ? undefined : String(item.thread);
    },

    async saveThread(subscription, subject, thread) {
      await table.put({ ...threadKey(subscription, subject), thread });
    },
  };
}

export function scans(table: Table): Pick<Ledger, 'scanState' | 'saveScanState'> {
  return {
    // Consistent: it is read again under the lease, to see what the last holder wrote.
    async scanState(source, resource) {
      const item = await table.get(scanKey(source, resource), true);
      if (item === undefined) return undefined;
      // A state written by an earlier version lacks what came later.
      const state = { ...unscanned(source, resource), ...(item.state as Partial<ScanState>) };
      // The one its next save is held against: an earlier version of us wrote none.
      return { ...state, version: Number(item.version ?? 0) };
    },

    async saveScanState(state) {
      const { source, resource, version } = state;
      const key = scanKey(source, resource);
      const outcome = await table.put({ ...key, version, state }, { version: version === 1 ? undefined : version - 1 });
      if (outcome !== 'unsure') return outcome === 'written';
      return isSame((await table.get(key, true))?.state, state);
    },
  };
}

/** As much of the ledger as polling needs: a function that polls carries no more of it. */
export function dynamoScanLedger(options: TableOptions): ScanLedger {
  const table = openTable(options);
  return { ...scans(table), ...leases(table) };
}

/** Others write a lease once a minute, not all the time. */
const LEASE_TRIES = 5;

export function leases(table: Table): Pick<Ledger, 'acquireLease' | 'releaseLease'> {
  return {
    async acquireLease(name, holder, now, duration) {
      for (let tries = 0; tries < LEASE_TRIES; tries++) {
        const held = await table.get(leaseKey(name), true);
        const isOver = held === undefined || String(held.until) <= now;
        if (!isOver && held.holder !== holder) return undefined;
        const fence = Number(held?.fence ?? 0) + (isOver ? 1 : 0);
        const set = { holder, fence, until: plus(now, duration) };
        const seen = { holder: held?.holder, fence: held?.fence, until: held?.until };
        // Refused, somebody came in between: perhaps ourselves, with an answer that was lost. Then it is ours already.
        if ((await table.update(leaseKey(name), { set }, seen)) === 'written') return { name, holder, fence };
      }
      return undefined;
    },

    async releaseLease({ name, holder, fence }) {
      await table.update(leaseKey(name), { set: { until: '' } }, { holder, fence });
    },
  };
}
