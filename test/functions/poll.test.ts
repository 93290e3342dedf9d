/** Polling as a function: what it logs and measures, where its token comes from, and what stops it. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { DEPLOYMENT } from '../../runtime/aws/environment.ts';
import { listen, type Said } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

let world: World;
let said: Said;

beforeEach(async () => {
  world = await startWorld({ config: {} });
  said = listen();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

const sum = (metric: string) => said.metric(metric).reduce((all, value) => all + value, 0);

const closeOne = () => {
  const [task] = world.simulator.account.list('task', { excludeclosed: 't' });
  world.simulator.account.update('task', String(task?.id), { statusid: 7 });
};

describe('poll', () => {
  it('logs each scan with the id of its cycle, and measures scans, changes and quota', async () => {
    await world.functions.poll({ id: 'cycle-1' });
    closeOne();
    world.clock.advance(2 * SECOND);
    await world.functions.poll({ id: 'cycle-2' });
    expect(said.lines('scanned')).toMatchObject([
      { cycle: 'cycle-1', source: 'main', resource: 'task', kind: 'sweep', baseline: true, seen: 30 },
      { cycle: 'cycle-2', source: 'main', resource: 'task', kind: 'delta', changed: 1 },
    ]);
    expect(sum('Scans')).toBe(2);
    expect(sum('FailedScans')).toBe(0);
    expect(sum('Changes')).toBe(1);
    const [first = 0, second = 0] = said.metric('QuotaLeft');
    expect(first).toBe(100_000);
    expect(second).toBeLessThan(first);
  });

  it('has two dimensions, whatever happens: the deployment, and the function', async () => {
    await world.functions.poll();
    vi.stubEnv(DEPLOYMENT, 'News');
    await openFunctions(world.options).poll();
    vi.unstubAllEnvs();
    expect(said.dimensions()).toEqual([
      { service: 'tidings', function: 'poll' },
      { service: 'News', function: 'poll' },
    ]);
  });

  it('tells its counts when nothing is due, for alarms to compare, and says nothing else', async () => {
    await world.functions.poll();
    said.clear();
    await world.functions.poll();
    for (const name of ['Scans', 'FailedScans', 'Changes']) expect(said.metric(name)).toEqual([0]);
    expect(said.lines('scanned')).toEqual([]);
  });

  it('takes a token that is not there for a scan that failed: an alarm of its own tells of it', async () => {
    world.secrets.values.delete('/tidings/token');
    await world.functions.poll();
    expect(said.lines('scan failed')).toMatchObject([{ error: { code: 'TIDINGS_SECRET_UNAVAILABLE' } }]);
    expect([sum('FailedScans'), sum('Scans')]).toEqual([1, 0]);
  });

  it('tells of a scan that failed, and ends well: the API is ill, not the poller', async () => {
    world.secrets.values.set('/tidings/token', 'hunter2hunter2');
    await world.functions.poll({ id: 'cycle-1' });
    expect(said.lines('scan failed')).toMatchObject([
      { cycle: 'cycle-1', source: 'main', resource: 'task', error: { code: 'TIDINGS_SOURCE_UNAUTHORIZED' } },
    ]);
    expect(sum('FailedScans')).toBe(1);
    expect(sum('Scans')).toBe(0);
    expect(said.text()).not.toContain('hunter2');
  });

  it('fails a scan whose token cannot be found, by its reference', async () => {
    world.secrets.values.delete('/tidings/token');
    await world.functions.poll();
    expect(said.lines('scan failed')).toMatchObject([
      { error: { code: 'TIDINGS_SECRET_UNAVAILABLE', message: expect.stringContaining("'ssm:/tidings/token'") } },
    ]);
  });

  it('asks for its token once, and takes a new one after a while', async () => {
    await world.functions.poll();
    world.clock.advance(2 * SECOND);
    await world.functions.poll();
    expect(world.secrets.asked).toBe(1);
    const other = world.simulator.tokens.Administrator[1] ?? world.token;
    world.secrets.values.set('/tidings/token', other);
    world.clock.advance(20 * MINUTE);
    await world.functions.poll();
    expect(world.secrets.asked).toBe(2);
    expect(said.lines('scan failed')).toEqual([]);
    expect(sum('Scans')).toBe(3);
  });

  it('takes a new token at once when the one it remembers is refused, and tells nobody that it was', async () => {
    world.secrets.values.set('/tidings/token', 'revoked-since');
    await world.functions.poll();
    expect(said.lines('scan failed')).toHaveLength(1);
    world.secrets.values.set('/tidings/token', world.token);
    // Sooner than the old one is forgotten by itself.
    world.clock.advance(4 * MINUTE);
    await world.functions.poll();
    expect(said.lines('scan failed')).toHaveLength(1);
    expect(said.lines('scanned')).toHaveLength(1);
  });

  it('throws when its own store fails: Lambda counts it, and somebody must look', async () => {
    const lost = openFunctions({
      ...world.options,
      environment: { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' },
    });
    await expect(lost.poll()).rejects.toThrow(/table 'not-there'/);
    expect(said.lines('poll failed')).toMatchObject([{ source: 'main', error: { code: 'TIDINGS_STORE_FAILED' } }]);
    expect(said.lines('failed')).toMatchObject([{ function: 'poll', error: { code: 'TIDINGS_STORE_FAILED' } }]);
  });

  it('says which variable is missing', async () => {
    const { TIDINGS_LEDGER_TABLE: _, ...environment } = world.options.environment ?? {};
    await expect(openFunctions({ ...world.options, environment }).poll()).rejects.toThrow(
      'environment variable TIDINGS_LEDGER_TABLE is not set',
    );
    const { TIDINGS_CONFIG: __, ...configless } = world.options.environment ?? {};
    await expect(openFunctions({ ...world.options, environment: configless }).poll()).rejects.toThrow(
      'TIDINGS_CONFIG: expected a config as packConfig writes it, got nothing',
    );
  });

  it('begins no scan when there is no time for one, and the next invocation does it', async () => {
    await world.functions.poll({ time: 1000 });
    expect(said.lines('scanned')).toEqual([]);
    expect(said.lines('scan failed')).toEqual([]);
    expect(said.lines('time limit reached; the next poll continues')).toHaveLength(1);
    await world.functions.poll();
    expect(said.lines('scanned')).toHaveLength(1);
  });
});

describe('poll of several sources', () => {
  it('polls each, and one whose token is of no use holds up no other', async () => {
    await world.stop();
    const one = { timeZone: 'UTC', resources: { task: { every: '1s' } } };
    world = await startWorld({
      config: {},
      sources: (baseUrl) => [
        { ...one, name: 'dead', baseUrl, token: 'of-no-use' },
        { ...one, name: 'alive', baseUrl, token: '${TOKEN}' },
      ],
    });
    await world.functions.poll();
    expect(new Set(said.lines('scanned').map(({ source }) => source))).toEqual(new Set(['alive']));
    expect(new Set(said.lines('scan failed').map(({ source }) => source))).toEqual(new Set(['dead']));
    // So the alarm on failures is silent: what tells of one source is its event.
    expect(sum('Scans')).toBeGreaterThan(0);
  });

  it('commits what a day changes after a scan, as a change on the stream', async () => {
    const [task] = world.simulator.account.list('task', { excludeclosed: 't' });
    const tomorrow = new Date(Date.now() + 24 * 60 * MINUTE).toISOString().slice(0, 10);
    world.simulator.account.update('task', String(task?.id), { datedue: tomorrow });
    await world.functions.poll();
    world.changes();
    world.clock.advance(3 * 24 * 60 * MINUTE);
    await world.functions.poll();
    const causes = world.changes().map(({ dynamodb }) => dynamodb?.NewImage?.cause?.S);
    expect(causes).toContain('tick');
  });
});
