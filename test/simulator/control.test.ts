/**
 * The control API, as another process would use it, and the command `simulate`.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { curlLine, readDuration, readSimulateOptions, simulate, simulateOptions } from '../../simulator/command.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { ask, startStill, validBody } from './api-client.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startStill({ tasks: 60, quota: 100 });
});
afterEach(() => simulator.stop());

async function control(method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${simulator.controlUrl}${path}`, { method, ...sent });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

describe('control', () => {
  it('is on its own port and not on the port of the API', async () => {
    expect(new URL(simulator.controlUrl).port).not.toBe(new URL(simulator.url).port);
    expect((await ask(simulator, '/_sim/clock')).json.error.code).toBe(13);
  });

  it('returns and sets the clock', async () => {
    expect((await control('GET', '/clock')).json).toEqual({
      now: '2026-11-14T11:00:00.000Z',
      speed: 0,
      timeZone: 'Europe/Berlin',
      today: '2026-11-14',
    });
    expect((await control('PUT', '/clock', { now: '2027-01-01T00:00:00Z' })).json).toMatchObject({
      today: '2027-01-01',
    });
    expect((await control('PUT', '/clock', { advance: 86_400_000 })).json).toMatchObject({
      now: '2027-01-02T00:00:00.000Z',
    });
    expect((await control('PUT', '/clock', { speed: 3600 })).json).toMatchObject({ speed: 3600 });
  });

  it('switches faults and quirks on and off', async () => {
    await control('PUT', '/faults', { serverError: { status: 503, count: 2 }, latency: { ms: 1 } });
    expect((await ask(simulator, '/task/')).status).toBe(503);
    expect((await control('GET', '/faults')).json).toEqual({
      latency: { ms: 1 },
      serverError: { status: 503, code: 19, count: 1 },
    });
    await control('DELETE', '/faults');
    expect((await ask(simulator, '/task/')).status).toBe(200);
    expect((await control('PUT', '/quirks', { envelopeNumbers: 'string' })).json).toMatchObject({
      envelopeNumbers: 'string',
      entities: true,
    });
    expect((await ask(simulator, '/task/')).json.code).toBe('200');
  });

  it('writes records as any person, pays invoices, and returns the journal', async () => {
    const made = await control('POST', '/records/task?by=3', validBody('task'));
    await control('PUT', `/records/task/${made.json.id}`, { statusid: 7 });
    const invoice = simulator.account.list('invoice', { status: 'outstanding' }).find(({ total }) => total !== '0.00');
    await control('POST', `/pay/${invoice?.id}`, { amount: 1 });
    await control('DELETE', `/records/task/${made.json.id}`);
    const { json } = await control('GET', '/journal?resource=task');
    expect((json.entries as { action: string; by: string }[]).map(({ action, by }) => [action, by])).toEqual([
      ['created', '3'],
      ['updated', '1'],
      ['deleted', '1'],
    ]);
    const rest = await control('GET', `/journal?since=${json.last}`);
    expect(rest.json).toEqual({ last: json.last, entries: [] });
    expect((await control('GET', '/records/task?limit=1')).json).toHaveLength(1);
    expect((await control('GET', '/records/task/1?role=Executive')).json).not.toHaveProperty('ownerid');
  });

  it('steps, paces, pauses and resumes the activity', async () => {
    const { json } = await control('POST', '/life', { steps: 5 });
    expect(json.last).toBeGreaterThanOrEqual(5);
    expect((await control('PUT', '/life', { pace: 1000, paused: true })).json).toEqual({ pace: 1000, paused: true });
    expect((await control('PUT', '/life', { paused: false })).json).toEqual({ pace: 1000, paused: false });
    await control('PUT', '/clock', { advance: 60_000 });
    expect((await control('GET', '/journal')).json.last).toBeGreaterThan(Number(json.last) + 30);
    expect((await control('PUT', '/life', { pace: null })).json).toEqual({ pace: null, paused: false });
  });

  it('lists tokens and changes the role of one', async () => {
    const tokens = (await control('GET', '/tokens')).json as unknown as { token: string; role: string }[];
    const manager = tokens.find(({ role }) => role === 'Manager')?.token ?? '';
    await control('PUT', `/tokens/${manager}`, { role: 'Resource' });
    expect((await ask(simulator, '/invoice/', { token: manager })).status).toBe(403);
    await control('PUT', `/tokens/${manager}`, { role: null });
    expect((await ask(simulator, '/invoice/', { token: manager })).status).toBe(200);
    expect((await control('PUT', `/tokens/${manager}`, { role: 'King' })).status).toBe(400);
  });

  it('sets and resets the quota, and does not count against it', async () => {
    await ask(simulator, '/task/');
    expect((await control('GET', '/quota')).json).toMatchObject({ quota: 100, used: 1, perMinute: null });
    expect((await control('PUT', '/quota', { used: 0, perMinute: 5 })).json).toMatchObject({ used: 0, perMinute: 5 });
    expect((await control('PUT', '/quota', { quota: null, perMinute: null })).json).toMatchObject({ quota: null });
  });

  it.each([
    ['GET', '/nothing', undefined, 404, /expected one of GET/],
    ['PUT', '/faults', { explode: true }, 400, /expected one of latency/],
    ['PUT', '/clock', { advance: 'a day' }, 400, /advance: expected a number/],
    ['POST', '/records/nothing', {}, 400, /no resource 'nothing'/],
    ['POST', '/records/task', {}, 400, /is required/],
    ['POST', '/records/timer', {}, 400, /cannot be written/],
    ['GET', '/records/task/99999', undefined, 404, /no task with id 99999/],
    ['PUT', '/quirks', [1], 400, /expected a JSON object/],
  ])('%s %s is refused with a reason', async (method, path, body, status, message) => {
    const response = await control(method, path, body);
    expect(response.status).toBe(status);
    expect(response.json.error).toMatch(message);
  });

  it('lists its routes', async () => {
    const { json } = await control('GET', '/');
    expect(json.routes).toContain('PUT faults');
    expect(json.clock).toMatchObject({ today: '2026-11-14' });
  });
});

describe('starting and stopping', () => {
  it('a port in use is an error with code EADDRINUSE, and no server stays open', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startSimulator({ tasks: 1, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(startSimulator({ tasks: 1, controlPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => other.close(resolve));
  });

  it.each([
    [{ tasks: 0 }, /tasks: expected a whole number from 1/],
    [{ now: 'yesterday' }, /now: expected an ISO instant/],
    [{ tasks: 1, life: 0 }, /life: expected at least 1 ms/],
    [{ tasks: 1, timeZone: 'Europe/Atlantis' }, /Europe\/Atlantis/],
  ])('%j is refused', async (options, message) => {
    await expect(startSimulator(options)).rejects.toThrow(message);
  });
});

describe('the command', () => {
  it('prints the address, the tokens by role and a curl line that works', async () => {
    let printed = '';
    const values = { port: '0', tasks: '200', seed: '7', life: '1m', speed: '0' };
    const running = await simulate(values, (text) => {
      printed += text;
    });
    expect(printed).toContain(running.url);
    expect(printed).toContain(running.controlUrl);
    for (const [role, [token]] of Object.entries(running.tokens))
      expect(printed).toMatch(new RegExp(`${role} +${token}`));
    expect(printed).toContain(curlLine(running));
    const [, token = '', header = '', url = ''] =
      /^curl -u (\w+):x -H 'Accept: (.*?)' '(.*)'$/.exec(curlLine(running)) ?? [];
    const authorization = `Basic ${Buffer.from(`${token}:x`).toString('base64')}`;
    const answer = await fetch(url, { headers: { accept: header, authorization } });
    expect(await answer.json()).toMatchObject({ status: 'OK', task: [{}, {}] });
    await running.stop();
  });

  it('starts with the faults and quirks it is given', async () => {
    const values = { port: '0', tasks: '10', quirk: ['success=200', 'entities=false'], fault: 'wrongCount={"by":3}' };
    const running = await simulate(values, () => undefined);
    expect((await ask(running, '/task/')).json.listcount).toBe(13);
    expect((await ask(running, '/task/1/', { method: 'PUT', body: {} })).status).toBe(200);
    await running.stop();
  });

  it('reads its options, with the documented defaults', () => {
    const defaults = Object.fromEntries(
      simulateOptions.flatMap(({ flags, default: value }) => (value === undefined ? [] : [[camel(flags), value]])),
    );
    expect(readSimulateOptions(defaults)).toEqual({
      port: 4010,
      controlPort: 4011,
      host: '127.0.0.1',
      seed: 1,
      tasks: 1000,
      timeZone: 'Europe/Berlin',
      speed: 1,
      quota: 6000,
      faults: {},
      quirks: {},
    });
    expect(
      readSimulateOptions({
        tasks: '1,000,000',
        quota: '0',
        fault: ['hang', 'latency={"ms":5}'],
        quirk: 'success=200',
      }),
    ).toMatchObject({
      tasks: 1_000_000,
      quota: Number.POSITIVE_INFINITY,
      faults: { hang: true, latency: { ms: 5 } },
      quirks: { success: 200 },
    });
  });

  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1m', 60_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
  ])('%s is %i milliseconds', (text, ms) => expect(readDuration('life', text)).toBe(ms));

  it.each(['', '1', 'soon', '-1m'])("'%s' is no duration", (text) => {
    expect(() => readDuration('life', text)).toThrow(/--life: expected a duration/);
  });
});

function camel(flags: string): string {
  return (/^--([\w-]+)/.exec(flags)?.[1] ?? '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
