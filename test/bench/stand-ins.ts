/** Stand-ins of Svix 1.x and Outpost 1.x after their OpenAPI documents, and a sink: servers in the process of the test. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { type Arrival, steadyNow } from '../../bench/sink.ts';

export const KEY = 'key-of-the-stand-in';

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

type Route = (match: RegExpExecArray, body: Record<string, unknown>) => Answer;

export interface StandIn {
  readonly url: string;
  /** What clients have made and not removed. */
  readonly owners: ReadonlyMap<string, string[]>;
  close(): Promise<void>;
}

async function listen(answer: (request: IncomingMessage) => Promise<Answer>) {
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function startStandIn(routes: Readonly<Record<string, Route>>, owners: Map<string, string[]>): Promise<StandIn> {
  const server = await listen(async (request) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return { status: 401, body: { detail: 'invalid token' } };
    const sent = await text(request);
    for (const [pattern, route] of Object.entries(routes)) {
      const match = new RegExp(`^${pattern}$`).exec(`${request.method} ${request.url}`);
      if (match !== null) return route(match, sent === '' ? {} : JSON.parse(sent));
    }
    return { status: 404, body: { detail: 'not found' } };
  });
  return { ...server, owners };
}

/** Delivers a message once to each endpoint, after the response. */
function deliverLater(endpoints: readonly string[], idHeader: string, id: string, payload: unknown): void {
  const body = JSON.stringify(payload);
  setImmediate(() => {
    for (const url of endpoints) void fetch(url, { method: 'POST', body, headers: { [idHeader]: id } });
  });
}

export async function startSvixStandIn(): Promise<StandIn> {
  const applications = new Map<string, string[]>();
  let messages = 0;
  return startStandIn(
    {
      'GET /api/v1/app\\?limit=1': () => ({ status: 200, body: { data: [], done: true, iterator: null } }),
      'POST /api/v1/app': (_, { name }) => {
        if (typeof name !== 'string') return { status: 422 };
        const id = `app_${applications.size}`;
        applications.set(id, []);
        return { status: 201, body: { id, name } };
      },
      'POST /api/v1/app/([^/]+)/endpoint': ([, id = ''], { url }) => {
        if (typeof url !== 'string') return { status: 422 };
        applications.get(id)?.push(url);
        return { status: 201, body: { id: 'ep_1', url } };
      },
      'POST /api/v1/app/([^/]+)/msg\\?with_content=false': ([, app = ''], { eventType, payload }) => {
        if (typeof eventType !== 'string' || typeof payload !== 'object') return { status: 422 };
        const id = `msg_${messages++}`;
        deliverLater(applications.get(app) ?? [], 'svix-id', id, payload);
        return { status: 202, body: { id, eventType, payload: {}, timestamp: '2026-11-16T12:00:00Z' } };
      },
      'DELETE /api/v1/app/([^/]+)': ([, id = '']) => ({ status: applications.delete(id) ? 204 : 404 }),
    },
    applications,
  );
}

export async function startOutpostStandIn(): Promise<StandIn> {
  const tenants = new Map<string, string[]>();
  let events = 0;
  return startStandIn(
    {
      'GET /api/v1/topics': () => ({ status: 200, body: ['task.created'] }),
      'PUT /api/v1/tenants/([^/]+)': ([, id = '']) => {
        tenants.set(id, []);
        return { status: 201, body: { id, destinations_count: 0, topics: [] } };
      },
      'POST /api/v1/tenants/([^/]+)/destinations': ([, id = ''], { type, topics, config }) => {
        if (type !== 'webhook' || topics === undefined) return { status: 422 };
        tenants.get(id)?.push((config as { url: string }).url);
        return { status: 201, body: { id: 'des_1', type, topics, config } };
      },
      'POST /api/v1/publish': (_, { tenant_id, topic, data }) => {
        if (topic !== 'task.created' || typeof data !== 'object') return { status: 422 };
        const id = `evt_${events++}`;
        deliverLater(tenants.get(String(tenant_id)) ?? [], 'x-outpost-event-id', id, data);
        return { status: 202, body: { id, duplicate: false, destination_ids: ['des_1'] } };
      },
      'DELETE /api/v1/tenants/([^/]+)': ([, id = '']) => ({ status: tenants.delete(id) ? 200 : 404, body: {} }),
    },
    tenants,
  );
}

/** A sink like that of the benchmarks, but in this process. */
export async function startTestSink() {
  let arrivals: Arrival[] = [];
  const server = await listen(async (request) => {
    const body = JSON.stringify(await json(request));
    const id = request.headers['svix-id'] ?? request.headers['x-outpost-event-id'];
    arrivals.push([String(id), steadyNow(), request.url ?? '', Buffer.byteLength(body)]);
    return { status: 204 };
  });
  return {
    ...server,
    async arrivals() {
      const taken = arrivals;
      arrivals = [];
      return taken;
    },
  };
}
