/** SubscriptionStore on DynamoDB: one item per subscription, with a version for optimistic locking. */

import { isSameValue } from '../../core/model/json.ts';
import {
  fromStored,
  KEPT_AFTER_EXPIRY,
  type StoredSubscription,
  type Subscription,
  toStored,
} from '../../core/model/subscription.ts';
import { plus } from '../../core/model/time.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { inParallel } from '../aws/parallel.ts';
import { conflictError, MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
import { subscriptionKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoSubscriptionStore(table: Table): SubscriptionStore {
  /**
   * As last listed. An unchanged subscription stays the same object, so that its filter is not compiled again for each batch of the
   * stream. Values are compared, not versions: one that was removed and made again has version 1 again.
   */
  let listed = new Map<string, { readonly stored: StoredSubscription; readonly subscription: Subscription }>();
  const list = async (consistent: boolean): Promise<Subscription[]> => {
    const found: typeof listed = new Map();
    for await (const item of table.query({ partition: ['pk', 'subscriptions'], consistent })) {
      // Written by `replace` alone.
      const stored = item.subscription as StoredSubscription;
      const known = listed.get(stored.name);
      const isSame = known !== undefined && isSameValue(known.stored, stored);
      found.set(stored.name, isSame ? known : { stored, subscription: fromStored(stored) });
    }
    listed = found;
    return [...found.values()].map(({ subscription }) => subscription);
  };
  // Consistent: an attempt gives up for good on a missing subscription, and an update writes back all of what it read.
  const find = async (name: string) => {
    const item = await table.get(subscriptionKey(name), true);
    const stored = item?.subscription as StoredSubscription | undefined;
    return { stored: stored && fromStored(stored), version: item?.version };
  };
  /**
   * Conditional on the version read, so that a secret rotated during a deployment is not lost. Returns what was stored
   * before.
   */
  const replace = async (
    name: string,
    change: (stored: Subscription | undefined) => Subscription | undefined,
  ): Promise<Subscription | undefined> => {
    for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
      const { stored, version } = await find(name);
      const next = change(stored);
      if (next === undefined || isSameValue(stored, next)) return stored;
      const item = {
        ...subscriptionKey(name),
        version: Number(version ?? 0) + 1,
        subscription: toStored(next),
        expiresAt: next.expiresAt === undefined ? undefined : toSeconds(plus(next.expiresAt, KEPT_AFTER_EXPIRY)),
      };
      // Items written by early versions have no version.
      const condition = stored === undefined ? { pk: undefined } : { version };
      const outcome = await table.put(item, condition);
      // The response was lost: read the stored one back.
      if (outcome === 'written' || (outcome === 'unsure' && isSameValue((await find(name)).stored, next)))
        return stored;
      await pauseAfterConflict(tries);
    }
    throw conflictError(`subscription '${name}'`);
  };
  return {
    // Read for every batch of the stream, at half the price: a new subscription may miss events of its first second.
    list: (consistent = false) => list(consistent),

    async listNamed(prefix) {
      const found: Subscription[] = [];
      const named = { partition: ['pk', 'subscriptions'], range: { name: 'sk', prefix }, consistent: true } as const;
      for await (const item of table.query(named)) found.push(fromStored(item.subscription as StoredSubscription));
      return found;
    },

    get: async (name) => (await find(name)).stored,

    async save(subscription) {
      await replace(subscription.name, () => subscription);
    },

    async add(subscription, replaces = () => false) {
      let isAdded = false;
      await replace(subscription.name, (stored) => {
        isAdded = stored === undefined || replaces(stored);
        return isAdded ? subscription : undefined;
      });
      return isAdded;
    },

    async update(name, change) {
      return (await replace(name, (stored) => (stored === undefined ? undefined : change(stored)))) !== undefined;
    },

    async remove(name, assertRemovable) {
      if (assertRemovable === undefined) {
        const stored = await table.get(subscriptionKey(name), true);
        if (stored !== undefined) await table.writeAll([], [subscriptionKey(name)]);
        return stored !== undefined;
      }
      let isMaybeOurs = false;
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        const { stored, version } = await find(name);
        // Of several removals one counts: each gives back what the subscription took up of the quotas of its key.
        if (stored === undefined) return isMaybeOurs;
        assertRemovable(stored);
        const outcome = await table.remove(subscriptionKey(name), { version });
        if (outcome === 'written') return true;
        isMaybeOurs = outcome === 'unsure';
        await pauseAfterConflict(tries);
      }
      throw conflictError(`subscription '${name}'`);
    },

    async applyDeclared(wanted, merge = (declared) => declared) {
      const names = new Set(wanted.map(({ name }) => name));
      const removed = (await list(true)).filter(({ name, declared }) => declared && !names.has(name));
      const applied = await inParallel(wanted, async (declared) => {
        let next = declared;
        const before = await replace(declared.name, (stored) => {
          next = merge(declared, stored);
          return next;
        });
        return { name: declared.name, isNew: before === undefined, isChanged: !isSameValue(before, next) };
      });
      // Last: a delivery whose subscription is missing looks for the one that has its former name.
      await table.writeAll(
        [],
        removed.map(({ name }) => subscriptionKey(name)),
      );
      return {
        added: applied.filter(({ isNew }) => isNew).map(({ name }) => name),
        changed: applied.filter(({ isNew, isChanged }) => isChanged && !isNew).map(({ name }) => name),
        removed: removed.map(({ name }) => name),
      };
    },
  };
}
