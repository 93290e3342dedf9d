/** An app for tests of the simulated Slack: an HTTP receiver of its requests, and a socket of Socket Mode. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import { listen } from '../../../simulator/http/server.ts';
import type { JsonObject } from '../../../simulator/slack/json.ts';
import type { Slack } from '../../../simulator/slack/slack.ts';

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  /** Fields of a command, the payload of an interaction, or the body of an event. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read it as they expect it
  readonly body: any;
}

export interface TestApp {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** What it does with the next requests. */
  answer: (request: ReceivedRequest, response: ServerResponse) => void;
  stop(): Promise<void>;
}

/** Answers every request with 200 and no body unless `answer` is set. */
export async function startTestApp(): Promise<TestApp> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const raw = Buffer.concat(chunks).toString('utf8');
    const one = { path: request.url ?? '', headers: request.headers, raw, body: bodyOf(request.headers, raw) };
    received.push(one);
    app.answer(one, response);
  });
  const { url, stop } = await listen(server, '127.0.0.1', 0);
  const app: TestApp = { url, received, answer: (_, response) => response.end(), stop };
  return app;
}

function bodyOf(headers: IncomingHttpHeaders, raw: string): unknown {
  if (headers['content-type'] === 'application/json') return JSON.parse(raw);
  const form = new URLSearchParams(raw);
  const payload = form.get('payload');
  return payload === null ? Object.fromEntries(form) : JSON.parse(payload);
}

export const sendJson = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Methods that ignore JSON. */
const FORM_METHODS = ['conversations.info', 'conversations.members', 'users.info'];

/** Calls a method of the Web API, with JSON where Slack takes it. */
export async function call(
  slack: Slack,
  method: string,
  body: object,
  token = slack.token,
  // biome-ignore lint/suspicious/noExplicitAny: tests read it as they expect it
): Promise<any> {
  const isForm = FORM_METHODS.includes(method);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8';
  const response = await fetch(`${slack.apiUrl}${method}`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${token}` },
    body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  });
  return response.json();
}

/** One socket of Socket Mode. */
export class TestSocket {
  readonly received: JsonObject[] = [];
  readonly #socket: WebSocket;
  /** What it sends for an envelope; undefined sends nothing. */
  acknowledge: (envelope: JsonObject) => JsonObject | undefined = () => ({});

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as JsonObject;
      this.received.push(message);
      const id = message.envelope_id;
      const answer = id === undefined ? undefined : this.acknowledge(message);
      if (id !== undefined && answer !== undefined) socket.send(JSON.stringify({ envelope_id: id, ...answer }));
    });
  }

  static async open(slack: Slack): Promise<TestSocket> {
    const { url } = (await call(slack, 'apps.connections.open', {}, slack.appToken)) as { url: string };
    const socket = new WebSocket(url);
    const one = new TestSocket(socket);
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    return one;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get envelopes(): readonly JsonObject[] {
    return this.received.filter(({ envelope_id: id }) => id !== undefined);
  }

  close(): void {
    this.#socket.close();
  }
}
