/**
 * Passes requests on to the thread of the management API and the console, which is started at the first of them. A thread that
 * does not respond for too long is ended: its requests get an error, and the next one starts another.
 */

import { Worker } from 'node:worker_threads';
import { type Context, Hono } from 'hono';
import { threadFile } from '../runtime/threads.ts';
import { apiUnavailable, readComplete, toPassedOn } from './forwarded.ts';
import type { ApiThreadData, FromApiThread, ToApiThread } from './thread-messages.ts';

export interface ThreadedAppOptions {
  readonly data: ApiThreadData;
  /** Called after the thread wrote what a loop of the service waits for. */
  readonly written: (what: 'changed' | 'queued') => void;
  readonly warn: (message: string) => void;
  readonly report: (error: unknown) => void;
  /** How long one piece of work may take. @default 10 s */
  readonly maxBlockedMs?: number;
  /** The same while it loads code. @default 30 s */
  readonly maxLoadingMs?: number;
}

export interface ThreadedApp {
  readonly app: Hono;
  /** Waits a moment for requests in flight. */
  close(): Promise<void>;
}

/** No work of a valid request takes as long. */
const MAX_BLOCKED_MS = 10_000;
const PINGS_PER_LIMIT = 4;

/** Loading the code takes a second, on a busy machine ten. */
const MAX_LOADING_MS = 30_000;

/** A test of a subscription waits up to 10 s for its attempt; a restart does not wait for it. */
const MAX_CLOSE_MS = 2_000;

/** A thread that needs more is ended by Node, and the service goes on. */
const MAX_HEAP_MB = 1024;

interface Thread {
  readonly worker: Worker;
  readonly pending: Map<number, (response: Response) => void>;
  /** Pings since it last responded to anything. Not a time: this process may have stood still itself. */
  unanswered: number;
  /** How many pieces of code it loads, its own included. */
  loading: number;
}

export function threadedApp(options: ThreadedAppOptions): ThreadedApp {
  const { data, written, warn, report, maxBlockedMs = MAX_BLOCKED_MS, maxLoadingMs = MAX_LOADING_MS } = options;
  const pingEvery = maxBlockedMs / PINGS_PER_LIMIT;
  let thread: Thread | undefined;
  let isClosed = false;
  let requests = 0;

  const receive = (from: Thread, message: FromApiThread) => {
    from.unanswered = 0;
    if (message.kind === 'response') from.pending.get(message.response.id)?.(toPassedOn(message.response));
    else if (message.kind === 'loading') from.loading += 1;
    else if (message.kind === 'loaded') from.loading -= 1;
    else if (message.kind === 'error') report(message.error);
    else if (message.kind === 'warning') warn(message.message);
    else if (message.kind === 'changed' || message.kind === 'queued') written(message.kind);
  };

  const start = (): Thread => {
    const { file, execArgv } = threadFile('api-thread');
    const worker = new Worker(file, {
      workerData: data,
      execArgv,
      name: 'api',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const started: Thread = { worker, pending: new Map(), unanswered: 0, loading: 1 };
    const watch = setInterval(() => {
      if (started.pending.size === 0) return;
      const limit = started.loading === 0 ? maxBlockedMs : maxLoadingMs;
      if (started.unanswered * pingEvery >= limit) void worker.terminate();
      else worker.postMessage({ kind: 'ping' } satisfies ToApiThread);
      started.unanswered += 1;
    }, pingEvery).unref();
    worker.on('message', (message: FromApiThread) => receive(started, message));
    worker.on('error', report);
    worker.on('exit', () => {
      clearInterval(watch);
      if (thread === started) thread = undefined;
      if (started.pending.size > 0 && !isClosed) warn('the thread of the management API was ended and starts again');
      for (const settle of started.pending.values()) settle(unavailable());
    });
    return started;
  };

  const forward = async ({ req: { raw } }: Context): Promise<Response> => {
    const { method, url, headers } = raw;
    const body = await readComplete(raw);
    if (isClosed) return unavailable();
    thread ??= start();
    const to = thread;
    if (to.pending.size === 0) to.unanswered = 0;
    requests += 1;
    const id = requests;
    const { promise, resolve } = Promise.withResolvers<Response>();
    to.pending.set(id, resolve);
    const request = { id, method, url, headers: [...headers], ...(body === undefined ? {} : { body }) };
    to.worker.postMessage({ kind: 'request', request } satisfies ToApiThread, body === undefined ? [] : [body.buffer]);
    try {
      return await promise;
    } finally {
      to.pending.delete(id);
    }
  };

  return {
    app: new Hono().all('*', forward),
    async close() {
      isClosed = true;
      const closing = thread;
      if (closing === undefined) return;
      const deadline = performance.now() + MAX_CLOSE_MS;
      while (closing.pending.size > 0 && performance.now() < deadline)
        await new Promise((next) => setTimeout(next, 20));
      const exited = new Promise((resolve) => closing.worker.once('exit', resolve));
      closing.worker.postMessage({ kind: 'close' } satisfies ToApiThread);
      const timer = setTimeout(() => void closing.worker.terminate(), MAX_CLOSE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

const unavailable = () => apiUnavailable('the API starts again: try again in a moment', 5);
