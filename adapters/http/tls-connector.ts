/** Makes TLS connections of TCP connections: within the limits of each owner, and resuming the sessions of servers. */

import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { floodError } from './flood-error.ts';
import { createHandshakeGate, type EndHandshake } from './handshake-gate.ts';
import { TLS_OPTIONS } from './tls-options.ts';
import { createTlsSessions, type TlsSessions } from './tls-sessions.ts';

interface TlsConnectorOptions {
  /** Milliseconds for the handshake. */
  readonly timeout: number;
  /** PEM certificates to trust instead of Node's own. */
  readonly ca?: string | undefined;
}

/** A connection waits for its handshake in this part of the time, so that the reason of a refusal gets to the caller. */
const WAITING_SHARE = 2 / 3;

/** @param owner of the requests, whose handshakes are limited; undefined: no limit */
type ConnectTls = (
  owner: string | undefined,
  to: buildConnector.Options,
  raw: Socket,
  callback: buildConnector.Callback,
) => void;

export function createTlsConnector({ timeout, ca }: TlsConnectorOptions): ConnectTls {
  const gate = createHandshakeGate();
  /** To make one takes a quarter of a handshake. */
  let secureContext: SecureContext | undefined;
  /** By owner. */
  const known = new Map<string | undefined, TlsSessions>();
  const sessionsOf = (owner: string | undefined): TlsSessions => {
    const sessions = known.get(owner) ?? createTlsSessions();
    known.set(owner, sessions);
    return sessions;
  };
  return (owner, to, raw, callback) => {
    const { host: server = to.hostname } = to;
    const sessions = sessionsOf(owner);
    const shakeHands = (end?: EndHandshake) => {
      secureContext ??= createSecureContext({ ...TLS_OPTIONS, ...(ca === undefined ? {} : { ca }) });
      const session = sessions.get(server);
      const resumption = { maxCachedSessions: 0, ...(session === undefined ? {} : { session }) };
      const connect = buildConnector({ allowH2: false, timeout, secureContext, ...resumption });
      connect({ ...to, httpSocket: raw }, (...args) => {
        const [error, socket] = args;
        // A server that fails with a session may succeed without.
        if (error !== null) sessions.forget(server);
        const isResumed = socket instanceof TLSSocket && socket.isSessionReused();
        if (socket instanceof TLSSocket) keepSessions(sessions, server, socket, isResumed);
        end?.(error ?? (isResumed ? 'resumed' : 'complete'));
        callback(...args);
      });
    };
    if (owner === undefined) return shakeHands();
    gate.enter(owner, server, timeout * WAITING_SHARE).then(shakeHands, (refused: Error) => {
      raw.destroy();
      callback(refused, null);
    });
  };
}

/** Servers send one or two. Each takes time of the loop that delivers, and thousands fit in what a connection may send of its own. */
const MAX_SESSIONS = 8;

/** Up to TLS 1.2 the session is part of the handshake. Since TLS 1.3 the server sends sessions afterwards. */
function keepSessions(sessions: TlsSessions, server: string, socket: TLSSocket, isResumed: boolean): void {
  let count = 0;
  const keep = (session: Buffer) => {
    count += 1;
    if (count > MAX_SESSIONS) socket.destroy(floodError(server, `more than ${MAX_SESSIONS} TLS sessions`));
    else sessions.keep(server, session, isResumed);
  };
  const session = socket.getProtocol() === 'TLSv1.3' ? undefined : socket.getSession();
  if (session !== undefined) keep(session);
  socket.on('session', keep);
}
