/**
 * The deployed code is bundled, minified, and without modules that Lambda never needs. Here the bundles themselves run,
 * each in its own process with only environment variables, as in Lambda.
 */

import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleFunction } from '../../lib/bundle.ts';
import { FUNCTION_NAMES, type FunctionName } from '../../runtime/aws/metrics.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { type Receiver, startReceiver } from '../e2e/receiver.ts';
import { SECRET } from '../samples.ts';
import { OPS, startWorld, type World } from './world.ts';

const run = promisify(execFile);

/** Starts a bundle in a new process, invokes it once and returns the result. */
const CALLER = `
const { handler } = await import(process.argv[1]);
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 60_000 };
const answer = await handler(JSON.parse(process.argv[2]), context);
process.stderr.write('ANSWER' + JSON.stringify(answer ?? null));
process.exit(0);
`;

const bundles = new Map<FunctionName, Bundle>();
let folder: string;
let world: World;
let receiver: Receiver;
let slack: Slack;
let ses: { readonly server: Server; readonly mails: unknown[] };

/** Accepts every mail. */
async function startSes() {
  const mails: unknown[] = [];
  const server = createServer(async (request, response) => {
    mails.push(await json(request));
    response.setHeader('content-type', 'application/json');
    response.end('{"MessageId":"1"}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, mails };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-bundle-'));
  [receiver, slack, ses] = await Promise.all([startReceiver(SECRET), startSlack(), startSes()]);
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      manage: { url: 'https://tidings.example.com', secret: '${OPS}' },
      subscriptions: [
        { name: 'ops', events: ['task.closed'], to: { http: { url: receiver.url, secret: '${OPS}' } } },
        {
          name: 'words',
          events: ['task.closed'],
          to: { http: { url: receiver.url, secret: '${OPS}' } },
          template: { body: { type: 'tidings.ping', says: '{{ event.type }}' } },
        },
        { name: 'team', events: ['task.closed'], gather: '0s', to: { email: { to: ['ann@example.com'] } } },
        { name: 'chat', events: ['task.closed'], gather: '0s', to: { slack: { webhook: '${OPS}' } } },
      ],
    },
  });
  world.secrets.values.set('/tidings/chat', slack.webhookUrl);
  const packed = world.options.environment?.TIDINGS_CONFIG ?? '';
  const config = packed.replace(`"webhook":"${OPS}"`, '"webhook":"ssm:/tidings/chat"');
  for (const name of FUNCTION_NAMES) bundles.set(name, bundleFunction({ name, folder: join(folder, name), config }));
});

afterAll(async () => {
  ses.server.close();
  await Promise.all([world.stop(), receiver.close(), slack.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function call(name: FunctionName, event: unknown = {}): Promise<{ answer: unknown; stdout: string }> {
  const { TIDINGS_CONFIG: _, ...environment } = world.options.environment ?? {};
  const { stdout, stderr } = await run(
    process.execPath,
    ['--input-type=module', '-e', CALLER, join(folder, name, 'index.mjs'), JSON.stringify(event)],
    {
      env: {
        ...environment,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_DYNAMODB: world.tables.endpoint,
        AWS_ENDPOINT_URL_SQS: world.queues.endpoint,
        AWS_ENDPOINT_URL_SSM: world.secrets.endpoint,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: world.secrets.endpoint,
        AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${(ses.server.address() as AddressInfo).port}`,
      },
    },
  );
  const [warnings = '', answer = ''] = stderr.split('ANSWER');
  expect(warnings).toBe('');
  return { answer: JSON.parse(answer), stdout };
}

describe('the bundled functions', () => {
  it('deliver a change from the API to a receiver, each in a new process', async () => {
    expect((await call('setup')).stdout).toMatch(
      /"message":"applied the declared subscriptions".*"added":\["\w+","\w+","\w+","\w+"\]/,
    );
    expect((await call('poll')).stdout).toContain('"Scans":[0,1]');
    const [task] = world.simulator.account.list('task', { excludeclosed: 't' });
    world.simulator.account.update('task', String(task?.id), { statusid: 7 });
    await new Promise((later) => setTimeout(later, 1100));
    expect((await call('poll')).stdout).toContain('"Changes":[0,1]');

    // The bundle has its own client, so its commit is read back. The baseline is the state before.
    const key = { source: 'main', resource: 'task', id: String(task?.id) };
    const after = await world.snapshots.get(key);
    const changes = world.changesTo(after);
    expect((await call('announce', { Records: changes })).answer).toEqual({ batchItemFailures: [] });
    expect((await call('tick')).stdout).toContain('"OldestDue":0');
    const records = await world.queues.receive();
    expect(records).toHaveLength(4);
    const { answer, stdout } = await call('deliver', { Records: records });
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(stdout).not.toContain(SECRET);
    expect(receiver.events.map(({ type }) => type).toSorted()).toEqual(['task.closed', 'tidings.ping']);
    expect(receiver.refused).toEqual([]);
    // Modules in separate files are found.
    expect(slack.messages.map(({ text }) => text)).toEqual([expect.stringContaining('was closed')]);
    expect(ses.mails).toEqual([expect.objectContaining({ Destination: { ToAddresses: ['ann@example.com'] } })]);
  });

  it.each(FUNCTION_NAMES)('%s has a package of at most 1.5 MiB, including modules loaded at first use', (name) => {
    const { startBytes, bytes } = bundles.get(name) ?? { startBytes: 0, bytes: Number.POSITIVE_INFINITY };
    expect(startBytes).toBeGreaterThan(100_000);
    // The aim of the benchmark `cold` is 1,500,000. `deliver` takes more by now: 585,000 are undici, which has no smaller entry.
    expect(bytes).toBeLessThanOrEqual(1.5 * 1024 * 1024);
  });

  it('contain undici only where requests leave AWS', () => {
    const hasUndici = (name: FunctionName) =>
      globSync(join(folder, name, '*.mjs')).some((file) => readFileSync(file, 'utf8').includes('UND_ERR_'));
    expect(FUNCTION_NAMES.filter(hasUndici).toSorted()).toEqual(['deliver', 'poll']);
  });

  it('contain the client of X-Ray only if changes are traced', () => {
    const files = (name: string) => globSync(join(folder, name, '*.mjs')).map((file) => readFileSync(file, 'utf8'));
    const config = world.options.environment?.TIDINGS_CONFIG ?? '';
    bundleFunction({ name: 'announce', folder: join(folder, 'traced'), config, isTraced: true });
    expect(files('announce').some((text) => text.includes('PutTraceSegments'))).toBe(false);
    expect(files('traced').some((text) => text.includes('/TraceSegments'))).toBe(true);
  });

  it('serve the manage page', async () => {
    const requestContext = { http: { method: 'GET', path: '/health', sourceIp: '::1', userAgent: '' } };
    const event = { version: '2.0', rawPath: '/health', rawQueryString: '', headers: { host: 'x' }, requestContext };
    const { answer } = await call('manage', event);
    expect(answer).toMatchObject({ statusCode: 200, body: expect.stringContaining('"status":"ok"') });
  });
});
