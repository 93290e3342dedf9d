/**
 * A subscription store that includes the declared subscriptions of a config before they are applied. During a deployment
 * in AWS, functions with the new config run before `setup` has stored its subscriptions. Writes nothing.
 */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { isSameList } from '../core/filters/match.ts';
import { isSameValue } from '../core/model/json.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Clock } from '../core/model/time.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { findRenames, mergeDeclared, type Rename } from '../core/subscriptions/declare.ts';
import type { Config } from './config/config.ts';

/**
 * `list` returns what the store holds once the config is applied. `get` also finds a stored subscription that the config
 * no longer declares: its deliveries are sent until `setup` removes it. A renamed subscription has its former name until
 * `setup` has stored the new one: its pause applies, and a deployment that ends before `setup` leaves nothing under a name
 * that no config declares.
 */
export function withDeclared(
  store: SubscriptionStore,
  { subscriptions }: Pick<Config, 'subscriptions'>,
  clock: Clock,
): SubscriptionStore {
  const declared = new Map(subscriptions.map((one) => [one.name, one]));
  /** As listed last: without a change it is the same array with the same objects, because much is derived of them. */
  let listed: Listed | undefined;
  const ports = { channels: channelRegistry, clock };
  const merge = (wanted: Subscription, stored: Subscription | undefined, renames: readonly Rename[]) =>
    mergeDeclared(ports, wanted, stored, { declared: subscriptions, renames });
  return {
    ...store,
    async get(name) {
      const stored = await store.get(name);
      const storedByName = new Map(stored === undefined ? [] : [[name, stored]]);
      const renames = findRenames(subscriptions, storedByName, clock.now());
      const wanted = declared.get(name);
      if (wanted !== undefined) return merge(wanted, stored, renames);
      const successor = renames.find(({ from }) => from === name)?.to;
      if (stored === undefined || successor === undefined || (await store.get(successor.name)) !== undefined)
        return stored;
      return underFormerName(merge(successor, stored, renames), stored);
    },
    async list(consistent) {
      const read = await store.list(consistent);
      const before = listed;
      const stored = before?.read === read ? before.stored : new Map(read.map((one) => [one.name, one]));
      const renames = findRenames(subscriptions, stored, clock.now());
      const wanted = subscriptions.map((one, index) => {
        const same = stored.get(one.name);
        const former = renames.find(({ from, to }) => to === one && stored.has(from));
        const old = former && stored.get(former.from);
        const merged =
          same !== undefined || old === undefined
            ? merge(one, same, renames)
            : underFormerName(merge(one, old, renames), old);
        const known = before?.wanted[index];
        return isSameValue(known, merged) && known !== undefined ? known : merged;
      });
      if (before?.read === read && isSameList(before.wanted, wanted)) return before.all;
      const names = new Set(wanted.map(({ name }) => name));
      const others = read.filter((one) => !one.declared && !names.has(one.name));
      const all = [...wanted, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
      listed = { read, stored, wanted, all };
      return all;
    },
  };
}

interface Listed {
  readonly read: readonly Subscription[];
  readonly stored: ReadonlyMap<string, Subscription>;
  readonly wanted: readonly Subscription[];
  readonly all: readonly Subscription[];
}

/** The ids of its deliveries stay the same: they are derived from `renamedFrom`, else from the name. */
function underFormerName(renamed: Subscription, { name, formerNames }: Subscription): Subscription {
  const { renamedFrom = renamed.name } = renamed;
  return { ...renamed, name, renamedFrom: renamedFrom === name ? undefined : renamedFrom, formerNames };
}
