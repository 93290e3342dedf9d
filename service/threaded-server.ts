/** Listens in a thread of its own, and answers the requests that it passes on. A thread that ends is started again. */

import { Worker } from 'node:worker_threads';
import type { Hono } from 'hono';
import { errorMessage } from '../core/model/errors.ts';
import { SECOND } from '../core/model/time.ts';
import { createSignal } from '../runtime/embedded/signal.ts';
import { threadFile } from '../runtime/threads.ts';
import { answerForwarded } from './forwarded.ts';
import { describeListenError, type Listening, onFreePort } from './listen.ts';
import type { ForwardedRequest, FromHttpThread, HttpThreadData, ToHttpThread } from './thread-messages.ts';

/** Reports errors without the path, which may contain an unsubscribe token. */
export function respondToErrors(app: Hono, report: (error: unknown) => void): void {
  app.onError((error, context) => {
    report(error);
    return context.text('Something went wrong. Please try again in a moment.\n', 500);
  });
}

export interface ThreadedServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly port: number;
  /** @default - the loopback address */
  readonly host?: string | undefined;
  readonly warn: (message: string) => void;
  /** Requests at a time whose bodies have arrived. @default 512 */
  readonly maxInFlight?: number;
  /** Bodies that are read at a time. @default 128 */
  readonly maxReading?: number;
}

/** Each may hold a body. More than the callers with a key or a session may have, so that others get in. */
const MAX_IN_FLIGHT = 512;

/** More of them would only take longer each: all are read in turns. */
const MAX_READING = 128;

const RESTART_MS = SECOND;

/** For responses that are on their way when the service stops. */
const MAX_DRAIN_MS = SECOND;

export async function listenInThread(options: ThreadedServerOptions): Promise<Listening> {
  const { warn } = options;
  let thread = await onFreePort(options.port, { err: warn }, (candidate) => openThread(options, candidate));
  const { url, port } = thread;
  let isClosed = false;
  const reopen = async (isRetry = false) => {
    if (isClosed) return;
    if (!isRetry) warn('the thread that listens has ended and starts again');
    try {
      use(await openThread(options, port));
    } catch (error) {
      if (!isRetry) warn(`it cannot listen on port ${port}, and tries again every second: ${errorMessage(error)}`);
      setTimeout(reopen, RESTART_MS, true).unref();
    }
  };
  const use = (opened: Thread) => {
    thread = opened;
    if (isClosed) void thread.worker.terminate();
    else thread.worker.once('exit', () => reopen());
  };
  use(thread);
  return {
    url,
    port,
    async close() {
      isClosed = true;
      const { worker } = thread;
      const drained = new AbortController();
      worker.once('exit', () => drained.abort());
      worker.postMessage({ kind: 'close' } satisfies ToHttpThread);
      await createSignal().wait(MAX_DRAIN_MS, drained.signal);
      await worker.terminate();
    },
  };
}

interface Thread {
  readonly worker: Worker;
  readonly url: string;
  readonly port: number;
}

function openThread(options: ThreadedServerOptions, port: number): Promise<Thread> {
  const { fetch, host, warn, maxInFlight = MAX_IN_FLIGHT, maxReading = MAX_READING } = options;
  const { file, execArgv } = threadFile('http-thread');
  const workerData: HttpThreadData = { port, host, maxInFlight, maxReading };
  const worker = new Worker(file, { workerData, execArgv, name: 'http' });
  const answer = async (request: ForwardedRequest) => {
    const response = await answerForwarded(fetch, request);
    worker.postMessage(response satisfies ToHttpThread, [response.body.buffer]);
  };
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromHttpThread) => {
      if (message.kind === 'request') void answer(message.request);
      else if (message.kind === 'listening') resolve({ worker, url: message.url, port: message.port });
      else reject(describeListenError(Object.assign(new Error(message.message), { code: message.code }), host));
    });
    worker.on('error', (error) => {
      warn(`the thread that listens: ${errorMessage(error)}`);
      reject(error);
    });
    worker.once('exit', () => reject(new Error('the thread has ended')));
  });
}
