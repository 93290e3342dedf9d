/** Starts a real Redmine on loopback, with a database of its own in a temporary folder, never as a service. */

import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Duration, MINUTE, SECOND } from '../../core/model/time.ts';
import { createInstance, type Instance, keepTail } from './install.ts';

export interface RedmineServer {
  readonly url: string;
  /** The API key of the administrator. */
  readonly adminKey: string;
  /** The database, for what its pages would do and for the oracle. */
  readonly database: DatabaseSync;
  /** Ends the process at once, as a crash does. The data stay. */
  kill(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'ad'.repeat(20);

/** It takes 5 s on two cores. */
const START_TIMEOUT: Duration = 4 * MINUTE;

/** Another process may take the free port first. */
const PORT_TRIES = 3;

export async function startRedmine(): Promise<RedmineServer> {
  const instance = await createInstance();
  const database = new DatabaseSync(instance.database);
  try {
    database.exec('PRAGMA busy_timeout = 20000');
    prepare(database);
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const server = serve(instance, port);
      try {
        await server.start();
        return { ...server, adminKey: ADMIN_KEY, database, stop: () => stop(server) };
      } catch (error) {
        await server.kill();
        if (tries === PORT_TRIES) throw error;
      }
    }
  } catch (error) {
    database.close();
    instance.remove();
    throw error;
  }
  async function stop({ kill }: Pick<RedmineServer, 'kill'>): Promise<void> {
    await kill();
    database.close();
    instance.remove();
  }
}

function serve(instance: Instance, port: number): Pick<RedmineServer, 'url' | 'kill' | 'start'> {
  const url = `http://127.0.0.1:${port}`;
  const command = ['rackup', '-s', 'webrick', '-o', '127.0.0.1', '-p', String(port), 'config.ru'];
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      child = instance.spawn(command, ['ignore', 'pipe', 'pipe']);
      const tail = keepTail(child);
      let failure: Error | undefined;
      child.once('error', (error) => {
        failure = error;
      });
      const deadline = performance.now() + START_TIMEOUT;
      while (performance.now() < deadline) {
        if (failure !== undefined) throw failure;
        if (hasEnded(child)) throw new Error(`Redmine ended: ${tail()}`);
        if (await isUp(url)) return;
        await sleep(250);
      }
      throw new Error(`Redmine did not answer within ${START_TIMEOUT / SECOND} s: ${tail()}`);
    },
    async kill() {
      const running = child;
      child = undefined;
      if (running?.pid === undefined || hasEnded(running)) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** REST is off at first, and the administrator has no key. */
function prepare(database: DatabaseSync): void {
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ');
  const setting = database.prepare('INSERT INTO settings (name, value, updated_on) VALUES (?, ?, ?)');
  setting.run('rest_api_enabled', '1', now);
  setting.run('notified_events', '--- []\n', now);
  setApiKey(database, 1, ADMIN_KEY);
}

/** Gives a user this API key, in place of one that nobody has seen. */
export function setApiKey(database: DatabaseSync, user: number, key: string): void {
  database.prepare("DELETE FROM tokens WHERE user_id = ? AND action = 'api'").run(user);
  database
    .prepare("INSERT INTO tokens (user_id, action, value, created_on) VALUES (?, 'api', ?, datetime())")
    .run(user, key);
}

async function isUp(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/users/current.json`, { signal: AbortSignal.timeout(20 * SECOND) });
    await response.arrayBuffer();
    return response.status === 401;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
