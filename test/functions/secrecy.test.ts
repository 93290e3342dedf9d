/** No log contains a secret, whatever fails. All output of the functions is searched for each secret. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../core/model/time.ts';
import { SECRET } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { OPS, openFunctions, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;
let parrot: Server;

/** Fails and echoes the whole request, headers included: the worst a receiver can do. */
async function startParrot(): Promise<string> {
  parrot = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(500).end(JSON.stringify({ headers: request.headers, body }));
  });
  await new Promise<void>((listening) => parrot.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(parrot.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = 'DEBUG';
  const url = await startParrot();
  world = await startWorld({
    config: {
      subscriptions: [
        {
          name: 'ops',
          events: ['task.closed'],
          to: { http: { url, secret: '${OPS}', headers: { 'x-key': '${OPS}' }, auth: { bearer: '${OPS}' } } },
        },
        { name: 'chat', events: ['task.closed'], to: { slack: { webhook: '${OPS}' } }, gather: '0s', rate: '900/s' },
      ],
    },
  });
  output = captureOutput();
});

afterEach(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = '';
  vi.restoreAllMocks();
  parrot.close();
  parrot.closeAllConnections();
  await world.stop();
});

/** Each secret, and the encodings in which it is sent. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(`${secret}:x`).toString('base64');
  return [secret, encodeURIComponent(secret), base64, secret.replace('whsec_', '')];
}

async function runEverything(functions: World['functions']): Promise<void> {
  await functions.setup();
  await functions.poll();
  world.changes();
  for (const { id } of world.simulator.account.list('task', { excludeclosed: 't', limit: '3' })) {
    world.simulator.account.update('task', String(id), { statusid: 7 });
  }
  world.clock.advance(2 * SECOND);
  await functions.poll();
  await functions.announce(world.changes());
  for (let round = 0; round < 3; round++) {
    await functions.deliver(await world.queues.receive());
    world.clock.advance(7 * SECOND);
    await functions.tick();
  }
}

describe('the output of the functions', () => {
  it('contains no secret when receivers echo requests', async () => {
    await runEverything(world.functions);
    expect(output.lines('retry').length).toBeGreaterThan(0);
    for (const form of [...formsOf(world.token), ...formsOf(SECRET)]) expect(output.text()).not.toContain(form);
  });

  it('contains none when the token is refused, secrets are invalid, or stores are down', async () => {
    await runEverything(world.functions);
    const wrong = 'an-unknown-token-for-this-test-0123';
    const useless = 'not-a-signing-secret-at-all-0123';
    world.secrets.values.set('/tidings/token', wrong);
    world.secrets.values.set('tidings', JSON.stringify({ ops: useless }));
    const reopened = openFunctions(world.options);
    world.clock.advance(2 * SECOND);
    await reopened.poll();
    expect(output.lines('scan failed')).not.toEqual([]);
    await runEverything(reopened);
    world.secrets.values.set('tidings', `{"ops":"${useless}"`);
    await openFunctions(world.options).deliver(await world.queues.receive());
    const lost = { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' };
    await expect(openFunctions({ ...world.options, environment: lost }).poll()).rejects.toThrow();
    for (const secret of [wrong, useless, world.token, SECRET]) {
      for (const form of formsOf(secret)) expect(output.text()).not.toContain(form);
    }
  });

  it('contains the references, so that operators can find the secret', async () => {
    await world.functions.setup();
    world.secrets.values.delete('/tidings/token');
    await world.functions.poll();
    expect(output.text()).toContain('ssm:/tidings/token');
    expect(OPS).not.toContain(SECRET);
  });
});
