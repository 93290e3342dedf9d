/**
 * Two installations watch one account. One stays embedded. The other moves to a new stack in AWS and back to a new directory
 * with `tidings export` and `tidings import`, again and again, while the account changes and a receiver fails. Neither polls
 * during a move, so both must send the same events to machines and people, each once.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import { CONFIG, LEDGER_TABLE, SNAPSHOTS_TABLE } from '../../runtime/aws/environment.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { packConfig } from '../../runtime/config/packed.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { recordStream } from '../adapters/dynamodb/recorded-stream.ts';
import { type CommandResult, runCommand } from '../cli/run-command.ts';
import { leadToStack } from '../e2e/aws-account.ts';
import { drainQueue } from '../functions/drain.ts';
import { OPS, openFunctions, startWorld, streamBatches, TOKEN, type World } from '../functions/world.ts';
import { SECRET } from '../samples.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { changeNames, changeTask, handOver, payPart, STORM_SOURCE, times } from './storm-actions.ts';
import { startReceivers } from './storm-receivers.ts';

export interface MovesOptions {
  readonly seed: number;
  readonly moves: number;
}

/** Steps between two moves. */
const STEPS = 6;

/** Time between two steps. */
const JUMPS = [MINUTE, 2 * MINUTE, 7 * MINUTE, 40 * MINUTE, 3 * HOUR, 9 * HOUR];

/** An export of a stack is refused until it has rested for five minutes. */
const REST = 6 * MINUTE;

/** Rounds in which the last deliveries are retried. */
const LAST_ROUNDS = 12;

const EVERY_MINUTE = { every: '1m' };
const RESOURCES = {
  ...STORM_SOURCE.resources,
  ...{ person: EVERY_MINUTE, invoice: EVERY_MINUTE, project: EVERY_MINUTE, client: EVERY_MINUTE },
};

/** One word for each event. What still stands in a digest has an id of its own, made for that message. */
const CHAT = { text: '{% for one in events %}chat:{{ one.event.id }} {% endfor %}' };
const DAILY = { text: '{% for one in events %}daily:{{ one.event.type }}:{{ one.event.subject }} {% endfor %}' };

export async function moveRepeatedly({ seed, moves }: MovesOptions) {
  const chance = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'tidings-moves-'));
  const receivers = { staying: await startReceivers(chance), moving: await startReceivers(chance) };
  const chats = {
    staying: await startSlack({ perSecond: Number.POSITIVE_INFINITY }),
    moving: await startSlack({ perSecond: Number.POSITIVE_INFINITY }),
  };
  const world = await startWorld({
    simulator: { seed, tasks: 25, timeZone: 'UTC' },
    config: { subscriptions: [] },
    secrets: { hook: chats.moving.webhookUrl },
  });
  const sides = { staying: openSide('staying'), moving: openSide('moving') };

  function openSide(name: 'staying' | 'moving') {
    const file = join(folder, `${name}.json`);
    const { url } = receivers[name];
    writeFileSync(file, JSON.stringify(configOf(world, url, { token: '${TOKEN}', ops: '${OPS}', hook: '${HOOK}' })));
    const environment = { TOKEN: world.token, OPS: SECRET, HOOK: chats[name].webhookUrl };
    return openDirectory({ world, directory: join(folder, name), config: file, environment });
  }

  const awsConfig = configOf(world, receivers.moving.url, { token: TOKEN, ops: OPS, hook: 'secret:tidings#hook' });
  const awsFile = join(folder, 'aws.json');
  writeFileSync(awsFile, JSON.stringify(awsConfig));
  let stack: Stack | undefined;
  const moved = { out: 0, back: 0, waiting: 0 };

  const change = () => {
    for (const act of times(1 + Math.floor(chance.unit() * 4), chance.pick(ACTS))) act?.(world.simulator, chance);
  };
  const pass = async () => {
    await sides.staying.pass();
    await (stack ?? sides.moving).pass();
  };
  const command = async (...argv: readonly string[]) => {
    await sides.staying.run(...argv);
    await (stack ?? sides.moving).run(...argv);
  };

  /** Until no retry waits in the queue. */
  const rest = async ({ isIdle }: Stack) => {
    do {
      await pass();
      world.clock.advance(REST);
    } while (!isIdle());
  };

  const move = async () => {
    const archive = join(folder, `move-${moved.out + moved.back}.tidings`);
    if (stack === undefined) {
      await sides.moving.run('export', archive);
      change();
      world.clock.advance(REST);
      const opened = await openStack(world, awsConfig, awsFile);
      await opened.import(archive);
      stack = opened;
      moved.out += 1;
    } else {
      await rest(stack);
      await stack.run('export', archive);
      stack.close();
      stack = undefined;
      change();
      sides.moving.empty();
      await sides.moving.import(archive);
      moved.back += 1;
    }
    const { stdout } = await (stack ?? sides.moving).run('deliveries', '--status', 'pending', '--json');
    moved.waiting += stdout.split('\n').filter((line) => line !== '').length;
  };

  try {
    for (const name of ['staying', 'moving'] as const) {
      const crm = join(folder, `${name}-crm.json`);
      const to = { http: { url: `${receivers[name].url}/crm`, secret: SECRET } };
      writeFileSync(crm, JSON.stringify({ name: 'crm', events: ['task.*', 'invoice.*'], to }));
      await sides[name].pass();
      await sides[name].add(crm);
    }
    while (moved.out + moved.back < moves) {
      for (let step = 0; step < STEPS; step++) {
        change();
        world.clock.advance(chance.pick(JUMPS) ?? MINUTE);
        // Something always waits when the move begins.
        const mode = step === STEPS - 1 ? 'refuses' : (chance.pick(['well', 'well', 'cuts'] as const) ?? 'well');
        for (const { modes } of Object.values(receivers)) modes.set('crm', mode);
        if (chance.unit() < 0.2) await command('subscriptions', 'pause', 'ops');
        else if (chance.unit() < 0.5) await command('subscriptions', 'resume', 'ops');
        await pass();
      }
      await move();
      await pass();
    }
    for (const { modes } of Object.values(receivers)) modes.clear();
    for (let round = 0; round < LAST_ROUNDS; round++) {
      world.clock.advance(8 * HOUR);
      await command('subscriptions', 'resume', 'ops');
      await command('subscriptions', 'resume', 'crm');
      await pass();
    }
    const arrived = (name: 'staying' | 'moving') => {
      const at = (path: string) =>
        receivers[name].accepted.filter(({ receiver }) => receiver === path).map(({ body }) => describe(body));
      const texts = chats[name].messages.map(({ text }) => text.trim());
      const chat = texts.flatMap((text) => text.match(/chat:\S+/g) ?? []);
      const daily = texts.filter((text) => text.startsWith('daily:')).map((text) => text.split(' ').sort().join(' '));
      return { ops: at('ops'), crm: at('crm'), watch: at('watch'), chat, daily };
    };
    return { moved, staying: arrived('staying'), moving: arrived('moving') };
  } finally {
    stack?.close();
    await world.stop();
    await Promise.all(
      [...Object.values(receivers), ...Object.values(chats)].map((one) => ('stop' in one ? one.stop() : one.close())),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As likely as they are listed. */
const ACTS: readonly ((simulator: World['simulator'], chance: SeededRandom) => void)[] = [
  ...times(6, changeTask),
  ...times(2, handOver),
  ...times(2, payPart),
  changeNames,
  ({ account }, chance) => {
    const { projectid, moduleid, priorityid, ownerid, dateopen } = chance.pick(account.list('task')) ?? {};
    const fields = { projectid, moduleid, priorityid, ownerid, dateopen, statusid: '1' };
    account.create('task', { ...fields, title: `Task ${Math.floor(chance.unit() * 1e6)}` });
  },
  ({ account }, chance) => {
    const task = chance.pick(account.list('task'));
    if (task?.id) account.remove('task', task.id);
  },
];

function describe(body: string): string {
  const { id, type, subject } = JSON.parse(body) as { id: string; type: string; subject: string };
  return `${type} ${subject} ${id}`;
}

interface References {
  readonly token: string;
  readonly ops: string;
  readonly hook: string;
}

function configOf({ simulator }: World, url: string, { token, ops, hook }: References) {
  const http = (path: string) => ({ http: { url: `${url}/${path}`, secret: ops } });
  const chat = { slack: { webhook: hook } };
  return {
    source: { baseUrl: simulator.url, token, timeZone: 'UTC', resources: RESOURCES, quota: { perMinute: 100_000 } },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [
      { name: 'ops', events: ['task.*', 'invoice.*', 'project.*', 'client.*', 'person.*'], to: http('ops') },
      { name: 'watch', events: ['source.*'], to: http('watch') },
      // `once` ends before a gather window would, so there is none.
      { name: 'chat', events: ['task.*'], to: chat, gather: '0s', template: CHAT },
      {
        name: 'daily',
        events: ['task.closed', 'task.overdue', 'invoice.*'],
        to: chat,
        digest: { at: '08:00' },
        template: DAILY,
      },
    ],
  };
}

/** Throws what the command printed if it fails. */
async function succeed(command: Promise<CommandResult>): Promise<CommandResult> {
  const result = await command;
  if (result.code !== 0) throw new Error(`exit ${result.code}: ${result.stderr}${result.stdout}`);
  return result;
}

interface DirectoryOptions {
  readonly world: World;
  readonly directory: string;
  readonly config: string;
  readonly environment: Readonly<Record<string, string>>;
}

function openDirectory({ world, directory, config, environment }: DirectoryOptions) {
  const run = (...argv: readonly string[]) =>
    succeed(runCommand([...argv, '--data', directory], { environment, clock: world.clock }));
  return {
    run,
    add: (file: string) => run('subscriptions', 'add', file, '--config', config),
    /** Continues with the data of this archive. */
    import: (archive: string) => run('import', archive, '--config', config),
    pass: () => run('once', '--config', config),
    empty: () => rmSync(directory, { recursive: true }),
  };
}

type Stack = Awaited<ReturnType<typeof openStack>>;

/** A new stack, deployed without polling. */
async function openStack(world: World, config: ReturnType<typeof configOf>, file: string) {
  const { tables, queues, secrets, clock } = world;
  const names = await tables.create();
  const dynamodb = tables.connect();
  const changes = streamBatches(recordStream(dynamodb, names.snapshots));
  const functions = openFunctions({
    ...world.options,
    environment: {
      ...world.options.environment,
      [SNAPSHOTS_TABLE]: names.snapshots,
      [LEDGER_TABLE]: names.ledger,
      [CONFIG]: packConfig(parseTree('aws.json', config, {}, 'aws')),
    },
    clients: { dynamodb, sqs: queues.client },
  });
  leadToStack({ names, queues, secrets, tables });
  await functions.setup();
  const announceAndDeliver = async () => {
    for (let records = changes(); records.length > 0; records = changes()) await functions.announce(records);
    await drainQueue(world, functions.deliver);
  };
  const run = (...argv: readonly string[]) => succeed(runCommand([...argv, '--aws', 'Tidings'], { clock }));
  return {
    run,
    import: (archive: string) => run('import', archive, '--config', file),
    async pass(): Promise<void> {
      await functions.poll();
      await announceAndDeliver();
      await functions.tick();
      await announceAndDeliver();
    },
    isIdle: () => queues.count() === 0 && queues.later().length === 0,
    close: () => dynamodb.destroy(),
  };
}
