import { Svix } from 'svix';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Contender } from '../../bench/rivals/contender.ts';
import { runLoad } from '../../bench/rivals/load.ts';
import { type Loads, type Measured, measure } from '../../bench/rivals/measure.ts';
import { BODY_BYTES, messageEvent, messageId, messageTask } from '../../bench/rivals/message.ts';
import { rivalsTable } from '../../bench/rivals/rivals-table.ts';
import { checkRivals, readRivals, rivalFigures } from '../../bench/rivals.ts';
import { KEY, type StandIn, startOutpostStandIn, startSvixStandIn, startTestSink } from './stand-ins.ts';

const LOADS: Loads = {
  warmUp: { messages: 2 },
  burst: { messages: 40 },
  steady: { messages: 5, perSecond: 500 },
  settle: 0,
  idle: 10,
};

describe('the clients of other services', () => {
  let svix: StandIn;
  let outpost: StandIn;
  let sink: Awaited<ReturnType<typeof startTestSink>>;
  beforeAll(async () => {
    [svix, outpost, sink] = await Promise.all([startSvixStandIn(), startOutpostStandIn(), startTestSink()]);
  });
  afterAll(() => Promise.all([svix.close(), outpost.close(), sink.close()]));

  const environment = () => ({
    RIVALS_SVIX_URL: `${svix.url}/`,
    RIVALS_SVIX_TOKEN: KEY,
    RIVALS_OUTPOST_URL: outpost.url,
    RIVALS_OUTPOST_KEY: KEY,
    RIVALS_OUTPOST_PROCESSES: String(process.pid),
  });

  it('send every message to each endpoint, measure its arrival and remove what they made', async () => {
    await checkRivals(environment());
    const contenders = readRivals(environment());
    expect(contenders.map(({ name }) => name)).toEqual(['Svix', 'Outpost']);
    for (const contender of contenders) {
      const measured = await measure(contender, sink, 2, LOADS);
      expect(measured).toMatchObject({ name: contender.name, accept: 'HTTP', endpoints: 2 });
      expect(measured.deliveredPerSecond).toBeGreaterThan(0);
      expect(measured.callP99).toBeGreaterThan(0);
      expect(measured.callP99).toBeGreaterThanOrEqual(measured.p99);
      // Only the processes of Outpost are known.
      const isKnown = contender.name === 'Outpost' && process.platform === 'linux';
      expect(measured.memory !== undefined).toBe(isKnown);
      expect(measured.steadyCpu !== undefined).toBe(isKnown);
    }
    expect([...svix.owners.keys(), ...outpost.owners.keys()]).toEqual([]);
  });

  it('call Svix at the paths that its own client calls', async () => {
    const client = new Svix(KEY, { serverUrl: svix.url });
    const { id } = await client.application.create({ name: 'own client' });
    await client.endpoint.create(id, { url: `${sink.url}/endpoint/0` });
    const message = await client.message.create(id, { eventType: 'task.created', payload: { text: 'hello' } });
    await vi.waitFor(async () => expect((await sink.arrivals()).map(([id]) => id)).toEqual([message.id]), 20_000);
    await client.application.delete(id);
    expect([...svix.owners.keys()]).toEqual([]);
  });

  it.each([
    ['RIVALS_SVIX_TOKEN', 'wrong', /^RIVALS_SVIX_TOKEN: Svix responded to GET .* with 401/],
    ['RIVALS_OUTPOST_KEY', 'wrong', /^RIVALS_OUTPOST_KEY: Outpost responded to GET .* with 401/],
    ['RIVALS_SVIX_URL', 'http://127.0.0.1:9', /^RIVALS_SVIX_URL: Svix does not respond at http:\/\/127\.0\.0\.1:9/],
    ['RIVALS_OUTPOST_URL', () => `${outpost.url}/wrong`, /^RIVALS_OUTPOST_URL: Outpost responded to GET .* with 404/],
  ])('name %s when the server refuses it', async (variable, value, message) => {
    const changed = typeof value === 'string' ? value : value();
    await expect(checkRivals({ ...environment(), [variable]: changed })).rejects.toThrow(message);
  });
});

describe('the variables of other services', () => {
  const valid = { RIVALS_SVIX_URL: 'http://127.0.0.1:8071', RIVALS_SVIX_TOKEN: 'token' };

  it('may all be missing', () => {
    expect(readRivals({})).toEqual([]);
    expect(readRivals({ RIVALS_SVIX_URL: ' ' })).toEqual([]);
  });

  it.each([
    [{ RIVALS_SVIX_URL: 'localhost:8071' }, /^RIVALS_SVIX_URL: expected an address such as http/],
    [{ RIVALS_SVIX_URL: 'not a url' }, /^RIVALS_SVIX_URL: expected an address/],
    [{ RIVALS_SVIX_TOKEN: '' }, /^RIVALS_SVIX_TOKEN is missing/],
    [{ RIVALS_SVIX_URL: undefined }, /^RIVALS_SVIX_TOKEN is set but RIVALS_SVIX_URL is not/],
    [{ RIVALS_OUTPOST_PROCESSES: 'outpost' }, /^RIVALS_OUTPOST_PROCESSES is set but RIVALS_OUTPOST_URL is not/],
    [{ RIVALS_SVIX_PROCESSES: 'no such process' }, /^RIVALS_SVIX_PROCESSES: no process 'no such process' runs here/],
    [{ RIVALS_SVIX_PROCESSES: '1,4194305' }, /^RIVALS_SVIX_PROCESSES: no process '4194305' runs here/],
  ])('are refused by name: %o', (changed, message) => {
    expect(() => readRivals({ ...valid, ...changed })).toThrow(message);
  });
});

describe('the table', () => {
  const ours: Measured = {
    name: 'Tidings',
    accept: 'commit in process',
    endpoints: 1,
    deliveredPerSecond: 1_982.4,
    p50: 1.556,
    p99: 3.46,
    callP99: 5.55,
    burstCpu: 0.494,
    steadyCpu: 2.44,
    idleCpu: 0.3,
    memory: { rss: 189 * 2 ** 20, pss: 150 * 2 ** 20 },
  };
  const unknown = {
    ...ours,
    name: 'Svix',
    accept: 'HTTP',
    burstCpu: undefined,
    steadyCpu: undefined,
    idleCpu: undefined,
    memory: undefined,
  };

  it('names a contender once and shows what is unknown as -', () => {
    const rows = rivalsTable([ours, { ...ours, endpoints: 10, memory: { rss: 2 ** 20, pss: undefined } }, unknown]);
    expect(rows.slice(1)).toEqual([
      [
        'Tidings',
        'commit in process',
        '1',
        '1,982',
        '1.56 / 3.46 ms',
        '5.5 ms',
        '0.49 / 2.44',
        '0.30',
        'RSS 189 MB, PSS 150 MB',
      ],
      ['', '', '10', '1,982', '1.56 / 3.46 ms', '5.5 ms', '0.49 / 2.44', '0.30', 'RSS 1 MB'],
      ['Svix', 'HTTP', '1', '1,982', '1.56 / 3.46 ms', '5.5 ms', '- / -', '-', '-'],
    ]);
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([9]));
  });

  it('becomes figures in which a ratio of 1 is the bound', () => {
    const bare = { ...ours, name: 'bare POSTs', accept: 'none' };
    const many = { endpoints: 10, callP99: 4, deliveredPerSecond: 8_000, p50: 0.5 };
    const figures = rivalFigures([bare, { ...bare, ...many }, ours, { ...ours, ...many }]);
    expect(figures.map(({ name, ratio, aim }) => [name, Number(ratio.toFixed(2)), aim])).toEqual([
      ['rivals (p50, 1 endpoint)', 3.11, 1],
      ['rivals (delivered, 1 endpoint)', 2.02, 1],
      ['rivals (cpu, 1 endpoint)', 4.07, 1],
      ['rivals (p50, 10 endpoints)', 0.5, 1],
      ['rivals (delivered, 10 endpoints)', 1, 1],
      ['rivals (p99 from the call, 10 endpoints)', 0.5, 1],
    ]);
  });
});

describe('the load', () => {
  it('consists of messages with the same size, whose ids the receiver gets', () => {
    const now = '2026-11-16T12:00:00.000Z';
    for (const number of [0, 7_000]) {
      expect(Buffer.byteLength(JSON.stringify(messageEvent(number, now)))).toBe(BODY_BYTES);
      expect(messageEvent(number, now).id).toBe(messageId(messageTask(number, now)));
    }
  });

  it('has no more calls in flight than it may', async () => {
    let [inFlight, most] = [0, 0];
    const accepted = await runLoad({ messages: 100 }, async (number) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise(setImmediate);
      inFlight -= 1;
      return String(number);
    });
    expect(most).toBe(32);
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(100);
    expect(accepted.every(({ calledAt, acceptedAt }) => calledAt <= acceptedAt)).toBe(true);
  });

  it('counts a call from when it was due, so that a blocked process hides no delay', async () => {
    const accepted = await runLoad({ messages: 10, perSecond: 100 }, async (number) => {
      const until = performance.now() + (number === 0 ? 300 : 0);
      while (performance.now() < until);
      return String(number);
    });
    const calledAt = accepted.map((one) => one.calledAt).toSorted((a, b) => a - b);
    expect((calledAt.at(-1) ?? 0) - (calledAt[0] ?? 0)).toBeCloseTo(90, 3);
    const second = accepted.find(({ id }) => id === '1');
    expect((second?.acceptedAt ?? 0) - (second?.calledAt ?? 0)).toBeGreaterThan(280);
  });

  it('lets other work run between the calls of a burst', async () => {
    let turns = 0;
    const turn = () => {
      turns += 1;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    await runLoad({ messages: 320 }, async (number) => String(number));
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('is settled when the contender says so', async () => {
    const sink = await startTestSink();
    let asked = 0;
    const contender: Contender = {
      name: 'slow',
      accept: 'none',
      open: async ([endpoint = '']) => ({
        pids: [],
        run: (load) =>
          runLoad(load, async (number) => {
            const event = messageEvent(number + asked * 1_000, '2026-11-16T12:00:00.000Z');
            await fetch(endpoint, { method: 'POST', headers: { 'svix-id': event.id }, body: JSON.stringify(event) });
            return event.id;
          }),
        assertSettled: async () => {
          asked += 1;
          if (asked % 3 !== 0) throw new Error('no outcome is stored');
        },
        close: async () => {},
      }),
    };
    await measure(contender, sink, 1, LOADS);
    await sink.close();
    expect(asked).toBe(9);
  });
});
