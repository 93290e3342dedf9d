/**
 * Shares the executions of `deliver` among the owners of subscriptions: an execution that waits long for the receivers of an owner holds a
 * lease of which the owner has few, and one of those that all owners have together. So slow receivers of some keys leave executions to all
 * others. A fair queue alone does not: it decides which message is next, and not when an execution is free.
 */

import { RetryLater } from '../../core/model/errors.ts';
import { type Clock, type Duration, MINUTE, SECOND } from '../../core/model/time.ts';
import type { Lease, LeaseStore } from '../../core/ports/lease-store.ts';
import { DEFAULT_MAX_EXECUTIONS } from './environment.ts';

/** Most receivers respond within a second. Others wait no longer than this for an execution. */
const PATIENCE: Duration = 3 * SECOND;

/** Of the executions, those that one owner may have for longer, and those that all owners may have together. */
const SHARE_OF_OWNER = 1 / 4;
const SHARE_OF_ALL = 3 / 4;

/** No key has an id like this. */
const ALL_OWNERS = 'all';

/** As long as an execution may take: one that was killed holds its lease until then. */
const LEASE_TIME: Duration = MINUTE;

const CROWDED =
  'aborted, because slow requests of this key, or of all keys, were taking as many executions as they may have';

export interface ShareExecutionsOptions {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** How many executions there are at a time at most. @default 20 */
  readonly executions?: number | undefined;
  /** Of this execution. */
  readonly holder: string;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called when an owner has to make way. */
  readonly onAbort: (owner: string) => void;
}

export interface ExecutionShare {
  /** Aborts when this execution has to be left to others. Counts from the first call for an owner. Undefined: the operator need not make way. */
  signalOf(owner: string | undefined): AbortSignal | undefined;
  /** Gives the leases back. */
  end(): Promise<void>;
}

export function shareExecutions(options: ShareExecutionsOptions): ExecutionShare {
  const { leases, clock, executions = DEFAULT_MAX_EXECUTIONS, holder, random, onAbort } = options;
  const owners = new Map<string, { readonly controller: AbortController; readonly timer: NodeJS.Timeout }>();
  const taken: Promise<Lease | undefined>[] = [];

  const takePlace = async (of: string, share: number, by: string): Promise<Lease | undefined> => {
    const places = Math.max(1, Math.floor(executions * share));
    const first = Math.floor(random() * places);
    for (let n = 0; n < places; n++) {
      const name = `execution/${of}/${(first + n) % places}`;
      const lease = await leases.acquire(name, by, clock.now(), LEASE_TIME, { isTemporary: true });
      if (lease !== undefined) return lease;
    }
    return undefined;
  };

  /** Of this execution, for whatever owners. */
  let shared: Promise<Lease | undefined> = Promise.resolve(undefined);
  const takeShared = () => {
    shared = shared.then((held) => held ?? takePlace(ALL_OWNERS, SHARE_OF_ALL, holder));
    return shared;
  };

  const stayOrLeave = async (owner: string, controller: AbortController): Promise<Lease | undefined> => {
    try {
      const own = await takePlace(owner, SHARE_OF_OWNER, `${holder} ${owner}`);
      if (own !== undefined && (await takeShared()) !== undefined) return own;
      if (own !== undefined) await leases.release(own);
    } catch {
      // A table that fails ends no attempt. A lease that is not released ends by itself.
      return undefined;
    }
    onAbort(owner);
    controller.abort(new RetryLater('TIDINGS_DELIVERY_CROWDED', CROWDED));
    return undefined;
  };

  const watch = (owner: string) => {
    const controller = new AbortController();
    const timer = setTimeout(() => taken.push(stayOrLeave(owner, controller)), PATIENCE);
    const watched = { controller, timer };
    owners.set(owner, watched);
    return watched;
  };

  return {
    signalOf: (owner) => (owner === undefined ? undefined : (owners.get(owner) ?? watch(owner)).controller.signal),

    async end() {
      for (const { timer } of owners.values()) clearTimeout(timer);
      await Promise.allSettled(taken);
      const held = (await Promise.all([...taken, shared.catch(() => undefined)])).flatMap((lease) => lease ?? []);
      // One that is not released ends by itself.
      await Promise.allSettled(held.map((lease) => leases.release(lease)));
    },
  };
}
