/** A running embedded service with data, its management API on a port, for tools that make requests of their own. */

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Context } from 'hono';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { SCOPES } from '../../core/model/api-key.ts';
import { apiApp } from '../../manage/api/http/api-app.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { createKey } from '../../manage/api/keys.ts';
import { manageApp } from '../../manage/app.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { serve } from '../../runtime/embedded/serve.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { startReceiver } from '../manage/api-world.ts';
import { SECRET } from '../samples.ts';

const EVENTS = 12;

export type ApiService = Awaited<ReturnType<typeof startApiService>>;

export async function startApiService() {
  const receiver = await startReceiver();
  const simulator = await startSimulator({ seed: 7, tasks: 60, quota: 10_000_000 });
  const environment = {
    MASTER: 'the master secret of the tests',
    OPS: SECRET,
    TOKEN: simulator.tokens.Administrator[0] ?? '',
  };
  const tree = {
    source: {
      baseUrl: simulator.url,
      token: '${TOKEN}',
      resources: { task: { every: '1s' } },
      quota: { perMinute: 600 },
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    mail: { from: 'tidings@example.com', smtp: 'smtp://127.0.0.1:9' },
    manage: { url: 'https://tidings.example.com', secret: '${MASTER}' },
    subscriptions: [{ name: 'declared', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
  };
  const config = parseTree('test', tree, environment);
  const database = openDatabase(':memory:');
  const options = {
    config,
    database,
    environment,
    clock: systemClock,
    holder: 'test',
    random: () => 0.5,
    dryRun: true,
  };
  const embedded = await openEmbedded(options);
  // No request leaves this machine, whatever URL a tool makes up.
  const http = { options: async () => ({ status: 405, headers: {}, body: '' }) };
  const api: ApiPorts = { ...embedded, http, mode: 'embedded', randomBytes };
  const errors: unknown[] = [];
  const rate = { burst: 1_000_000, interval: 1 };
  // Not a stored key: a tool that removes every key it finds would lock itself out.
  const token = `tdk_${'0'.repeat(16)}_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  const owner = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  const identify = ({ req }: Context) => (req.header('authorization') === `Bearer ${token}` ? owner : undefined);
  const app = apiApp({ api, rate, identify, checksResponses: true, report: (error) => errors.push(error) });
  const server = createServer(
    getRequestListener(manageApp({ ...embedded, sources: config.sources, api: app }).fetch),
  ).listen(0, '127.0.0.1');
  const ending = new AbortController();
  const serving = serve(embedded, {}, ending.signal);
  for (const scope of SCOPES) await createKey(api, owner, { name: scope, scopes: [scope] });

  // Closed tasks become events with deliveries.
  await until(async () => ((await embedded.scanStates.get('main', 'task'))?.baselinedAt ?? null) !== null);
  for (const { id } of simulator.account.list('task', { excludeclosed: 't' }).slice(0, EVENTS)) {
    simulator.account.update('task', String(id), { statusid: 7 });
  }
  const closed = { limit: 200, types: ['task.closed'] } as const;
  await until(async () => (await embedded.events.list(closed)).events.length >= EVENTS);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    /** The id of a task that exists. */
    task: String(simulator.account.list('task', {})[0]?.id),
    api,
    receiver,
    /** Unexpected errors of the API. */
    errors,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      ending.abort();
      await serving;
      await embedded.close();
      await Promise.all([simulator.stop(), receiver.stop()]);
    },
  };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) {
    if (tries === 1200) throw new Error('the service did not find its data within a minute');
    await sleep(50);
  }
}
