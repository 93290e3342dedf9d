/**
 * Stands between the verbs and their ports: counts every call, and lets one of them go wrong. Knows no port by name;
 * what is right afterwards is for the run to say.
 */

import type { SeededRandom } from './seeded-random.ts';

/**
 * `before`: the call throws and nothing was done; `after`: it was done, and throws all the same; `killed`: the process
 * ends at that call, and nothing of it runs on, not even what it would do at the end, until it is started again.
 */
export const FAULT_KINDS = ['before', 'after', 'killed'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Number of the call, from 1. */
  readonly call: number;
}

export interface FaultInjector {
  /** Every call so far, as `deliveries.gather`. */
  readonly calls: readonly string[];
  readonly isKilled: boolean;
  /** Starts the process again. */
  restart(): void;
  /** Resolves some turns later: who begins is not always first. */
  delay(): Promise<void>;
  /** The same port, each of its calls passing by the desk. Calls that answer at once are left as they are. */
  watch<T extends object>(name: string, port: T, unwatched?: readonly (keyof T)[]): T;
}

export interface FaultInjectorOptions {
  /** @default - nothing goes wrong */
  readonly fault?: Fault | undefined;
  /** Who is first when several are at it: each call waits some turns before and after its effect. @default - no wait */
  readonly random?: SeededRandom | undefined;
}

/** Turns: about as many as a round with something to do takes. */
const MAX_DELAY_TICKS = 400;

export class InjectedFault extends Error {
  override readonly name = 'Struck';
}

export function faultInjector({ fault, random }: FaultInjectorOptions = {}): FaultInjector {
  const calls: string[] = [];
  let isKilled = false;
  const idle = async (most = 6) => {
    for (let left = Math.floor((random?.unit() ?? 0) * most); left > 0; left--) await undefined;
  };
  const call = async (site: string, act: () => unknown): Promise<unknown> => {
    await idle();
    const strikes = calls.push(site) === fault?.call ? fault.kind : undefined;
    if (strikes === 'killed') isKilled = true;
    if (isKilled || strikes === 'before') throw new InjectedFault(`${site} failed before its effect`);
    const result = await act();
    if (strikes === 'after') throw new InjectedFault(`${site} failed after its effect`);
    await idle();
    // What ended meanwhile hears of nothing any more.
    if (isKilled) throw new InjectedFault(`${site} was not heard of`);
    return result;
  };
  return {
    calls,
    get isKilled() {
      return isKilled;
    },
    restart() {
      isKilled = false;
    },
    delay: () => idle(MAX_DELAY_TICKS),
    watch: (name, port, unwatched = []) =>
      new Proxy(port, {
        get(target, key, receiver) {
          const value: unknown = Reflect.get(target, key, receiver);
          if (typeof value !== 'function' || unwatched.some((left) => left === key)) return value;
          return (...given: unknown[]) =>
            call(`${name}.${String(key)}`, () => Reflect.apply(value, target, given) as unknown);
        },
      }),
  };
}
