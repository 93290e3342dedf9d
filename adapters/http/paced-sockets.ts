/**
 * Reads what the servers of subscriptions send in small parts, and lets the event loop turn in between. Node gives TLS all that has
 * arrived on a connection at once. Records without data, such as key updates, then take 70 ms of the loop, and those of a hundred
 * connections seconds.
 */

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { threadCpuMillis } from '../thread-cpu.ts';

/** Takes 2 ms at most: 75 key updates. Most responses are smaller. */
const PART_BYTES = 2_048;

/** Of one connection: as much as a response may have. */
const MAX_WAITING_BYTES = 64 * 1024;

/** In a turn of the loop, for the parts of all. */
const SLICE_MS = 4;

/** After a full slice others have three times as much time. The parts of usual responses never fill one. */
const REST_MS = 12;

/** Calls of all owners, which take turns. */
interface Turns {
  take(owner: string, call: () => void): void;
}

function createTurns(): Turns {
  /** By owner. The one that waited longest is first. */
  const waiting = new Map<string, (() => void)[]>();
  const callNext = () => {
    const [next] = waiting;
    if (next === undefined) return;
    const [owner, calls] = next;
    waiting.delete(owner);
    const call = calls.shift();
    if (calls.length > 0) waiting.set(owner, calls);
    call?.();
  };
  const callSome = () => {
    const end = performance.now() + SLICE_MS;
    while (waiting.size > 0) {
      callNext();
      if (performance.now() < end) continue;
      setTimeout(callSome, REST_MS);
      return;
    }
    isCalling = false;
  };
  let isCalling = false;
  return {
    take(owner, call) {
      const calls = waiting.get(owner);
      if (calls === undefined) waiting.set(owner, [call]);
      else calls.push(call);
      if (isCalling) return;
      isCalling = true;
      setImmediate(callSome);
    },
  };
}

export interface PacedSocket {
  readonly owner: string;
  readonly stream: Duplex;
  /** Bytes of the server that were passed on. */
  readonly bytesRead: number;
  /** The CPU time of this thread that these took, also while one is read: TLS reads each part at once. */
  readonly cpuMillis: number;
}

/** Returns the connection of an owner, which is read in parts. */
export type PaceSocket = (owner: string, socket: Socket) => PacedSocket;

export function createPacedSockets(): PaceSocket {
  const turns = createTurns();
  return (owner, socket) => {
    /** Of what has arrived, the part that was not passed on. */
    let rest: Buffer = Buffer.alloc(0);
    /** Takes effect when all that has arrived before is passed on: it may be a response. */
    let failure: Error | undefined;
    let isWanted = false;
    let hasTurn = false;
    let bytesRead = 0;
    let cpuMillis = 0;
    let passingFrom: number | undefined;
    const passPart = () => {
      hasTurn = false;
      if (stream.destroyed) return;
      const part = rest.subarray(0, PART_BYTES);
      rest = rest.subarray(PART_BYTES);
      bytesRead += part.length;
      passingFrom = threadCpuMillis();
      isWanted = stream.push(part);
      cpuMillis += threadCpuMillis() - passingFrom;
      passingFrom = undefined;
      next();
    };
    const next = () => {
      if (rest.length > 0) {
        if (hasTurn || !isWanted) return;
        hasTurn = true;
        turns.take(owner, passPart);
      } else if (failure !== undefined) stream.destroy(failure);
      else if (socket.readableEnded) stream.push(null);
      else if (isWanted) socket.resume();
    };
    const fail = (error: Error) => {
      failure ??= error;
      next();
    };
    const stream = new Duplex({
      read() {
        isWanted = true;
        next();
      },
      write(chunk, _, done) {
        // A failed write ends the stream. Node would report it to TLS as well, after the connection has closed.
        socket.write(chunk, (error) => {
          if (error) fail(error);
          else done();
        });
      },
      final(done) {
        socket.end(done);
      },
      destroy(error, done) {
        socket.destroy();
        done(error);
      },
    });
    // Nobody else listens while it waits for its handshake.
    stream.on('error', () => {});
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      // What waits in the socket would be lost if it fails.
      if (rest.length >= MAX_WAITING_BYTES) socket.pause();
      next();
    });
    socket.on('end', next);
    socket.on('error', fail);
    socket.on('close', () => {
      if (!socket.readableEnded && failure === undefined) stream.destroy();
    });
    return {
      owner,
      stream,
      get bytesRead() {
        return bytesRead;
      },
      get cpuMillis() {
        return passingFrom === undefined ? cpuMillis : cpuMillis + threadCpuMillis() - passingFrom;
      },
    };
  };
}
