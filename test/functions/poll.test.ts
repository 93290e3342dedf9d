/** The poll function: its logs and metrics, its token, and what stops it. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { CONFIG, DEPLOYMENT, SOURCE_METRICS } from '../../runtime/aws/environment.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { STORM_SOURCE } from '../truth/storm-actions.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { openFunctions, packedConfig, startWorld, type World } from './world.ts';

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
const OFF = Object.fromEntries(OTHERS.map((name) => [name, 'off']));

let world: World;
let output: CapturedOutput;

beforeEach(async () => {
  world = await startWorld({ config: {} });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

const sum = (metric: string) => output.metric(metric).reduce((all, value) => all + value, 0);

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
    expect(output.lines('scanned')).toMatchObject([
      { cycle: 'cycle-1', source: 'main', resource: 'task', kind: 'sweep', baseline: true, seen: 30 },
      { cycle: 'cycle-2', source: 'main', resource: 'task', kind: 'delta', changed: 1 },
    ]);
    expect(sum('Scans')).toBe(2);
    expect(sum('FailedScans')).toBe(0);
    expect(sum('Changes')).toBe(1);
    const [first = 0, second = 0] = output.metric('QuotaLeft');
    expect(first).toBe(10_000_000);
    expect(second).toBeLessThan(first);
  });

  it('publishes metrics with two dimensions: the deployment and the function', async () => {
    await world.functions.poll();
    vi.stubEnv(DEPLOYMENT, 'News');
    await openFunctions(world.options).poll();
    vi.unstubAllEnvs();
    expect(output.dimensions()).toEqual([
      { service: 'tidings', function: 'poll' },
      { service: 'News', function: 'poll' },
    ]);
  });

  it('publishes its counts when nothing is due, and logs nothing', async () => {
    // The other tests scan every second, which may pass between two polls.
    const source = { resources: { ...STORM_SOURCE.resources, task: { every: '1h' } } };
    await world.stop();
    world = await startWorld({ config: {}, source });
    await world.functions.poll();
    output.clear();
    await world.functions.poll();
    for (const name of ['Scans', 'FailedScans', 'Changes']) expect(output.metric(name)).toEqual([0]);
    expect(output.lines('scanned')).toEqual([]);
  });

  it('counts a missing token as a failed scan', async () => {
    world.secrets.values.delete('/tidings/token');
    await world.functions.poll();
    expect(output.lines('scan failed')).toMatchObject([{ error: { code: 'TIDINGS_SECRET_UNAVAILABLE' } }]);
    expect([sum('FailedScans'), sum('Scans')]).toEqual([1, 0]);
  });

  it('logs a failed scan and succeeds, because the API failed and not the poller', async () => {
    world.secrets.values.set('/tidings/token', 'hunter2hunter2');
    await world.functions.poll({ id: 'cycle-1' });
    expect(output.lines('scan failed')).toMatchObject([
      { cycle: 'cycle-1', source: 'main', resource: 'task', error: { code: 'TIDINGS_SOURCE_UNAUTHORIZED' } },
    ]);
    expect(sum('FailedScans')).toBe(1);
    expect(sum('Scans')).toBe(0);
    expect(output.text()).not.toContain('hunter2');
  });

  it('refuses another account: one error in the log, no event, and a visible state', async () => {
    await world.functions.poll();
    world.changes();
    const other = await startSimulator({ seed: 9, tasks: 40, quota: 10_000_000 });
    try {
      world.secrets.values.set('/tidings/token', other.tokens.Administrator[0] ?? '');
      const environment = { ...world.options.environment, [CONFIG]: packedConfig(other, { config: {} }) };
      world.clock.advance(20 * MINUTE);
      await openFunctions({ ...world.options, environment }).poll();
    } finally {
      await other.stop();
    }
    expect(output.lines('scan failed')).toMatchObject([
      { level: 'ERROR', source: 'main', error: { code: 'TIDINGS_SOURCE_OTHER_ACCOUNT' } },
    ]);
    expect(sum('FailedScans')).toBe(1);
    // Only the health of the source changes, which is not an event.
    await world.functions.announce(world.changes());
    expect((await world.stores.events.list({ limit: 10 })).events.map(({ type }) => type)).toEqual([]);
    const health = await world.snapshots.get({ source: 'main', resource: 'source', id: 'main' });
    expect(health?.record).toMatchObject({ state: 'other_account', reason: expect.stringContaining('sources forget') });
  });

  it('names the reference of a token that cannot be read', async () => {
    world.secrets.values.delete('/tidings/token');
    await world.functions.poll();
    expect(output.lines('scan failed')).toMatchObject([
      { error: { code: 'TIDINGS_SECRET_UNAVAILABLE', message: expect.stringContaining("'ssm:/tidings/token'") } },
    ]);
  });

  it('reads its token once, and again after the cache expires', async () => {
    await world.functions.poll();
    world.clock.advance(2 * SECOND);
    await world.functions.poll();
    expect(world.secrets.requests).toBe(1);
    const other = world.simulator.tokens.Administrator[1] ?? world.token;
    world.secrets.values.set('/tidings/token', other);
    world.clock.advance(20 * MINUTE);
    await world.functions.poll();
    expect(world.secrets.requests).toBe(2);
    expect(output.lines('scan failed')).toEqual([]);
    expect(sum('Scans')).toBe(3);
  });

  it('uses a rotated token at once when the cached one is refused, without an event', async () => {
    world.secrets.values.set('/tidings/token', 'revoked-since');
    await world.functions.poll();
    expect(output.lines('scan failed')).toHaveLength(1);
    world.secrets.values.set('/tidings/token', world.token);
    // Before the cache expires.
    world.clock.advance(4 * MINUTE);
    await world.functions.poll();
    expect(output.lines('scan failed')).toHaveLength(1);
    expect(output.lines('scanned')).toHaveLength(1);
  });

  it('throws when the store fails, so that Lambda counts the error', async () => {
    const lost = openFunctions({
      ...world.options,
      environment: { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' },
    });
    await expect(lost.poll()).rejects.toThrow(/table 'not-there'/);
    expect(output.lines('poll failed')).toMatchObject([{ source: 'main', error: { code: 'TIDINGS_STORE_FAILED' } }]);
    expect(output.lines('failed')).toMatchObject([{ function: 'poll', error: { code: 'TIDINGS_STORE_FAILED' } }]);
  });

  it('names the missing variable', async () => {
    const { TIDINGS_LEDGER_TABLE: _, ...environment } = world.options.environment ?? {};
    await expect(openFunctions({ ...world.options, environment }).poll()).rejects.toThrow(
      'environment variable TIDINGS_LEDGER_TABLE is not set',
    );
    const { TIDINGS_CONFIG: __, ...configless } = world.options.environment ?? {};
    await expect(openFunctions({ ...world.options, environment: configless }).poll()).rejects.toThrow(
      'TIDINGS_CONFIG: expected a config as packConfig writes it, got nothing',
    );
  });

  it('starts no scan without time, and the next invocation does', async () => {
    await world.functions.poll({ time: 1000 });
    expect(output.lines('scanned')).toEqual([]);
    expect(output.lines('scan failed')).toEqual([]);
    expect(output.lines('time limit reached; the next poll continues')).toHaveLength(1);
    await world.functions.poll();
    expect(output.lines('scanned')).toHaveLength(1);
  });
});

describe('poll of several sources', () => {
  it('polls each, and an invalid token of one does not affect the others', async () => {
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
    expect(new Set(output.lines('scanned').map(({ source }) => source))).toEqual(new Set(['alive']));
    expect(new Set(output.lines('scan failed').map(({ source }) => source))).toEqual(new Set(['dead']));
    // The alarm on failures of all scans stays silent.
    expect(sum('Scans')).toBeGreaterThan(0);
  });

  it('counts a source that fails among others, also in polls in which it waits for its next try', async () => {
    await world.stop();
    const one = { timeZone: 'UTC', resources: { ...OFF, task: { every: '1s' } } };
    world = await startWorld({
      config: {},
      sources: (baseUrl) => [
        { ...one, name: 'dead', baseUrl, token: 'of-no-use' },
        { ...one, name: 'alive', baseUrl, token: '${TOKEN}' },
      ],
    });
    for (let n = 0; n < 5; n++) {
      await world.functions.poll();
      world.clock.advance(5 * MINUTE);
    }
    // One or two failures are noise. Each minute's run counts what the polls before it have stored.
    expect(output.metric('FailingSources')).toEqual([0, 0, 0, 1, 1]);
    await world.functions.poll();
    output.clear();
    world.clock.advance(2 * SECOND);
    await world.functions.poll();
    expect(output.lines('scan failed')).toEqual([]);
    expect(output.metric('FailingSources')).toEqual([1]);
  });

  it('names the sources that fail or lag as a dimension, with alarms per source, and no healthy one', async () => {
    await world.stop();
    const one = { timeZone: 'UTC', resources: { ...OFF, task: { every: '5m' } } };
    world = await startWorld({
      config: {},
      environment: { [SOURCE_METRICS]: 'true' },
      sources: (baseUrl) => [
        { ...one, name: 'dead', baseUrl, token: 'of-no-use' },
        { ...one, name: 'alive', baseUrl, token: '${TOKEN}' },
      ],
    });
    const bySource = () => output.dimensions().filter((set) => 'source' in set);
    await world.functions.poll();
    expect(bySource()).toEqual([]);
    for (let n = 0; n < 15; n++) {
      world.clock.advance(5 * MINUTE);
      await world.functions.poll();
    }
    expect(new Set(bySource().map(({ source }) => source))).toEqual(new Set(['dead']));
    expect(new Set(output.metric('SourceFailing'))).toEqual(new Set([1]));
    // Its first sync was to end within an hour.
    expect(new Set(output.metric('SourceLagging'))).toEqual(new Set([1]));
    // The counts of the deployment have no further dimension: their alarms would not see them.
    expect(output.metric('FailingSources').at(-1)).toBe(1);
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
