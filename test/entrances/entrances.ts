/** The ways in which a subscription is made and changed, each as the people or programs that use it do. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { fromMillis, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { loadConfig } from '../../runtime/config/load.ts';
import { dataFileOf } from '../../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { runCommand } from '../cli/run-command.ts';
import { startConsoleWorld } from '../console/console-world.ts';
import { type ApiWorld, startApiWorld } from '../manage/api-world.ts';
import { findButton, startSlackWorld, textIn } from '../manage/slack/slack-world.ts';
import { event, NOON } from '../samples.ts';

/** The name of the subscription: the Slack app names it after its channel. */
export const NAME = 'website';

export const VERBS = ['add', 'change', 'pause', 'resume', 'remove', 'rotate'] as const;
export type Verb = (typeof VERBS)[number];

/** What people are told of the subscription. */
export type Shown = 'active' | 'paused' | 'absent';

export interface Entrance extends Readonly<Record<Verb, () => Promise<unknown>>> {
  show(): Promise<Shown>;
  /** Sends a test message, and waits for its attempt. @default - it cannot */
  test?(): Promise<unknown>;
  /** Sends a recorded event again. @default - it cannot */
  resend?(event: string): Promise<unknown>;
  /** Gives the subscription this name. @default - only the config renames */
  rename?(to: string): Promise<unknown>;
  /** Runs again what a process that ended has left on the queue. @default - nothing */
  recover?(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether an entrance does not have a verb of its own. */
export const LACKS: Readonly<Record<string, readonly Verb[]>> = {
  // Messages to Slack are not signed.
  'Slack app': ['rotate'],
};

const ADDED = 'task.closed';
const CHANGED = 'task.overdue';

const stateOf = (isPaused: boolean): Shown => (isPaused ? 'paused' : 'active');

async function openApi(folder: string, input: (url: string, type: string) => object): Promise<Entrance> {
  const world = await startApiWorld({ database: openDatabase(dataFileOf(folder)) });
  const ask = askOrThrow(world);
  const { url } = world.receiver;
  return {
    add: () => ask('POST', '/subscriptions', { name: NAME, ...input(url, ADDED) }),
    change: () => ask('PUT', `/subscriptions/${NAME}`, { name: NAME, ...input(url, CHANGED) }),
    pause: () => ask('POST', `/subscriptions/${NAME}/pause`),
    resume: () => ask('POST', `/subscriptions/${NAME}/resume`),
    remove: () => ask('DELETE', `/subscriptions/${NAME}`),
    rotate: () => ask('POST', `/subscriptions/${NAME}/rotate`),
    test: () => whilePumping(world, () => ask('POST', `/subscriptions/${NAME}/test`, {})),
    resend: (event) => ask('POST', `/subscriptions/${NAME}/replay`, { event }),
    async show() {
      const { status, body } = await world.ask('GET', `/subscriptions/${NAME}`);
      return status === 404 ? 'absent' : stateOf(body.active === false);
    },
    stop: world.stop,
  };
}

const askOrThrow =
  (world: ApiWorld) =>
  async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await world.ask(method, path, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };

/** The attempts that the work waits for are made meanwhile, as by `serve`. */
async function whilePumping<T>(world: Pick<ApiWorld, 'pump'>, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const result = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await world.pump();
    await sleep(20);
  }
  return result;
}

async function openConsole(folder: string): Promise<Entrance> {
  const world = await startConsoleWorld({ database: openDatabase(dataFileOf(folder)) });
  const browser = await world.logInAs();
  const hidden = (text: string, name: string) =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&quot;', '"');
  const page = `/console/subscriptions/${NAME}`;
  /** Opens a page, and sends its form with these fields to the address. */
  const send = async (path: string, to: string, fields: Readonly<Record<string, string>> = {}) => {
    const { text } = await browser.get(path);
    const own = Object.fromEntries(['csrf', 'seed', 'etag'].map((name) => [name, hidden(text, name)]));
    const response = await browser.post(to, { ...own, ...fields });
    if (response.status >= 400) throw new Error(`${to}: ${response.status}`);
  };
  const fields = (query: string) => ({ channel: 'http', mode: 'query', 'to.url': world.receiver.url, query });
  return {
    add: () =>
      send('/console/subscriptions/new?channel=http', '/console/subscriptions/new', { name: NAME, ...fields(ADDED) }),
    change: () => send(`${page}/edit`, `${page}/edit`, fields(CHANGED)),
    pause: () => send(page, `${page}/pause`),
    resume: () => send(page, `${page}/resume`),
    remove: () => send(page, `${page}/remove`),
    rotate: () => send(page, `${page}/rotate`),
    test: () => whilePumping(world, () => send(page, `${page}/test`)),
    resend: (event) => send(`/console/events/${event}`, `/console/events/${event}/resend`, { subscription: NAME }),
    async show() {
      const { status, text } = await browser.get(page);
      return status === 404 ? 'absent' : stateOf(text.includes(`${page}/resume`));
    },
    stop: world.stop,
  };
}

async function openSlack(folder: string): Promise<Entrance> {
  const world = await startSlackWorld({ file: dataFileOf(folder) });
  // No faster than one person may.
  const type = (command: string) => {
    world.advance(10 * SECOND);
    return world.type(command);
  };
  const confirm = async (command: string) => {
    const { replies } = await type(command);
    await world.press(findButton(replies[0], 'Subscribe'));
  };
  return {
    add: () => confirm(`subscribe ${ADDED}`),
    async change() {
      // The button below a message about this event.
      const { data, ...sent } = event('1', { type: ADDED, time: world.clock.now() });
      await world.record({ ...sent, data: { ...data, record: { ...data.record, project: 'Shop' } } });
      await world.press({ action_id: 'tidings:fewer', block_id: `tidings:${sent.id}:${NAME}` }, { ts: '1.1' });
    },
    pause: () => type('pause'),
    resume: () => type('resume'),
    remove: () => type(`unsubscribe ${NAME}`),
    rotate: async () => {},
    test: () => type('test'),
    async show() {
      const { replies } = await type('list');
      const text = textIn(replies);
      if (!text.includes(`*${NAME}*`)) return 'absent';
      return stateOf(/, paused/.test(text));
    },
    async recover() {
      // The job is received again a minute after the process that had it ended.
      for (let round = 0; round < 8; round++) {
        world.advance(2 * MINUTE);
        await world.pump();
      }
    },
    stop: world.stop,
  };
}

/** The command line and the config: a file each, and commands on the data directory. */
function openFiles(folder: string) {
  const environment = { TOKEN: 'token', OPS: `whsec_${Buffer.alloc(24, 1).toString('base64')}` };
  const [config, file] = [join(folder, 'tidings.yaml'), join(folder, 'subscription.yaml')];
  let now = toMillis(NOON);
  const clock = { now: () => fromMillis(now++) };
  const subscription = (type: string, secret = '${OPS}') => ({
    name: NAME,
    events: [type],
    to: { http: { url: 'https://ops.example.com/hook', secret } },
  });
  const writeConfig = (...subscriptions: readonly object[]) => {
    const source = { baseUrl: 'https://work.example.com/api', token: '${TOKEN}' };
    writeFileSync(config, JSON.stringify({ source, subscriptions }));
  };
  const run = async (...argv: readonly string[]) => {
    const result = await runCommand([...argv, '--data', folder], { environment, clock });
    if (result.code !== 0) throw new Error(`${argv.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const show = async (): Promise<Shown> => {
    const rows = (await run('subscriptions', '--json')).split('\n').filter((line) => line !== '');
    const own = rows.map((line) => JSON.parse(line)).find(({ name }) => name === NAME);
    return own === undefined ? 'absent' : stateOf(own.health.state === 'paused');
  };
  writeConfig();
  return { environment, clock, config, file, subscription, writeConfig, run, show };
}

async function openCommandLine(folder: string): Promise<Entrance> {
  const { config, file, subscription, run, show } = openFiles(folder);
  const add = (type: string) => {
    writeFileSync(file, JSON.stringify(subscription(type)));
    return run('subscriptions', 'add', file, '--config', config);
  };
  return {
    add: () => add(ADDED),
    change: () => add(CHANGED),
    pause: () => run('subscriptions', 'pause', NAME),
    resume: () => run('subscriptions', 'resume', NAME),
    remove: () => run('subscriptions', 'remove', NAME),
    rotate: () => run('subscriptions', 'rotate', NAME),
    // The receiver cannot be reached, so both end with an exit code of 1.
    test: () => run('subscriptions', 'test', NAME, '--config', config).catch(() => {}),
    resend: (event) => run('replay', '--subscription', NAME, '--event', event, '--config', config).catch(() => {}),
    show,
    stop: async () => {},
  };
}

async function openConfig(folder: string): Promise<Entrance> {
  const { environment, clock, config, subscription, writeConfig, run, show } = openFiles(folder);
  /** What `serve` and `once` do at their start. */
  const apply = async (...subscriptions: readonly object[]) => {
    writeConfig(...subscriptions);
    const loaded = loadConfig(config, environment);
    const database = openDatabase(dataFileOf(folder));
    try {
      const embedded = await openEmbedded({
        config: loaded,
        database,
        environment,
        clock,
        holder: 'test',
        random: () => 0.5,
      });
      await embedded.close();
    } catch (error) {
      database.close();
      throw error;
    }
  };
  return {
    add: () => apply(subscription(ADDED)),
    change: () => apply(subscription(CHANGED)),
    // The config does not say whether a subscription is paused.
    pause: () => run('subscriptions', 'pause', NAME),
    resume: () => run('subscriptions', 'resume', NAME),
    remove: () => apply(),
    rotate: () => apply(subscription(CHANGED, `whsec_${Buffer.alloc(24, 2).toString('base64')}`)),
    rename: (to) => apply({ ...subscription(ADDED), name: to, renamedFrom: NAME }),
    show,
    stop: async () => {},
  };
}

export const ENTRANCES: Readonly<Record<string, (folder: string) => Promise<Entrance>>> = {
  config: openConfig,
  'command line': openCommandLine,
  'management API': (folder) => openApi(folder, (url, type) => ({ url, events: [type] })),
  'REST hooks': (folder) => openApi(folder, (targetUrl, event) => ({ targetUrl, event })),
  console: openConsole,
  'Slack app': openSlack,
};

/** A folder with an empty data file. */
export function makeDataFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-entrance-'));
  openDatabase(dataFileOf(folder)).close();
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
