/** Tracing in AWS: poll, announce and deliver send the spans of one change to X-Ray, as one trace, and log its id. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../core/model/time.ts';
import { createPoll } from '../../functions/poll.ts';
import { DEPLOYMENT, TRACING } from '../../runtime/aws/environment.ts';
import { type AwsServer, startAwsServer } from '../adapters/aws/aws-server.ts';
import { drainQueue } from './drain.ts';
import { type CapturedOutput, captureOutput, contextOf } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

interface Segment {
  readonly name: string;
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id?: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly annotations: Readonly<Record<string, unknown>>;
}

let world: World;
let xray: AwsServer;
let output: CapturedOutput;
let headers: IncomingHttpHeaders[];
let status: number;

const receiver = createServer((request, response) => {
  headers.push(request.headers);
  request.resume().on('end', () => response.writeHead(status).end());
});

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  xray = await startAwsServer(() => ({ ok: {} }));
  world = await startWorld({
    config: { subscriptions: [{ name: 'ops', events: ['task.*'], to: { http: { url, secret: '${OPS}' } } }] },
    environment,
    xray: xray.settings,
  });
  await world.functions.setup();
  // The baseline, and the health of the source.
  await world.functions.poll();
  await world.functions.announce(world.changes());
}

beforeEach(() => {
  output = captureOutput();
  headers = [];
  status = 204;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await xray.close();
  await new Promise((closed) => receiver.close(closed));
});

const segments = (): readonly Segment[] =>
  xray.requests.flatMap(({ body }) => (body.TraceSegmentDocuments as string[]).map((one) => JSON.parse(one)));

/** Changes a task, and lets it come to the receiver. */
async function changeTask(): Promise<void> {
  world.simulator.account.update('task', 3, { title: 'Another title' });
  world.clock.advance(2 * SECOND);
  await world.functions.poll();
  await world.functions.announce(world.changes());
  await drainQueue(world, world.functions.deliver);
}

describe('with tracing: xray', () => {
  beforeEach(() => start({ [TRACING]: 'xray', [DEPLOYMENT]: 'News' }));

  it('shows the way of one event as one trace, from poll to request', async () => {
    await changeTask();
    const [event] = (await world.stores.events.list({ limit: 100 })).events.filter(
      ({ type }) => type === 'task.updated',
    );
    const found = segments().find(({ annotations }) => annotations.event_id === event?.id);
    const trace = segments().filter(({ trace_id }) => trace_id === found?.trace_id);
    const byName = new Map(trace.map((one) => [one.name, one]));
    const names = ['News poll', 'News commit', 'News announce', 'News queue', 'News deliver', 'News request'];
    expect([...byName.keys()].sort()).toEqual(names.sort());
    const parents = trace.map(({ name, parent_id }) => [name, trace.find(({ id }) => id === parent_id)?.name]);
    expect(Object.fromEntries(parents)).toEqual({
      'News poll': undefined,
      'News commit': 'News poll',
      'News announce': 'News commit',
      'News queue': 'News announce',
      'News deliver': 'News announce',
      'News request': 'News deliver',
    });
    for (const { start_time, end_time, trace_id } of trace) {
      expect(end_time).toBeGreaterThanOrEqual(start_time);
      expect(trace_id).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    }
    const [delivery] = await world.stores.deliveries.listByEvent(event?.id ?? '');
    expect(byName.get('News request')?.annotations).toMatchObject({
      event_id: event?.id,
      delivery_id: delivery?.id,
      subscription: 'ops',
      attempt: 1,
      outcome: 'accepted',
    });
    expect(xray.unsigned()).toBe(0);
  });

  it('names the trace in the request, and in the logs of all three functions', async () => {
    await changeTask();
    const trace = String(headers.at(-1)?.traceparent).split('-')[1] ?? '';
    expect(headers.at(-1)?.traceparent).toBe(
      `00-${trace}-${segments().find(({ name, trace_id }) => name === 'News request' && idOf(trace_id) === trace)?.id}-01`,
    );
    const tracesOf = (message: string) => output.lines(message).flatMap((line) => line.traces);
    expect(tracesOf('committed')).toContain(trace);
    expect(JSON.stringify(output.lines('announced'))).toContain(`"trace":"${trace}"`);
    expect(tracesOf('accepted')).toContain(trace);
  });

  it('marks a refused request as a fault, and the next attempt is in the same trace', async () => {
    status = 500;
    await changeTask();
    const [first] = segments().filter(({ name }) => name === 'News request');
    expect(first).toMatchObject({ fault: true, http: { response: { status: 500 } } });
    status = 204;
    world.clock.advance(60 * SECOND);
    await world.functions.tick();
    world.clock.advance(60 * SECOND);
    await drainQueue(world, world.functions.deliver);
    const requests = segments().filter(({ name, trace_id }) => name === 'News request' && trace_id === first?.trace_id);
    expect(requests.map(({ annotations }) => annotations.attempt)).toEqual([1, 2]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(2);
  });

  it('delivers if X-Ray does not answer, and says so in the log', async () => {
    xray.always(() => ({ awsCode: 'InternalFailure', status: 500 }));
    await changeTask();
    expect(headers.length).toBeGreaterThan(0);
    expect(output.lines('tracing failed')[0]).toMatchObject({
      level: 'WARN',
      problem: expect.stringMatching(/^\d+ spans were not sent: InternalFailure/),
    });
  });

  it('hides no error of a function that cannot be opened', async () => {
    const poll = createPoll({ environment: { [TRACING]: 'xray' } });
    await expect(poll({}, contextOf())).rejects.toThrow(/TIDINGS_CONFIG/);
    expect(output.lines('failed')).toMatchObject([{ level: 'ERROR' }]);
  });

  it('sends no span of a baseline', () => {
    expect(segments().filter(({ annotations }) => String(annotations.change).includes('/task/'))).toEqual([]);
  });
});

const idOf = (traceId: string) => traceId.slice(2).replace('-', '');

describe('without it', () => {
  beforeEach(() => start({}));

  it('sends nothing, and names no trace', async () => {
    await changeTask();
    expect(xray.requests).toEqual([]);
    expect(headers.at(-1)).not.toHaveProperty('traceparent');
    expect(output.text()).not.toContain('"trace');
  });
});
