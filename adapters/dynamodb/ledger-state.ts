/** What the ledger keeps besides events and deliveries: subscriptions, threads, the state of scans, and leases. */

import { isDeepStrictEqual } from 'node:util';
import { RetryLater } from '../../core/model/errors.ts';
import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { plus } from '../../core/model/time.ts';
import type { Ledger, ScanLedger, SubscriptionLedger } from '../../core/ports/ledger.ts';
import { inParallel } from '../aws/parallel.ts';
import { leaseKey, scanKey, subscriptionKey, threadKey } from './keys.ts';
import { openTable, type Table, type TableOptions } from './table.ts';

/** People and deployments change a subscription now and then: twice at once is rare, five times is a fault. */
const CHANGE_TRIES = 5;

export function subscriptions(table: Table): SubscriptionLedger {
  const all = async (consistent: boolean): Promise<Subscription[]> => {
    const found: Subscription[] = [];
    for await (const item of table.query({ partition: ['pk', 'subscriptions'], consistent })) {
      // We wrote it, in this form.
      found.push(item.subscription as Subscription);
    }
    return found;
  };
  // Consistent: an attempt gives up for good on one that is not there, and whoever changes one puts back all of it.
  const find = async (name: string) => {
    const item = await table.get(subscriptionKey(name), true);
    return { kept: item?.subscription as Subscription | undefined, version: item?.version };
  };
  /** On what was read: a secret that is rotated in the midst of a deployment must not be lost. Returns what was there. */
  const replace = async (
    name: string,
    change: (kept: Subscription | undefined) => Subscription | undefined,
  ): Promise<Subscription | undefined> => {
    for (let tries = 0; tries < CHANGE_TRIES; tries++) {
      const { kept, version } = await find(name);
      const next = change(kept);
      if (next === undefined || isSame(kept, next)) return kept;
      const item = { ...subscriptionKey(name), version: Number(version ?? 0) + 1, subscription: next };
      // An earlier version of us wrote none.
      const seen = kept === undefined ? { pk: undefined } : { version };
      const outcome = await table.put(item, seen);
      // Where the answer was lost, what is there tells.
      if (outcome === 'written' || (outcome === 'unsure' && isSame((await find(name)).kept, next))) return kept;
    }
    throw new RetryLater('TIDINGS_STORE_FAILED', `subscription '${name}': others change it all the time`);
  };
  return {
    // Read for every batch of the stream. One made within the last second may be told of what comes after that.
    subscriptions: () => all(false),

    subscription: async (name) => (await find(name)).kept,

    async saveSubscription(subscription) {
      await replace(subscription.name, () => subscription);
    },

    async changeSubscription(name, change) {
      return (await replace(name, (kept) => (kept === undefined ? undefined : change(kept)))) !== undefined;
    },

    async removeSubscription(name) {
      const there = await table.get(subscriptionKey(name), true);
      if (there !== undefined) await table.writeAll([], [subscriptionKey(name)]);
      return there !== undefined;
    },

    async applyDeclared(wanted, over = (declared) => declared) {
      const names = new Set(wanted.map(({ name }) => name));
      const removed = (await all(true)).filter(({ name, declared }) => declared && !names.has(name));
      await table.writeAll(
        [],
        removed.map(({ name }) => subscriptionKey(name)),
      );
      const done = await inParallel(wanted, async (one) => {
        let next = one;
        const kept = await replace(one.name, (found) => {
          next = over(one, found);
          return next;
        });
        return { name: one.name, isNew: kept === undefined, isChanged: !isSame(kept, next) };
      });
      return {
        added: done.filter(({ isNew }) => isNew).map(({ name }) => name),
        changed: done.filter(({ isNew, isChanged }) => isChanged && !isNew).map(({ name }) => name),
        removed: removed.map(({ name }) => name),
      };
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
      const state = { ...initialScanState(source, resource), ...(item.state as Partial<ScanState>) };
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
