/**
 * A process in a storm: any of its calls may fail, without or with its effect, or end it, and from then on everything of
 * it stands still. Knows nothing of what it calls, nor of what starts it again.
 */

import type { SeededRandom } from './seeded-random.ts';

/** `before` and `after`: the call fails, without or with its effect; the other two end the process. */
const FAULTS = ['before', 'after', 'end before', 'end after'] as const;

export const ENDED = Symbol('ended');

export interface FaultyProcessOptions {
  readonly chance: SeededRandom;
  /** How many of all calls go wrong, 0 to 1, by now. */
  readonly rates: { readonly faults: number };
  /** Counted here. */
  readonly injected: { faults: number; ends: number };
  /** What a call that fails throws. */
  readonly faultError: () => Error;
  /** Awaited around every effect: who begins is not always first. @default - no wait */
  readonly idle?: () => Promise<void>;
  /** Called for every fault as it happens. @default - none */
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
    /** What came of it, unless the process ended meanwhile. */
    run: <T>(work: Promise<T>): Promise<T | typeof ENDED> => Promise.race([work, end.promise]),
    /** The same port, each of its calls such a one. Those that answer at once are left as they are. */
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
