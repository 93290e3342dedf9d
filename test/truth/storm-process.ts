/**
 * A process in a storm: any of its calls may fail, without or with its effect, or end it, and from then on everything of
 * it stands still. Knows nothing of what it calls, nor of what starts it again.
 */

import type { Dice } from './dice.ts';

/** `before` and `after`: the call fails, without or with its effect; the other two end the process. */
const FAULTS = ['before', 'after', 'end before', 'end after'] as const;

export const ENDED = Symbol('ended');

export interface ProcessOptions {
  readonly chance: Dice;
  /** How many of all calls go wrong, 0 to 1, by now. */
  readonly weather: { readonly faults: number };
  /** Counted here. */
  readonly made: { faults: number; ends: number };
  /** What a call that fails throws. */
  readonly lost: () => Error;
  /** Awaited around every effect: who begins is not always first. @default - no wait */
  readonly idle?: () => Promise<void>;
  /** Called for every fault as it happens. @default - none */
  readonly struck?: () => void;
}

export type MortalProcess = ReturnType<typeof mortal>;

export function mortal({ chance, weather, made, lost, idle = async () => {}, struck = () => {} }: ProcessOptions) {
  const end = Promise.withResolvers<typeof ENDED>();
  let isEnded = false;
  const never = () => new Promise<never>(() => {});
  const die = () => {
    made.ends += 1;
    isEnded = true;
    end.resolve(ENDED);
    return never();
  };
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    await idle();
    if (isEnded) return never();
    const fault = chance.unit() < weather.faults ? chance.pick(FAULTS) : undefined;
    if (fault === undefined || fault.endsWith('after')) {
      const result = await act();
      await idle();
      if (fault === undefined) return isEnded ? never() : result;
    }
    made.faults += 1;
    struck();
    if (fault.startsWith('end')) return die();
    throw lost();
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
