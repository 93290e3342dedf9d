/**
 * Keeps the sessions of TLS servers, so that the next connection to one resumes its session: neither side computes a signature, and no
 * certificates are sent and checked. Receivers that close each connection would otherwise cost a complete handshake for each attempt.
 * undici's own cache is lost with each garbage collection.
 */

import { HOUR } from '../../core/model/time.ts';

/** A key has up to a thousand subscriptions. */
const MAX_SESSIONS = 1_000;

/** The server chooses the size of its ticket. Most have less than 2 KB. */
const MAX_SESSION_BYTES = 4_096;

/** A certificate that has expired or is not trusted any more is noticed after this time. */
const MAX_AGE_MS = HOUR;

interface TlsSession {
  readonly session: Buffer;
  /** When the certificates of the server were checked. */
  readonly checkedAt: number;
}

/** Of one owner: no session is shared with another, as no connection is. */
export interface TlsSessions {
  get(server: string): Buffer | undefined;
  /** In place of an earlier one. @param isResumed whether its connection has resumed the earlier one */
  keep(server: string, session: Buffer, isResumed: boolean): void;
  forget(server: string): void;
}

/** @param now in milliseconds, from any start */
export function createTlsSessions(now: () => number = () => performance.now()): TlsSessions {
  /** The oldest first. */
  const sessions = new Map<string, TlsSession>();
  return {
    get(server) {
      const known = sessions.get(server);
      return known !== undefined && now() - known.checkedAt < MAX_AGE_MS ? known.session : undefined;
    },

    keep(server, session, isResumed) {
      const checkedAt = isResumed ? sessions.get(server)?.checkedAt : now();
      sessions.delete(server);
      if (checkedAt === undefined || session.length > MAX_SESSION_BYTES) return;
      sessions.set(server, { session, checkedAt });
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    },

    forget(server) {
      sessions.delete(server);
    },
  };
}
