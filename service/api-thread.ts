/**
 * The thread that answers the management API and the console, with a connection of its own to the data file. A caller chooses how
 * long a request takes: here it delays other requests, but no poll, no delivery and no `/health`.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { Hono } from 'hono';
import { deferredApp } from '../manage/deferred-app.ts';
import { unpackConfig } from '../runtime/config/packed.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { lowerPriority } from '../runtime/threads.ts';
import { answerForwarded } from './forwarded.ts';
import { openApiPorts } from './open-api-ports.ts';
import type { ApiThreadData, FromApiThread, ToApiThread } from './thread-messages.ts';

if (parentPort === null) throw new Error('expected to run as a thread of the service');
const parent = parentPort;
const post = (message: FromApiThread) =>
  parent.postMessage(message, message.kind === 'response' ? [message.response.body.buffer] : []);

lowerPriority();

// Written by the service, which runs the same code.
const { config, environment, data } = workerData as ApiThreadData;
const database = openData(data, { report: (message) => post({ kind: 'warning', message }) });
const api = openApiPorts({
  config: unpackConfig(config),
  environment,
  database,
  written: (kind) => post({ kind }),
});
const report = (error: unknown) =>
  post({ kind: 'error', error: error instanceof Error ? error : new Error(String(error)) });

/** An app whose code is loaded at its first request. */
const loadApp = (path: string, load: () => Promise<Hono>) =>
  deferredApp(path, async () => {
    post({ kind: 'loading' });
    try {
      return await load();
    } finally {
      post({ kind: 'loaded' });
    }
  });

const loadApi = async () => (await import('../manage/management-api.ts')).openManagementApi({ api, report });
const loadConsole = async () => (await import('../console/app.tsx')).consoleApp({ api, report });
const app = new Hono().route('/v1', loadApp('/v1', loadApi)).route('/console', loadApp('/console', loadConsole));
app.onError((error, context) => {
  report(error);
  return context.text('Something went wrong. Please try again in a moment.\n', 500);
});

/** Whether it has answered a request. The first one loads what all need. */
let isWarm = false;

parent.on('message', (message: ToApiThread) => {
  if (message.kind === 'ping') post({ kind: 'pong' });
  else if (message.kind === 'request') {
    void answerForwarded(app.fetch, message.request).then((response) => {
      post({ kind: 'response', response });
      if (!isWarm) post({ kind: 'loaded' });
      isWarm = true;
    });
  } else {
    database.close();
    process.exit();
  }
});
