/** Runs an emulator's server as a child process on a free port. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LocalServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export interface LocalServerOptions {
  /** For messages. */
  readonly name: string;
  readonly command: string;
  readonly argv: (port: number) => readonly string[];
  /** Path of a request that any response answers once the server is up. */
  readonly probe: string;
}

/** Generous, because Python compiles the modules at the first start. */
const PATIENCE_MS = 60_000;

export async function startLocalServer({ name, command, argv, probe }: LocalServerOptions): Promise<LocalServer> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = spawn(command, argv(port), { stdio: ['ignore', 'ignore', 'pipe'] });
  // moto prints a line per request. Only the last lines are kept, for the error when it exits unexpectedly.
  let said = '';
  server.stderr.on('data', (chunk) => {
    said = (said + String(chunk)).slice(-4000);
  });
  const stop = () => end(server);
  process.once('exit', () => server.kill());
  for (const startedAt = performance.now(); ; await sleep(100)) {
    if (server.exitCode !== null) throw new Error(`${name} exited with ${server.exitCode}: ${said}`);
    if (await responds(`${endpoint}${probe}`)) return { endpoint, stop };
    if (performance.now() - startedAt > PATIENCE_MS) {
      await stop();
      throw new Error(`${name} did not respond within ${PATIENCE_MS / 1000} s: ${said}`);
    }
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill();
  await exited;
}

async function responds(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** The servers do not report the port they chose, so they get one that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}
