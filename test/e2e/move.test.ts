/** Moves an installation from this machine to AWS and back, with the commands, while the account goes on. */

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { fixedClock, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { runCommand } from '../cli/run-command.ts';
import { OPS, startWorld, TOKEN, type World } from '../functions/world.ts';
import { SECRET } from '../samples.ts';
import { leadToStack } from './aws-account.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

const OTHER_RESOURCES = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

let folder: string;
let world: World;
let ops: Receiver;
let crm: Receiver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-move-'));
  ops = await startReceiver(SECRET);
  crm = await startReceiver(OTHER_SECRET);
  world = await startWorld({ config: { subscriptions: [subscription('${OPS}')] } });
  const { simulator } = world;
  leadToStack(world);
  for (const [name, token, secret] of [
    ['here.yaml', '${TOKEN}', '${OPS}'],
    ['aws.yaml', TOKEN, OPS],
  ] as const) {
    const source = {
      baseUrl: simulator.url,
      token,
      timeZone: 'UTC',
      resources: { ...Object.fromEntries(OTHER_RESOURCES.map((one) => [one, 'off'])), task: { every: '1s' } },
    };
    const network = { allowHttp: true, allow: ['127.0.0.0/8'] };
    writeFileSync(join(folder, name), stringify({ source, network, subscriptions: [subscription(secret)] }));
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all([world.stop(), ops.close(), crm.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Every event: a repeated or invented one of any type would show. */
const subscription = (secret: string) => ({
  name: 'ops',
  events: ['task.*', 'source.*', 'subscription.*'],
  to: { http: { url: ops.url, secret } },
});

const here = (...argv: readonly string[]) =>
  runCommand([...argv, '--data', join(folder, 'data'), '--config', join(folder, 'here.yaml')], {
    environment: { TOKEN: world.token, OPS: SECRET },
    clock: world.clock,
  });

const there = (argv: readonly string[], at = world.clock.now()) =>
  runCommand([...argv, '--aws', 'Tidings', '--config', join(folder, 'aws.yaml')], { clock: fixedClock(at) });

const archive = (name: string) => join(folder, name);

async function once(): Promise<void> {
  world.clock.advance(2 * SECOND);
  const { code, stderr } = await here('once');
  expect(code, stderr).toBe(0);
}

/** A minute of the stack. */
async function runFunctions(): Promise<void> {
  const { functions, clock } = world;
  clock.advance(2 * SECOND);
  await functions.poll();
  await functions.announce(world.changes());
  await drain();
  clock.advance(60 * SECOND);
  await functions.tick();
  await drain();
}

async function drain(): Promise<void> {
  const { functions, queues } = world;
  for (;;) {
    const records = await queues.receive();
    if (records.length === 0) return;
    const { batchItemFailures } = await functions.deliver(records);
    await queues.settle(
      records,
      batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    );
  }
}

const openTasks = () => world.simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));

const close = (id: string) => world.simulator.account.update('task', id, { statusid: CLOSED });

const idsOf = ({ events }: Receiver) => events.map(({ id }) => id);
const closedIn = ({ events }: Receiver) =>
  events.filter(({ type }) => type === 'task.closed').map(({ subject }) => subject);

async function addCrm(): Promise<void> {
  const file = join(folder, 'crm.yaml');
  const to = { http: { url: crm.url, secret: OTHER_SECRET } };
  writeFileSync(file, stringify({ name: 'crm', events: ['task.closed'], to }));
  const { code, stderr } = await here('subscriptions', 'add', file);
  expect(code, stderr).toBe(0);
}

describe('tidings export and import', () => {
  it('move to AWS and back: every event arrives once, in the gap of each move too', async () => {
    const [delivered = '', pending = '', inFirstGap = '', inAws = '', owed = '', inSecondGap = '', afterwards = ''] =
      openTasks();
    await once();
    await addCrm();
    close(delivered);
    await once();
    crm.status = 500;
    close(pending);
    await once();
    expect(closedIn(ops)).toEqual([`task/${delivered}`, `task/${pending}`]);
    expect(closedIn(crm)).toEqual([`task/${delivered}`]);

    const exported = await here('export', archive('first.tidings'));
    expect(exported.stdout, exported.stderr).toMatch(
      /^wrote .*: 2 subscriptions, \d+ records, \d+ events, \d+ deliveries/,
    );
    expect(statSync(archive('first.tidings')).mode & 0o777).toBe(0o600);
    crm.status = 204;
    close(inFirstGap);

    await world.functions.setup();
    const imported = await there(['import', archive('first.tidings')]);
    expect(imported.stderr).toBe('');
    expect(imported.stdout).toContain('imported into stack Tidings');
    // The copies cause no invocation of announce.
    expect(world.changes()).toEqual([]);
    await runFunctions();
    close(inAws);
    await runFunctions();
    const inCloud = [delivered, pending, inFirstGap, inAws].map((id) => `task/${id}`);
    expect(closedIn(ops)).toEqual(inCloud);
    expect(closedIn(crm).sort()).toEqual([...inCloud].sort());

    // What AWS owes a receiver is sent here.
    crm.status = 500;
    close(owed);
    await runFunctions();
    crm.status = 204;
    close(inSecondGap);
    rmSync(join(folder, 'data'), { recursive: true });
    const back = await there(['export', archive('second.tidings')], plus(world.clock.now(), 6 * MINUTE));
    expect(back.code, back.stderr).toBe(0);
    const home = await here('import', archive('second.tidings'));
    expect(home.code, home.stderr).toBe(0);
    world.clock.advance(50 * SECOND);
    await once();
    close(afterwards);
    await once();
    const all = [...inCloud, `task/${owed}`, `task/${inSecondGap}`, `task/${afterwards}`];
    expect(closedIn(ops)).toEqual(all);
    expect(closedIn(crm).sort()).toEqual([...all].sort());
    for (const receiver of [ops, crm]) {
      expect(new Set(idsOf(receiver)).size).toBe(idsOf(receiver).length);
      expect(receiver.refused).toEqual([]);
    }
    // No record was taken for a new one, and nothing of our own was announced but the failing receiver.
    const types = new Set(ops.events.map(({ type }) => type));
    expect(
      [...types].filter(
        (type) => !['task.closed', 'task.updated', 'task.status_changed', 'source.baselined'].includes(type),
      ),
    ).toEqual([]);
  });

  it('refuse what would lose or repeat something', async () => {
    await once();
    expect((await here('export', archive('a.tidings'))).code).toBe(0);
    const twice = await here('export', archive('a.tidings'));
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('is a complete export')]);

    // A stack that has polled.
    await world.functions.setup();
    await world.functions.poll();
    const polled = await there(['import', archive('a.tidings')]);
    expect([polled.code, polled.stderr]).toEqual([2, expect.stringContaining('has polled source')]);
    const busy = await there(['export', archive('b.tidings')]);
    expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('paused: draining')]);
    // It left no file that the next export would continue.
    const rested = await there(['export', archive('b.tidings')], plus(world.clock.now(), 6 * MINUTE));
    expect(rested.code, rested.stderr).toBe(0);

    const other = await here('import', join(folder, 'here.yaml'));
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('expected a file that')]);
    const none = await here('import', join(folder, 'none'));
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no such file')]);
    const full = await here('import', archive('b.tidings'));
    expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('already')]);
  });
});
