/** Polls of several sources, divided among executions by the queues of polls. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY, MINUTE } from '../../core/model/time.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { mappingOf, openFunctions, startWorld, type World } from './world.ts';

const OFF = Object.fromEntries(
  ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
    name,
    'off',
  ]),
);

/** The records of a source are those of the simulator: all have the same. */
function source(name: string, baseUrl: string, token = '${TOKEN}') {
  const resources = { ...OFF, task: { every: '1m' } };
  return { name, baseUrl, token, timeZone: 'UTC', resources, quota: { perMinute: 100_000 } };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `account${n}`);

let world: World;
let output: CapturedOutput;
let hanging: Server;

beforeEach(() => {
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  hanging?.closeAllConnections();
  hanging?.close();
  await world.stop();
});

async function startSources(count: number): Promise<void> {
  world = await startWorld({
    simulator: { tasks: 5 },
    config: {},
    sources: (baseUrl) => names(count).map((name) => source(name, baseUrl)),
  });
}

/** A server that accepts requests and never answers. */
async function startHanging(): Promise<string> {
  hanging = createServer(() => {});
  await new Promise<void>((listening) => hanging.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
}

const scanned = () => output.lines('scanned').map(({ source: name }) => String(name));
const messages = (queue: 'polls' | 'slow-polls') =>
  world.queues.waitingPolls(queue).map((body) => JSON.parse(body) as Record<string, unknown>);

describe('the run of a minute', () => {
  it('sends one message for each source that is due, and polls none itself', async () => {
    await startSources(12);
    await world.functions.dispatch();
    expect(scanned()).toEqual([]);
    // The first read of an account takes long.
    expect(messages('slow-polls').map(({ source: name }) => name)).toEqual(names(12));
    expect(messages('polls')).toEqual([]);
    await world.functions.poll();
    expect(new Set(scanned())).toEqual(new Set(names(12)));
    await world.functions.dispatch();
    expect([...messages('polls'), ...messages('slow-polls')]).toEqual([]);

    world.clock.advance(MINUTE);
    await world.functions.dispatch();
    expect(messages('polls').map(({ source: name }) => name)).toEqual(names(12));
    expect(messages('slow-polls')).toEqual([]);
    expect(output.metric('FailingSources').at(-1)).toBe(0);
  });

  it('sends again in the next minute what was lost', async () => {
    await startSources(2);
    await world.functions.poll();
    world.clock.advance(MINUTE);
    await world.functions.dispatch();
    const { client } = world.queues;
    const mapping = mappingOf(client, world.queues.polls.usual);
    const lost = await mapping.receive();
    expect(lost).toHaveLength(2);
    await mapping.settle(lost, []);
    output.clear();
    world.clock.advance(MINUTE);
    await world.functions.poll();
    expect(new Set(scanned())).toEqual(new Set(names(2)));
  });

  it('has the due moments of a source in its message, so that ten polls do not read those of all sources', async () => {
    await startSources(2);
    await world.functions.poll();
    world.clock.advance(400 * DAY);
    const due = await world.stores.snapshots.due({ source: 'account0', until: world.clock.now() }, 100);
    expect(due.length).toBeGreaterThan(0);
    await world.functions.dispatch();
    const [first] = messages('polls');
    expect(first).toMatchObject({
      source: 'account0',
      due: { moments: due.map(({ at, key: { resource, id } }) => [at, resource, id]) },
    });
    await world.functions.poll();
    const changed = world.changes().filter(({ dynamodb }) => dynamodb?.NewImage?.cause?.S === 'tick');
    const keys = changed.map(({ dynamodb }) => `${dynamodb?.NewImage?.pk?.S} ${dynamodb?.NewImage?.sk?.S}`);
    expect(new Set(keys).size).toBe(2 * due.length);
  });

  it('leaves out more moments than a message should hold: the poll reads them itself', async () => {
    await startSources(2);
    const { account } = world.simulator;
    const { projectid, moduleid, priorityid, statusid, ownerid, dateopen } = account.read('task', 2) ?? {};
    const fields = { projectid, moduleid, priorityid, statusid, ownerid, dateopen };
    for (let n = 0; n < 201; n++) account.create('task', { ...fields, title: `Task ${n}` });
    await world.functions.poll();
    world.clock.advance(400 * DAY);
    const due = await world.stores.snapshots.due({ source: 'account0', until: world.clock.now() }, 10_000);
    expect(due.length).toBeGreaterThan(200);
    await world.functions.dispatch();
    for (const message of messages('polls')) expect(Object.keys(message)).toEqual(['source', 'foundAt']);
    await world.functions.poll();
    const left = await world.stores.snapshots.due({ source: 'account0', until: world.clock.now() }, 10_000);
    expect(left.length).toBeLessThan(due.length);
  }, 60_000);

  it('fails after all are sent, if the states of a source cannot be read', async () => {
    await startSources(3);
    const dynamodb = world.tables.connect();
    dynamodb.middlewareStack.add(
      (next) => async (args) => {
        if (JSON.stringify(args.input).includes('scan#account1')) throw new Error('made up by a test');
        return next(args);
      },
      { step: 'initialize' },
    );
    const shaky = openFunctions({ ...world.options, clients: { ...world.options.clients, dynamodb } });
    await expect(shaky.dispatch()).rejects.toThrow('made up by a test');
    expect(messages('slow-polls').map(({ source: name }) => name)).toEqual(['account0', 'account2']);
    expect(output.lines('check of what is due failed')).toMatchObject([{ source: 'account1' }]);
    expect(output.metric('FailingSources')).toEqual([1]);
  });
});

describe('a batch of polls', () => {
  it('polls its sources at once: one that does not answer delays none of the others', async () => {
    const stalled = await startHanging();
    world = await startWorld({
      simulator: { tasks: 5 },
      config: {},
      sources: (baseUrl) => [source('stalled', stalled), ...names(9).map((name) => source(name, baseUrl))],
    });
    await world.functions.dispatch();
    const mapping = mappingOf(world.queues.client, world.queues.polls.slow);
    const records = await mapping.receive();
    expect(records).toHaveLength(10);
    let ended = false;
    const batch = world.functions.pollBatch(records, { time: 12_000 }).then(() => {
      ended = true;
    });
    await vi.waitFor(() => expect(new Set(scanned())).toEqual(new Set(names(9))), { timeout: 10_000 });
    expect(ended).toBe(false);
    await batch;
  }, 30_000);

  it('of sources that fail has a queue of its own, so the others do not wait for them', async () => {
    world = await startWorld({
      simulator: { tasks: 5 },
      config: {},
      sources: (baseUrl) => [source('dead', baseUrl, 'of-no-use'), ...names(3).map((name) => source(name, baseUrl))],
    });
    await world.functions.poll();
    world.clock.advance(5 * MINUTE);
    await world.functions.dispatch();
    expect(messages('polls').map(({ source: name }) => name)).toEqual(names(3));
    expect(messages('slow-polls').map(({ source: name }) => name)).toEqual(['dead']);
  });

  it('takes a source once, and drops messages that cannot be used', async () => {
    await startSources(2);
    await world.functions.dispatch();
    const mapping = mappingOf(world.queues.client, world.queues.polls.slow);
    const records = await mapping.receive();
    await mapping.settle(records, []);
    const [first, second] = records;
    if (first === undefined || second === undefined) throw new Error('expected two messages');
    const gone = { ...first, body: JSON.stringify({ source: 'gone', foundAt: world.clock.now() }) };
    await world.functions.pollBatch([first, first, second, { ...first, body: 'no JSON' }, gone]);
    expect(scanned().toSorted()).toEqual(names(2));
    expect(output.lines('unreadable message: expected { source, foundAt } as JSON')).toHaveLength(1);
    expect(output.lines('no such source any more')).toMatchObject([{ source: 'gone' }]);
  });

  it('that runs twice at once makes one of them leave the source to the other', async () => {
    await startSources(2);
    await world.functions.poll();
    world.changes();
    const [task] = world.simulator.account.list('task', { excludeclosed: 't' });
    world.simulator.account.update('task', String(task?.id), { title: 'renamed' });
    world.clock.advance(MINUTE);
    await world.functions.dispatch();
    const records = await mappingOf(world.queues.client, world.queues.polls.usual).receive();
    const another = openFunctions({ ...world.options, holder: 'another' });
    await Promise.all([world.functions.pollBatch(records), another.pollBatch(records)]);
    const changed = world.changes().filter(({ dynamodb }) => dynamodb?.NewImage?.record !== undefined);
    expect(changed.map(({ dynamodb }) => dynamodb?.NewImage?.pk?.S).toSorted()).toEqual([
      'account0#task',
      'account1#task',
    ]);
  });
});
