/**
 * Installs Debian's package of Redmine if it is missing, and makes the database of a new installation. Uses the program files of
 * the package only: its own instance, if there is one, is neither read nor changed.
 */

import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Duration, MINUTE, SECOND } from '../../core/model/time.ts';

const HOME = '/usr/share/redmine';
const LANE = join(import.meta.dirname, '../../.lanes/redmine');
const PACKAGES = ['redmine', 'redmine-sqlite', 'ruby-webrick'];
/** Redmine does not run as root. */
const USER = 'www-data';

/** Generous: CI may run on a slow machine, or fetch the packages over a slow line. */
const INSTALL_TIMEOUT: Duration = 20 * MINUTE;
const MIGRATE_TIMEOUT: Duration = 10 * MINUTE;

const isRoot = process.getuid?.() === 0;
const isInstalled = () => existsSync(join(HOME, 'config.ru')) && versionOf('redmine-sqlite') !== undefined;
const canSudo = () => spawnSync('sudo', ['-n', 'true'], { timeout: 20 * SECOND }).status === 0;
const say = (text: string) => process.stderr.write(`test:redmine: ${text}\n`);

/** Why Redmine cannot be started here; undefined if it can. */
export function findObstacle(): string | undefined {
  if (isInstalled()) return undefined;
  if (!existsSync('/etc/debian_version')) return 'Redmine is tested with the package of Debian, and this is no Debian';
  if (isRoot || canSudo()) return undefined;
  return `Redmine is not installed, and this user may not install it (no root, no sudo without a password). Run as root: apt-get install --no-install-recommends ${PACKAGES.join(' ')}`;
}

/** A folder in which Redmine runs as an instance of its own: configuration, database, log and temporary files. */
export interface Instance {
  readonly folder: string;
  /** The SQLite file. */
  readonly database: string;
  /** Starts a command of Redmine's bundle, under a user that is not root. It ends with this process. */
  spawn(command: readonly string[], stdio: SpawnOptions['stdio']): ChildProcess;
  remove(): void;
}

/** An instance with the database of a new installation. Installs and prepares what is missing, once. */
export async function createInstance(): Promise<Instance> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  if (!isInstalled()) await installPackages();
  const prepared = join(LANE, `new-${versionOf('redmine')}.sqlite3`);
  if (!existsSync(prepared)) await prepareDatabase(prepared);
  const instance = createFolder();
  copyFileSync(prepared, instance.database);
  own(instance.database);
  return instance;
}

/** Without a database and without the packages that are only recommended, such as a web server. */
async function installPackages(): Promise<void> {
  say(`installing ${PACKAGES.join(', ')} from Debian, about a minute`);
  const admin = isRoot ? ['env'] : ['sudo', '-n', 'env'];
  const apt = [...admin, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=600', '-qq'];
  const preseed = spawnSync(admin[0] ?? '', [...admin.slice(1), 'debconf-set-selections'], {
    input: 'redmine redmine/instances/default/dbconfig-install boolean false\n',
    timeout: MINUTE,
  });
  if (preseed.status !== 0) say(`debconf-set-selections: ${preseed.stderr}`);
  // A source that does not answer must not prevent the installation from the others.
  await run([...apt, 'update'], { timeout: INSTALL_TIMEOUT }).catch((error: unknown) => say(String(error)));
  await run([...apt, 'install', '-y', '--no-install-recommends', ...PACKAGES], { timeout: INSTALL_TIMEOUT });
  if (!isInstalled()) throw new Error(`apt-get installed ${PACKAGES.join(', ')}, but ${HOME} has no Redmine`);
}

/** Runs the migrations and loads the statuses, trackers and roles that Redmine proposes. */
async function prepareDatabase(file: string): Promise<void> {
  say(`preparing the database of a new Redmine ${versionOf('redmine')}, about 20 s`);
  const instance = createFolder();
  try {
    // The data need a process that knows the migrated tables.
    for (const task of ['db:migrate', 'redmine:load_default_data']) {
      const child = instance.spawn(['rake', task], ['ignore', 'pipe', 'pipe']);
      await finish(child, `rake ${task}`, MIGRATE_TIMEOUT);
    }
    mkdirSync(LANE, { recursive: true });
    const copy = `${file}.${process.pid}`;
    saveDatabase(instance.database, copy);
    renameSync(copy, file);
  } finally {
    instance.remove();
  }
}

/** The newest rows may be in a file beside the database. */
function saveDatabase(file: string, copy: string): void {
  const database = new DatabaseSync(file);
  try {
    const trackers = database.prepare('SELECT count(*) AS count FROM trackers').get()?.count;
    if (trackers === 0) throw new Error('rake redmine:load_default_data loaded nothing');
    rmSync(copy, { force: true });
    database.prepare('VACUUM INTO ?').run(copy);
  } finally {
    database.close();
  }
}

function createFolder(): Instance {
  // The folder for temporary files of root may be closed to others.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'tidings-redmine-'));
  const database = join(folder, 'redmine.sqlite3');
  for (const name of ['config', 'log', 'tmp', 'files', 'public/plugin_assets'])
    mkdirSync(join(folder, name), { recursive: true });
  const files = {
    // The bundle of the package lacks the web server, and names the adapters of the databases that this user may read.
    Gemfile: `eval_gemfile '${HOME}/Gemfile'
(%w[sqlite3 webrick] - dependencies.map(&:name)).each { |name| gem name }
`,
    'config/database.yml': `production:\n  adapter: sqlite3\n  database: ${database}\n  timeout: 20000\n`,
    'config/secret_key.txt': `${'0123456789abcdef'.repeat(4)}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const name of ['', 'config', 'log', 'tmp', 'files', 'public', 'public/plugin_assets', ...Object.keys(files)])
    own(join(folder, name));
  return {
    folder,
    database,
    spawn: (command, stdio) =>
      // The kernel ends it with the thread that started it, however that ends.
      spawn('setpriv', ['--pdeathsig', 'KILL', 'bundle', 'exec', ...command], {
        ...owner(),
        cwd: HOME,
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          LANG: 'C.UTF-8',
          TZ: 'UTC',
          HOME: folder,
          BUNDLE_GEMFILE: join(folder, 'Gemfile'),
          RAILS_ENV: 'production',
          REDMINE_LANG: 'en',
          SCHEMA: '/dev/null',
          // The name of an instance is a path from the folder of instances.
          REDMINE_INSTANCE: join('../../../../../..', folder),
        },
        stdio,
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function owner(): { uid?: number; gid?: number } {
  const idOf = (option: string) => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
}

function own(path: string): void {
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function versionOf(name: string): string | undefined {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Version}', name], {
    encoding: 'utf8',
  });
  const [state, version] = status === 0 ? stdout.split(' ') : [];
  return state === 'installed' ? version : undefined;
}

function run([command = '', ...args]: readonly string[], { timeout }: { readonly timeout: Duration }): Promise<void> {
  return finish(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }), args.slice(-4).join(' '), timeout);
}

/** Rejects with the end of the output unless the process ends with 0 in time. */
function finish(child: ChildProcess, name: string, timeout: Duration): Promise<void> {
  return new Promise((resolve, reject) => {
    const tail = keepTail(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`${name} ended with ${code ?? signal}: ${tail()}`));
    });
  });
}

/** The end of what a process has written. */
export function keepTail(child: ChildProcess): () => string {
  let output = '';
  const note = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4000);
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  return () => output;
}
