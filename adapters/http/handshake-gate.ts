/**
 * Limits the TLS handshakes of each owner of subscriptions. A server decides what a handshake costs: the check of its chain of
 * certificates can take the client a second, in which nothing else runs, whether the chain is trusted or not. So few are made at the same
 * time, others have their turn after a costly one, and each takes one of a few places and keeps it for a while: long if it failed or was
 * costly, briefly if it resumed a session.
 */

import { clip } from '../../core/messages/clip.ts';
import { RetryLater } from '../../core/model/errors.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { createStallMeter, type StallMeter } from './stall-meter.ts';

/** At a time and a while after, to servers of which the last handshake has succeeded, and to others. */
const PLACES = { proven: 16, unproven: 8 } as const;

/** In progress at a time, in all and to others: all certificates may arrive in the same moment. */
const IN_PROGRESS: InProgress = { all: 2, unproven: 1 };

/** After a handshake that took so long, its owner rests, and all others have five times as much time. */
const COSTLY_MS = 50;
const REST_PER_MS = 5;

/** So many times what a costly handshake took: those of an owner take 8 % of the CPU. */
const KEPT_BY_COSTLY = 200;

/** They take 1 to 3 ms of CPU time: an owner may make 50 a second, or 160 that resume a session. */
const KEPT_BY_SUCCESS_MS = { complete: 300, resumed: 100 } as const;

/** So many times the CPU time that a failed handshake may have taken: those of an owner take 0.3 % of it in the long run. */
const KEPT_PER_CPU_MS = 3_000;
const KEPT_BY_FAILURE_MS = { min: SECOND, max: 5 * MINUTE } as const;

/** A key has up to a thousand subscriptions. */
const MAX_PROVEN = 2_000;

/** All names of a certificate may be in it. */
const MAX_REASON_LENGTH = 500;

/** `resumed`: without certificates. Otherwise the error. */
type HandshakeOutcome = 'complete' | 'resumed' | Error;

/** To call with the outcome. */
export type EndHandshake = (outcome: HandshakeOutcome) => void;

interface InProgress {
  readonly all: number;
  readonly unproven: number;
}

interface Owner {
  readonly free: { proven: number; unproven: number };
  inProgress: InProgress;
  /** Rests that are not over. */
  rests: number;
  /** Servers of which the last handshake has succeeded, the oldest first. */
  readonly proven: Set<string>;
  /** Other servers of which a handshake is in progress. Of each there is one at a time: its outcome concerns the next one. */
  readonly tried: Set<string>;
  /** Others whose handshake has failed and keeps its place, and why it failed. */
  readonly failed: Map<string, string>;
  /** Each enters if there is room now, in this order. */
  readonly waiting: Set<() => void>;
}

export interface HandshakeGate {
  /** Throws RetryLater if there is no room within the time, or the last handshake of the server failed a moment ago. */
  enter(owner: string, server: string, timeout: number): Promise<EndHandshake>;
}

/** @param most in progress at a time @default - two, of which one to a server that has not succeeded */
export function createHandshakeGate(
  meter: StallMeter = createStallMeter(),
  most: InProgress = IN_PROGRESS,
): HandshakeGate {
  const owners = new Map<string, Owner>();

  const ownerNamed = (name: string): Owner => {
    const known = owners.get(name);
    if (known !== undefined) return known;
    const made: Owner = {
      free: { ...PLACES },
      inProgress: { all: 0, unproven: 0 },
      rests: 0,
      proven: new Set(),
      tried: new Set(),
      failed: new Map(),
      waiting: new Set(),
    };
    owners.set(name, made);
    return made;
  };

  /** Starts a handshake in a place that is taken. */
  const begin = (owner: Owner, place: keyof typeof PLACES, server: string): EndHandshake => {
    const { free, proven, tried, failed, waiting } = owner;
    const endMeasuring = meter.begin();
    const admit = () => {
      for (const enter of waiting) enter();
    };
    const giveBackAfter = (millis: number, then: () => void = () => {}) => {
      const giveBack = () => {
        then();
        free[place] += 1;
        admit();
      };
      setTimeout(giveBack, millis).unref();
    };
    const restFor = (millis: number) => {
      owner.rests += 1;
      const end = () => {
        owner.rests -= 1;
        admit();
      };
      setTimeout(end, millis).unref();
    };
    const count = (by: 1 | -1) => {
      const { all, unproven } = owner.inProgress;
      owner.inProgress = { all: all + by, unproven: unproven + (place === 'unproven' ? by : 0) };
    };
    count(1);
    return (outcome) => {
      const spent = endMeasuring();
      count(-1);
      const isCostly = spent >= COSTLY_MS;
      if (isCostly) restFor(spent * REST_PER_MS);
      proven.delete(server);
      tried.delete(server);
      failed.delete(server);
      if (outcome instanceof Error) {
        // A server that has succeeded before is tried once more at once: it may have been restarted.
        if (place === 'unproven') failed.set(server, clip(outcome.message, MAX_REASON_LENGTH));
        const { min, max } = KEPT_BY_FAILURE_MS;
        giveBackAfter(Math.min(max, Math.max(min, spent * KEPT_PER_CPU_MS)), () => failed.delete(server));
      } else {
        proven.add(server);
        const [oldest] = proven;
        if (proven.size > MAX_PROVEN && oldest !== undefined) proven.delete(oldest);
        giveBackAfter(isCostly ? spent * KEPT_BY_COSTLY : KEPT_BY_SUCCESS_MS[outcome]);
      }
      // Others of this server may wait for the outcome.
      admit();
    };
  };

  return {
    enter(name, server, timeout) {
      const owner = ownerNamed(name);
      const { free, proven, tried, failed, waiting } = owner;
      return new Promise((resolve, reject) => {
        const refuse = (reason: string) => {
          leave();
          reject(new RetryLater('TIDINGS_HTTP_UNREACHABLE', `${server} was not connected to: ${reason}`));
        };
        const enter = () => {
          const failure = failed.get(server);
          if (failure !== undefined) return refuse(`its last TLS handshake failed a moment ago: ${failure}`);
          const place = proven.has(server) ? 'proven' : 'unproven';
          const { all, unproven } = owner.inProgress;
          if (all >= most.all || (place === 'unproven' && unproven >= most.unproven)) return;
          if (free[place] === 0 || tried.has(server) || owner.rests > 0) return;
          leave();
          free[place] -= 1;
          if (place === 'unproven') tried.add(server);
          resolve(begin(owner, place, server));
        };
        const leave = () => {
          clearTimeout(timer);
          waiting.delete(enter);
        };
        const tooLate = () =>
          refuse('too many TLS handshakes of receivers of the same key are made, or failed a moment ago');
        const timer = setTimeout(tooLate, timeout).unref();
        waiting.add(enter);
        enter();
      });
    },
  };
}
