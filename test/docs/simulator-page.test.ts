/** The requests and the code of docs/simulator.md, run against the simulator. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/simulator.md'), 'utf8');

interface Request {
  readonly line: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const requests: readonly Request[] = [...page.matchAll(/^curl .*\$C.*$/gm)].map(([line]) => ({
  line,
  method: /-X (\w+)/.exec(line)?.[1] ?? 'GET',
  path: /\$C(\/[^\s"]*)/.exec(line)?.[1] ?? '',
  body: /-d '([^']*)'/.exec(line)?.[1],
}));

let simulator: Simulator;
let token: string;

beforeAll(async () => {
  simulator = await startSimulator({ tasks: 50, now: '2026-11-14T11:00:00Z', speed: 0 });
  token = simulator.tokens.Manager[0] ?? '';
});
afterAll(() => simulator.stop());

describe('docs/simulator.md', () => {
  it('has requests', () => expect(requests.length).toBeGreaterThan(15));

  it.each(requests)('$line', async ({ method, path, body }) => {
    const url = `${simulator.controlUrl}${path.replace('$TOKEN', token)}`;
    const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
    expect([response.ok, await response.text()]).toEqual([true, expect.any(String)]);
  });

  it('shows a request to the API', async () => {
    const [, path = ''] = /'http:\/\/127\.0\.0\.1:4010(\/[^']*)'/.exec(page) ?? [];
    const authorization = `Basic ${btoa(`${token}:x`)}`;
    const response = await fetch(simulator.url + path, { headers: { authorization, accept: 'application/json' } });
    expect(await response.json()).toMatchObject({ status: 'OK', task: expect.any(Array) });
  });

  it('shows code that runs', async () => {
    const [, code = ''] = /```ts\nimport \{ startSimulator \}.*\n([\s\S]*?)```/.exec(page) ?? [];
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    const run = new AsyncFunction('startSimulator', code.replace('await simulator.stop()', 'return simulator'));
    const started: Simulator = await run(startSimulator);
    expect(started.account.journal.read({ since: 0, resource: 'task' })).not.toHaveLength(0);
    await started.stop();
  });
});
