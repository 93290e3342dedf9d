/** The doctor for the first day, and the look at how things are going: as a user runs them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Role, type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { SECRET } from '../samples.ts';
import { tidings } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let folder: string;
let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-check-'));
  simulator = await startSimulator({ tasks: 120, quota: 6000 });
  receiver = await startReceiver(SECRET);
});

afterEach(async () => {
  await Promise.all([simulator.stop(), receiver.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function configFor(role: Role, change: object = {}): string {
  const file = join(folder, 'tidings.yaml');
  const http = { url: receiver.url, secret: SECRET };
  const config = {
    source: { baseUrl: simulator.url, token: simulator.tokens[role][0] },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops', events: ['task.*'], to: { http } }],
    ...change,
  };
  writeFileSync(file, stringify(config));
  return file;
}

describe('tidings check', () => {
  it('tells who the token is, its quota, what it may read, what that costs, and finds the endpoint', async () => {
    const { code, stdout } = await tidings(['check', '--config', configFor('Administrator')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ {2}main at http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/token {6}\S+ \S+, Administrator, \S+\/\S+/);
    expect(stdout).toMatch(/quota {6}\d+ of 6,000 used, counted anew at \d{4}-\d\d-\d\d 00:00 UTC/);
    expect(stdout).toMatch(/forecast {3}at this pace \d{3} of 6,000 requests a day/);
    expect(stdout).toMatch(/task +120/);
    expect(stdout).toMatch(/✔ {2}ops: 127\.0\.0\.1 is 127\.0\.0\.1, plain http/);
    expect(receiver.events).toEqual([]);
  });

  it('says what a lesser role may not read, which is no fault', async () => {
    const { code, stdout } = await tidings(['check', '--config', configFor('Resource'), '--json']);
    expect(code).toBe(0);
    const [source] = JSON.parse(stdout).sources;
    const problems = Object.fromEntries(
      source.resources.map((one: { resource: string; problem: string }) => [one.resource, one.problem]),
    );
    expect(problems).toMatchObject({ task: null, invoice: "the token's role may not read it" });
  });

  it('sends a signed ping when asked', async () => {
    const { code, stdout } = await tidings(['check', '--config', configFor('Administrator'), '--ping']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('the ping was answered 204') });
    expect(receiver.events).toMatchObject([{ type: 'tidings.ping', subject: 'subscription/ops' }]);
  });

  it('ends with 1 and says why: a bad token, an API that is not there, an endpoint that may not be reached', async () => {
    const bad = configFor('Administrator', {
      source: { baseUrl: simulator.url, token: 'hunter2hunter2' },
      network: { allowHttp: true },
    });
    const refused = await tidings(['check', '--config', bad]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/✗ {2}main at .*: .*refused the token/);
    expect(refused.stdout).toMatch(/✗ {2}ops: 127\.0\.0\.1 is 127\.0\.0\.1: not a public address/);
    expect(refused.stdout + refused.stderr).not.toContain('hunter2');
    const gone = configFor('Administrator', { source: { baseUrl: 'http://127.0.0.1:9', token: 'x' } });
    expect(await tidings(['check', '--config', gone])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('did not answer'),
    });
  });
});

describe('tidings status', () => {
  it('tells when what was read, what comes next, and how the quota stands', async () => {
    const config = configFor('Manager');
    const data = join(folder, 'data');
    await tidings(['once', '--config', config, '--data', data]);
    const { code, stdout } = await tidings(['status', '--config', config, '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main {2}ok\n/);
    expect(stdout).toMatch(/requests {3}\d+ of 6,000 used, counted anew in .*; at this pace \d+ a day of 6,000/);
    expect(stdout).toMatch(/task +120 +\d s ago +\d s ago +in 4 min +\d+/);
    const json = JSON.parse((await tidings(['status', '--config', config, '--data', data, '--json'])).stdout);
    expect(json.sources[0]).toMatchObject({ source: 'main', state: 'ok', quotaState: 'ok', stretch: 1 });
    expect(json.sources[0].resources).toHaveLength(9);
  });

  it('names what the token may not read, and what failed', async () => {
    const config = configFor('Resource');
    const data = join(folder, 'data');
    simulator.setFaults({ serverError: { status: 500, code: 19, resource: 'project' } });
    await tidings(['once', '--config', config, '--data', data]);
    const { stdout } = await tidings(['status', '--config', config, '--data', data]);
    expect(stdout).toMatch(/invoice .*the token may not read it/);
    expect(stdout).toMatch(/project .*failed 1 times: .*500/);
  });
});
