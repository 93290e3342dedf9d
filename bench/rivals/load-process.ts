/** Starts a measured process of this folder and calls its `serveLoads`. */

import { Agent, request } from 'undici';
import { startProcess } from '../start-process.ts';
import { buildScript } from './build-script.ts';
import { CALLS_IN_FLIGHT } from './load.ts';

export interface LoadProcess {
  readonly pid: number;
  ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** @param options passed to the script as JSON */
export async function startLoadProcess(script: string, options: unknown): Promise<LoadProcess> {
  const { file, remove } = await buildScript(script);
  const { announced, pid, stop } = await startProcess<{ url: string }>(file, [JSON.stringify(options)]);
  const dispatcher = new Agent({ connections: CALLS_IN_FLIGHT });
  return {
    pid,
    async ask(method, path, body) {
      const payload = body === undefined ? null : JSON.stringify(body);
      const headers = { 'content-type': 'application/json' };
      const answer = await request(`${announced.url}${path}`, { method, dispatcher, headers, body: payload });
      const text = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
      return JSON.parse(text);
    },
    async stop() {
      await dispatcher.close();
      await stop();
      await remove();
    },
  };
}
