/**
 * Limits the TLS handshakes of each owner of subscriptions. A server decides what a handshake costs: the check of its chain of
 * certificates can take the client 100 ms, in which nothing else runs, whether the chain is trusted or not. A trusted one is cheap.
 * So each handshake takes one of a few places, and one that fails keeps its place for minutes.
 */

import { RetryLater } from '../../core/model/errors.ts';
import { MINUTE } from '../../core/model/time.ts';

/** At a time, to servers of which a handshake has succeeded, and to others. */
const PLACES = { proven: 16, unproven: 8 } as const;

const KEPT_BY_FAILURE_MS = 5 * MINUTE;

/** A key has up to a thousand subscriptions. */
const MAX_PROVEN = 2_000;

/** To call with the outcome. */
export type EndHandshake = (succeeded: boolean) => void;

interface Places {
  free: number;
  /** By handshakes that failed. */
  kept: number;
  readonly waiting: Set<() => void>;
}

interface Owner {
  readonly proven: Places;
  readonly unproven: Places;
  /** Servers of which the last handshake has succeeded, the oldest first. */
  readonly servers: Set<string>;
}

function giveBack(places: Places): void {
  const [next] = places.waiting;
  if (next === undefined) places.free += 1;
  else next();
}

/** Undefined if there was no room within the time. */
function waitForPlace(places: Places, timeout: number): Promise<Places | undefined> {
  return new Promise((resolve) => {
    const end = (place?: Places) => {
      clearTimeout(timer);
      places.waiting.delete(enter);
      resolve(place);
    };
    const enter = () => end(places);
    const timer = setTimeout(end, timeout).unref();
    places.waiting.add(enter);
  });
}

export interface HandshakeGate {
  /** Throws RetryLater if there is no room within the time. */
  enter(owner: string, server: string, timeout: number): Promise<EndHandshake>;
}

/** @param keptByFailureMs how long a handshake that failed keeps its place */
export function createHandshakeGate(keptByFailureMs: number = KEPT_BY_FAILURE_MS): HandshakeGate {
  const owners = new Map<string, Owner>();

  const ownerNamed = (name: string): Owner => {
    const known = owners.get(name);
    if (known !== undefined) return known;
    const made: Owner = {
      proven: { free: PLACES.proven, kept: 0, waiting: new Set() },
      unproven: { free: PLACES.unproven, kept: 0, waiting: new Set() },
      servers: new Set(),
    };
    owners.set(name, made);
    return made;
  };

  /** A proven server may also use the other places: it may have failed a moment ago, and so many connections of it at once. */
  const takePlace = ({ proven, unproven, servers }: Owner, server: string): Places | undefined => {
    const place = [...(servers.has(server) ? [proven] : []), unproven].find(({ free }) => free > 0);
    if (place !== undefined) place.free -= 1;
    return place;
  };

  return {
    async enter(name, server, timeout) {
      const owner = ownerNamed(name);
      const { servers, unproven } = owner;
      // Handshakes in progress end soon.
      const mayWait = unproven.kept < PLACES.unproven;
      const place = takePlace(owner, server) ?? (mayWait ? await waitForPlace(unproven, timeout) : undefined);
      if (place === undefined)
        throw new RetryLater(
          'TIDINGS_HTTP_UNREACHABLE',
          `${server} was not connected to: too many receivers of the same key failed the TLS handshake in the last minutes`,
        );
      return (succeeded) => {
        servers.delete(server);
        if (!succeeded) {
          place.kept += 1;
          setTimeout(() => {
            place.kept -= 1;
            giveBack(place);
          }, keptByFailureMs).unref();
          return;
        }
        giveBack(place);
        servers.add(server);
        const [oldest] = servers;
        if (servers.size > MAX_PROVEN && oldest !== undefined) servers.delete(oldest);
      };
    },
  };
}
