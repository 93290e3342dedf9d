/**
 * The server side of Slack's Socket Mode: sockets opened with a ticket, envelopes, acknowledgements, and the disconnects that
 * Slack announces. It does not know what the envelopes contain.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AppAnswer, AppRequest, Transport } from './app-request.ts';
import { parseObject } from './json.ts';

export interface SocketModeOptions {
  readonly appId: string;
  /** Time for the acknowledgement. */
  readonly ackTimeoutMs: number;
  /** Time between the announcement of a disconnect and the disconnect. */
  readonly drainMs: number;
}

export const SOCKET_PATH = '/link/';

/** Slack's limit. */
const MAX_SOCKETS = 10;

/** Slack's clients give up a socket that sends no ping for 30 s. */
const PING_EVERY_MS = 10_000;

interface PendingEnvelope {
  readonly text: string;
  readonly resolve: (answer: AppAnswer) => void;
  readonly timer: NodeJS.Timeout;
  /** The socket it was sent to; undefined while there is none. */
  socket: WebSocket | undefined;
}

export class SocketMode implements Transport {
  readonly #options: SocketModeOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets = new Set<WebSocket>();
  /** Sockets whose end was announced: they get envelopes only if there is no other. */
  readonly #draining = new Set<WebSocket>();
  readonly #tickets = new Set<string>();
  readonly #pending = new Map<string, PendingEnvelope>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #sent = 0;
  #dropsAfterSending = 0;

  constructor(options: SocketModeOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Opens one socket. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://slack');
    const isKnown = url.pathname === SOCKET_PATH && this.#tickets.delete(url.searchParams.get('ticket') ?? '');
    if (!isKnown) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#accept(opened));
  }

  send(request: AppRequest): Promise<AppAnswer> {
    if (this.#sockets.size === 0) return Promise.resolve({ ok: false, failure: 'dispatch_failed' });
    const id = randomUUID();
    const retry =
      request.kind === 'events_api'
        ? { retry_attempt: request.retry?.attempt ?? 0, retry_reason: request.retry?.reason ?? '' }
        : {};
    const text = JSON.stringify({
      envelope_id: id,
      payload: request.payload,
      type: request.kind,
      accepts_response_payload: request.acceptsResponse,
      ...retry,
    });
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#settle(id, { ok: false, failure: 'operation_timeout' }),
        this.#options.ackTimeoutMs,
      );
      const answer = (settled: AppAnswer) => resolve(settled.ok && !request.acceptsResponse ? { ok: true } : settled);
      const pending: PendingEnvelope = { text, resolve: answer, timer, socket: undefined };
      this.#pending.set(id, pending);
      this.#dispatch(pending);
    });
  }

  /** Announces the end of the oldest socket, as Slack does before it closes one. */
  announceDisconnect(reason: 'warning' | 'refresh_requested'): void {
    const oldest = [...this.#sockets].find((one) => !this.#draining.has(one));
    if (oldest === undefined) return;
    this.#draining.add(oldest);
    oldest.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-standin' } }));
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      oldest.close();
    }, this.#options.drainMs);
    this.#timers.add(timer);
  }

  /** Cuts every socket without a close frame. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Cuts a socket right after the next envelope was sent over it, before its acknowledgement can arrive. */
  dropAfterNextEnvelope(): void {
    this.#dropsAfterSending += 1;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const id of [...this.#pending.keys()]) this.#settle(id, { ok: false, failure: 'dispatch_failed' });
    this.drop();
    this.#server.close();
  }

  #accept(socket: WebSocket): void {
    if (this.#sockets.size >= MAX_SOCKETS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close();
      return;
    }
    this.#sockets.add(socket);
    const ping = setInterval(() => socket.ping('Ping from applink-standin'), PING_EVERY_MS);
    socket.on('message', (data) => this.#acknowledge(String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(ping);
      this.#sockets.delete(socket);
      this.#draining.delete(socket);
      // Envelopes without an acknowledgement go to another socket, or wait for one to open.
      for (const pending of this.#pending.values()) {
        if (pending.socket !== socket) continue;
        pending.socket = undefined;
        this.#dispatch(pending);
      }
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.#sockets.size,
        debug_info: { host: 'applink-standin', build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: this.#options.appId },
      }),
    );
    for (const pending of this.#pending.values()) if (pending.socket === undefined) this.#dispatch(pending);
  }

  #dispatch(pending: PendingEnvelope): void {
    const open = [...this.#sockets].filter((one) => one.readyState === one.OPEN);
    const fresh = open.filter((one) => !this.#draining.has(one));
    const usable = fresh.length > 0 ? fresh : open;
    const socket = usable[this.#sent % Math.max(1, usable.length)];
    if (socket === undefined) return;
    this.#sent += 1;
    pending.socket = socket;
    const isLast = this.#dropsAfterSending > 0;
    if (isLast) this.#dropsAfterSending -= 1;
    // The frame is on its way before the connection is cut.
    socket.send(pending.text, isLast ? () => socket.terminate() : undefined);
  }

  #acknowledge(text: string): void {
    const message = parseObject(text);
    if (typeof message?.envelope_id !== 'string') return;
    const { payload } = message;
    this.#settle(message.envelope_id, payload === undefined ? { ok: true } : { ok: true, answer: payload });
  }

  #settle(id: string, answer: AppAnswer): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.resolve(answer);
  }
}
