/**
 * Socket Mode: receives Slack's requests over WebSockets that this process opens, so that no public URL is needed. When Slack
 * announces the end of a socket, the next one is opened before the old one is closed. Slack's own client closes it first,
 * and misses requests for some seconds. What a request means is decided by `receive`.
 */

import { setTimeout as realSleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { errorMessage } from '../../core/model/errors.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';

export type SlackPayload = Readonly<Record<string, unknown>>;

const isPayload = (value: unknown): value is SlackPayload => typeof value === 'object' && value !== null;

export interface SlackSocketOptions {
  /** Asks Slack for the URL of a new socket: `apps.connections.open`. */
  readonly openUrl: () => Promise<string>;
  /** Handles a payload. The socket acknowledges it with the result; if it fails, Slack sends the payload again. */
  readonly receive: (payload: SlackPayload) => Promise<SlackPayload>;
  /** Whether the app is connected, for a log. */
  readonly onState?: (isConnected: boolean, reason: string) => void;
  readonly report?: (error: unknown) => void;
  /** Waits before the next try. @default - real time */
  readonly sleep?: (millis: Duration, signal: AbortSignal) => Promise<unknown>;
  /** Slack pings every few seconds: a socket without a ping for this long is dead. @default 30 s */
  readonly pingTimeout?: Duration;
}

/** Slack closes sockets after hours; a URL that is not used within seconds expires. */
const HELLO_TIMEOUT: Duration = 15 * SECOND;
const FIRST_WAIT: Duration = SECOND;
const MAX_WAIT: Duration = 30 * SECOND;
/** A request over HTTP may be as long. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How long an old socket stays open after the next one is ready, for requests that Slack has already sent to it. */
const LINGER: Duration = 5 * SECOND;

const sleepWithTimer = (millis: Duration, signal: AbortSignal) => realSleep(millis, undefined, { signal });

/** Keeps a socket open until `stop` aborts, then finishes the requests in hand. */
export async function runSlackSocket(options: SlackSocketOptions, stop: AbortSignal): Promise<void> {
  const { onState = () => {}, report = () => {}, sleep = sleepWithTimer } = options;
  const retiring = new Set<Promise<void>>();
  let current: Socket | undefined;
  let wait = FIRST_WAIT;
  const waitLonger = async () => {
    await sleep(wait, stop).catch(() => {});
    wait = Math.min(MAX_WAIT, wait * 2);
  };
  while (!stop.aborted) {
    try {
      const next = await openSocket(options);
      const openedAt = performance.now();
      if (current !== undefined) retire(retiring, current);
      current = next;
      onState(true, 'connected');
      const ended = await Promise.race([next.ends, aborted(stop)]);
      // A warning leaves the socket open until the next one is ready; a socket that is closed has nothing to retire.
      if (ended === 'closed') {
        current = undefined;
        onState(false, next.reason());
      }
      // Sockets that end at once would be opened hundreds of times a second.
      if (performance.now() - openedAt > MAX_WAIT) wait = FIRST_WAIT;
      else await waitLonger();
    } catch (error) {
      report(error);
      onState(current !== undefined, errorMessage(error));
      await waitLonger();
    }
  }
  if (current !== undefined) retiring.add(current.close());
  await Promise.all(retiring);
}

function retire(retiring: Set<Promise<void>>, old: Socket): void {
  const closing = old.closeLater(LINGER).finally(() => retiring.delete(closing));
  retiring.add(closing);
}

interface Socket {
  /** `warned`: Slack will close it soon; `closed`: it is closed. */
  readonly ends: Promise<'warned' | 'closed'>;
  readonly reason: () => string;
  /** Closes it once the requests in hand are acknowledged. */
  close(): Promise<void>;
  closeLater(millis: Duration): Promise<void>;
}

/** Resolves when Slack says hello: from then on requests may arrive. */
async function openSocket(options: SlackSocketOptions): Promise<Socket> {
  const { receive, report = () => {}, pingTimeout = 30 * SECOND } = options;
  const socket = new WebSocket(await options.openUrl(), { perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  const inFlight = new Set<Promise<void>>();
  const hello = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<'warned' | 'closed'>();
  let reason = 'the connection was closed';
  let heartbeat = setTimeout(() => {}, 0);
  const beat = () => {
    clearTimeout(heartbeat);
    heartbeat = setTimeout(() => {
      reason = `no ping from Slack for ${pingTimeout / SECOND} s`;
      socket.terminate();
    }, pingTimeout);
  };
  const helloTimer = setTimeout(() => socket.terminate(), HELLO_TIMEOUT);

  const handle = async (id: string, payload: SlackPayload, acceptsPayload: boolean): Promise<void> => {
    try {
      const ack = await receive(payload);
      const hasPayload = acceptsPayload && Object.keys(ack).length > 0;
      // If the socket has closed meanwhile, Slack repeats the request on another one, and gets the same answer.
      if (socket.readyState === WebSocket.OPEN) {
        socket.send(JSON.stringify({ envelope_id: id, payload: hasPayload ? ack : undefined }));
      }
    } catch (error) {
      report(error);
    }
  };

  socket.on('ping', beat);
  socket.on('message', (data) => {
    beat();
    const message = readJsonObject(String(data));
    if (message === undefined) return;
    if (message.type === 'hello') hello.resolve();
    else if (message.type === 'disconnect') {
      reason = `Slack closes the connection: ${String(message.reason ?? '')}`;
      ends.resolve('warned');
    } else if (typeof message.envelope_id === 'string') {
      const { envelope_id: id, payload, accepts_response_payload: accepts } = message;
      const work = handle(id, isPayload(payload) ? payload : {}, accepts === true);
      const tracked = work.finally(() => inFlight.delete(tracked));
      inFlight.add(tracked);
    }
  });
  socket.on('error', (error) => {
    reason = error.message;
    hello.reject(error);
  });
  socket.on('close', () => {
    clearTimeout(heartbeat);
    clearTimeout(helloTimer);
    hello.reject(new Error(reason));
    ends.resolve('closed');
  });
  await hello.promise;
  clearTimeout(helloTimer);
  beat();
  const close = async () => {
    await Promise.all(inFlight);
    socket.close();
    // A peer that does not answer the close must not keep the process alive.
    setTimeout(() => socket.terminate(), SECOND).unref();
  };
  return {
    ends: ends.promise,
    reason: () => reason,
    close,
    closeLater: async (millis) => {
      await Promise.race([
        realSleep(millis, undefined, { ref: false }),
        new Promise((done) => socket.once('close', done)),
      ]);
      await close();
    },
  };
}

function aborted(signal: AbortSignal): Promise<'stopped'> {
  if (signal.aborted) return Promise.resolve('stopped');
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true }));
}
