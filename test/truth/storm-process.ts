/**
 * A simulated process of a storm: any of its port calls may fail, before or after its effect, or end the process. After its
 * end no call returns. It knows neither the ports nor what restarts it.
 */

import type { SeededRandom } from './seeded-random.ts';

/** `before` and `after`: the call fails, without or with its effect; the other two end the process. */
const FAULTS = ['before', 'after', 'end before', 'end after'] as const;

export const ENDED = Symbol('ended');

export interface FaultyProcessOptions {
  readonly chance: SeededRandom;
  /** The current share of calls that fail, 0 to 1. */
  readonly rates: { readonly faults: number };
  /** Counters of injected faults and ended processes. */
  readonly injected: { faults: number; ends: number };
  /** Creates the error of a failed call. */
  readonly faultError: () => Error;
  /** Awaited before and after every effect, so that concurrent calls interleave. @default - no wait */
  readonly idle?: () => Promise<void>;
  /** Called for every injected fault. @default - none */
  readonly onFault?: () => void;
}

export type FaultyProcess = ReturnType<typeof faultyProcess>;

export function faultyProcess({
  chance,
  rates,
  injected,
  faultError,
  idle = async () => {},
  onFault = () => {},
}: FaultyProcessOptions) {
  const end = Promise.withResolvers<typeof ENDED>();
  let isEnded = false;
  const never = () => new Promise<never>(() => {});
  const die = () => {
    injected.ends += 1;
    isEnded = true;
    end.resolve(ENDED);
    return never();
  };
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    await idle();
    if (isEnded) return never();
    const fault = chance.unit() < rates.faults ? chance.pick(FAULTS) : undefined;
    if (fault === undefined || fault.endsWith('after')) {
      const result = await act();
      await idle();
      if (fault === undefined) return isEnded ? never() : result;
    }
    injected.faults += 1;
    onFault();
    if (fault.startsWith('end')) return die();
    throw faultError();
  };
  return {
    call,
    isEnded: () => isEnded,
    /** Returns the result of the work, or ENDED if the process ended before. */
    run: <T>(work: Promise<T>): Promise<T | typeof ENDED> => Promise.race([work, end.promise]),
    /** Wraps a port so that its calls may fail. Synchronous methods must be listed in `unwatched`. */
    watch: <T extends object>(port: T, unwatched: readonly (keyof T)[] = []): T =>
      new Proxy(port, {
        get(target, key, receiver) {
          const value: unknown = Reflect.get(target, key, receiver);
          if (typeof value !== 'function' || unwatched.some((left) => left === key)) return value;
          return (...given: unknown[]) => call(async () => Reflect.apply(value, target, given) as unknown);
        },
      }),
  };
}
