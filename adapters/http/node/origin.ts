/**
 * All lines to one origin: hands out those that are free, makes others when none is. Which version of HTTP is spoken is
 * the receiver's choice; what is said over a line is not known here.
 */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { WireOptions } from '../wire.ts';
import { h1Line } from './h1.ts';
import { h2Line } from './h2.ts';
import type { Line } from './line.ts';

export interface OriginOptions extends WireOptions {
  readonly now: () => number;
}

export interface Origin {
  /** Calls `use` in the moment a line is free; not at all when `signal` comes first. Rejects when no connection can be made. */
  take(signal: AbortSignal, use: (line: Line) => void): Promise<void>;
  /** Lets go of the lines that rest. */
  letGo(): void;
  destroy(): void;
}

export function openOrigin(url: URL, options: OriginOptions): Origin {
  const lines = new Set<Line>();
  /** What others wait for, as long as it may turn out to be a line for all of them. */
  let probe: Attempt | undefined;
  // Over plain TCP there is nothing to choose.
  let isOneAtATime = url.protocol === 'http:';

  const addLine = (socket: Socket): Promise<void> => {
    const isH2 = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    const lineOptions = { now: options.now, gone: () => void lines.delete(line) };
    const line: Line = isH2 ? h2Line(socket, url.origin, lineOptions) : h1Line(socket, lineOptions);
    lines.add(line);
    isOneAtATime = !isH2;
    return line.settled ?? Promise.resolve();
  };
  const newLine = (signal: AbortSignal): Promise<void> => {
    const attempt = attemptWith(connect(url, options), addLine);
    if (!isOneAtATime) {
      probe = attempt;
      const end = () => {
        if (probe === attempt) probe = undefined;
      };
      attempt.done.then(end, end);
    }
    return attempt.wait('connected', signal);
  };
  return {
    async take(signal, use) {
      while (!signal.aborted) {
        const line = [...lines].find((one) => one.isFree());
        if (line !== undefined) return use(line);
        await (probe === undefined || probe.isGivenUp() || isOneAtATime ? newLine(signal) : probe.wait('done', signal));
      }
    },
    letGo() {
      for (const line of lines) line.letGo();
    },
    destroy() {
      for (const line of lines) line.destroy();
    },
  };
}

/** A connection that is being made. */
interface Attempt {
  /** The line is there, for whoever comes first. */
  readonly connected: Promise<unknown>;
  /** It is known what it takes: those who wait may look again. */
  readonly done: Promise<void>;
  /** It is known to fail, although that was not told yet. */
  isGivenUp(): boolean;
  /** No longer than until the signal. The last one to go takes the attempt along. */
  wait(until: 'connected' | 'done', signal: AbortSignal): Promise<void>;
}

function attemptWith(socket: Socket, addLine: (socket: Socket) => Promise<void>): Attempt {
  let waiting = 0;
  let isConnected = false;
  // In an object, so that it is not waited for here.
  const connected = whenReady(socket).then(() => {
    isConnected = true;
    return { settled: addLine(socket) };
  });
  const done = connected.then(({ settled }) => settled);
  done.catch(() => {});
  const attempt: Attempt = {
    connected,
    done,
    isGivenUp: () => socket.destroyed,
    wait: (until, signal) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiting -= 1;
          if (waiting === 0 && !isConnected) socket.destroy();
          resolve();
        };
        waiting += 1;
        signal.addEventListener('abort', leave, { once: true });
        const arrive = () => {
          signal.removeEventListener('abort', leave);
          if (!signal.aborted) leave();
        };
        attempt[until].then(arrive, (error) => {
          reject(error);
          arrive();
        });
      }),
  };
  return attempt;
}

/** Between keep-alives of TCP: a receiver whose machine is gone is noticed at last. */
const PROBES_MS = 60_000;

function connect(url: URL, { lookup, ca, timeout }: OriginOptions): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPlain = url.protocol === 'http:';
  const address = { host, port: Number(url.port) || (isPlain ? 80 : 443), lookup };
  const socket = isPlain
    ? connectTcp(address)
    : connectTls({
        ...address,
        ALPNProtocols: ['h2', 'http/1.1'],
        // A certificate can be asked for by name only; an address is compared with the one that comes.
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(ca === undefined ? {} : { ca }),
      });
  // Those who wait for it have deadlines of their own, but where one always follows another it would be for ever.
  const giveUp = () => socket.destroy(new Error(`no connection within ${timeout / 1000} s`));
  // Whoever uses it hears of errors in other ways; without this one they would end the process.
  return socket
    .on('error', () => {})
    .setTimeout(timeout, giveUp)
    .setNoDelay(true)
    .setKeepAlive(true, PROBES_MS);
}

function whenReady(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject).off('close', onClose).removeAllListeners('timeout').setTimeout(0);
      resolve();
    });
    const onClose = () => reject(new Error('the connection was closed before it was made'));
    socket.on('error', reject).on('close', onClose);
  });
}
