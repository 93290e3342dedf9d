/**
 * Wraps ports: counts every call and makes one of them fail. It knows no port by name; the run checks the outcome.
 */

import type { SeededRandom } from './seeded-random.ts';

/**
 * `before`: the call throws without its effect. `after`: the call throws after its effect. `killed`: the process ends at
 * that call, and every later call throws too, also in `finally` blocks, until it is restarted.
 */
export const FAULT_KINDS = ['before', 'after', 'killed'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

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
  /** Resolves after a random number of microtasks, so that concurrent work starts in a random order. */
  delay(): Promise<void>;
  /** Wraps a port so that its calls are counted and may fail. Synchronous methods must be listed in `unwatched`. */
  watch<T extends object>(name: string, port: T, unwatched?: readonly (keyof T)[]): T;
}

export interface FaultInjectorOptions {
  /** @default - no call fails */
  readonly fault?: Fault | undefined;
  /** Delays each call before and after its effect by a random number of microtasks. @default - no delay */
  readonly random?: SeededRandom | undefined;
}

/** Microtasks: about as many as a busy round takes. */
const MAX_DELAY_TICKS = 400;

export class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
}

export function faultInjector({ fault, random }: FaultInjectorOptions = {}): FaultInjector {
  const calls: string[] = [];
  let isKilled = false;
  const idle = async (maxTicks = 6) => {
    for (let left = Math.floor((random?.unit() ?? 0) * maxTicks); left > 0; left--) await undefined;
  };
  const call = async (site: string, act: () => unknown): Promise<unknown> => {
    await idle();
    const kind = calls.push(site) === fault?.call ? fault.kind : undefined;
    if (kind === 'killed') isKilled = true;
    if (isKilled || kind === 'before') throw new InjectedFault(`${site} failed before its effect`);
    const result = await act();
    if (kind === 'after') throw new InjectedFault(`${site} failed after its effect`);
    await idle();
    // The process was killed during this call, so it gets no result.
    if (isKilled) throw new InjectedFault(`${site} returned after the process was killed`);
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
