/**
 * Stands between the verbs and their ports: counts every call, and lets one of them go wrong. Knows no port by name;
 * what is right afterwards is for the run to say.
 */

import type { Dice } from './dice.ts';

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

export interface FaultDesk {
  /** Every call so far, as `deliveries.gather`. */
  readonly calls: readonly string[];
  readonly isDead: boolean;
  /** Starts the process again. */
  revive(): void;
  /** Resolves some turns later: who begins is not always first. */
  late(): Promise<void>;
  /** The same port, each of its calls passing by the desk. Calls that answer at once are left as they are. */
  watch<T extends object>(name: string, port: T, unwatched?: readonly (keyof T)[]): T;
}

export interface FaultDeskOptions {
  /** @default - nothing goes wrong */
  readonly fault?: Fault | undefined;
  /** Who is first when several are at it: each call waits some turns before and after its effect. @default - no wait */
  readonly turns?: Dice | undefined;
}

/** Turns: about as many as a round with something to do takes. */
const LATE = 400;

export class Struck extends Error {
  override readonly name = 'Struck';
}

export function faultDesk({ fault, turns }: FaultDeskOptions = {}): FaultDesk {
  const calls: string[] = [];
  let isDead = false;
  const idle = async (most = 6) => {
    for (let left = Math.floor((turns?.unit() ?? 0) * most); left > 0; left--) await undefined;
  };
  const call = async (site: string, act: () => unknown): Promise<unknown> => {
    await idle();
    const strikes = calls.push(site) === fault?.call ? fault.kind : undefined;
    if (strikes === 'killed') isDead = true;
    if (isDead || strikes === 'before') throw new Struck(`${site} failed before its effect`);
    const result = await act();
    if (strikes === 'after') throw new Struck(`${site} failed after its effect`);
    await idle();
    // What ended meanwhile hears of nothing any more.
    if (isDead) throw new Struck(`${site} was not heard of`);
    return result;
  };
  return {
    calls,
    get isDead() {
      return isDead;
    },
    revive() {
      isDead = false;
    },
    late: () => idle(LATE),
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
