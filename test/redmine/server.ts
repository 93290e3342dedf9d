/**
 * Starts a real Redmine from Debian's package: on loopback, with a database of its own in a temporary folder, under the
 * package's own user, never as a service. Installs the package if it is missing.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const HOME = '/usr/share/redmine';
const DATABASE = '/var/lib/dbconfig-common/sqlite3/redmine/instances/default/redmine_default';
const USER = 'www-data';

/** Why Redmine cannot be started here; undefined if it can. */
export function findObstacle(): string | undefined {
  if (existsSync(DATABASE)) return undefined;
  if (!existsSync('/etc/debian_version')) return 'Redmine is tested with the package of Debian, and this is no Debian';
  if (process.getuid?.() !== 0) return "Redmine's package is not installed: apt-get install redmine redmine-sqlite";
  return undefined;
}

function installPackage(): void {
  if (existsSync(DATABASE)) return;
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-qq'], options);
  const packages = ['redmine', 'redmine-sqlite'];
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}

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

export async function startRedmine(): Promise<RedmineServer> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  installPackage();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-redmine-'));
  const file = join(folder, 'redmine.sqlite3');
  copyFileSync(DATABASE, file);
  const isRoot = process.getuid?.() === 0;
  const idOf = (option: string) => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined && owner.gid !== undefined)
    for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA busy_timeout = 20000');
  prepare(database);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const gems = execFileSync('dpkg', ['-L', 'ruby-webrick'], { encoding: 'utf8' });
  const webrick = gems.split('\n').find((path) => path.endsWith('/lib')) ?? '';
  const command = ['exec', 'rackup', '-s', 'webrick', '-o', '127.0.0.1', '-p', String(port), 'config.ru'];
  let child: ChildProcess | undefined;
  let output = '';

  const start = async () => {
    child = spawn('bundle', command, {
      ...owner,
      cwd: HOME,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        DATABASE_URL: `sqlite3:${file}?timeout=20000`,
        X_DEBIAN_SITEID: 'default',
        RAILS_ENV: 'production',
        RUBYLIB: webrick,
        TZ: 'UTC',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const note = (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4000);
    };
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
    for (let tries = 0; tries < 600; tries++) {
      if (child.exitCode !== null) throw new Error(`Redmine ended: ${output}`);
      if (await isUp(url)) return;
      await sleep(250);
    }
    throw new Error(`Redmine did not start: ${output}`);
  };
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  try {
    await start();
  } catch (error) {
    await kill();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    url,
    adminKey: ADMIN_KEY,
    database,
    kill,
    start,
    async stop() {
      await kill();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** REST is off at first, and the administrator has no key. */
function prepare(database: DatabaseSync): void {
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ');
  const setting = database.prepare('INSERT INTO settings (name, value, updated_on) VALUES (?, ?, ?)');
  setting.run('rest_api_enabled', '1', now);
  setting.run('notified_events', '--- []\n', now);
  const token = database.prepare(
    'INSERT INTO tokens (user_id, action, value, created_on, updated_on) VALUES (1, ?, ?, ?, ?)',
  );
  token.run('api', ADMIN_KEY, now, now);
}

async function isUp(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/users/current.json`, { signal: AbortSignal.timeout(20_000) });
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
