/**
 * The HTTP server of a simulated chat with a webhook: reads JSON, injects faults, and serves the page. What the chat accepts
 * and how it answers is decided by the chat.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen, requestUrl } from '../http/server.ts';
import { isObject, type JsonObject } from './json.ts';

export interface ChatServerOptions {
  /** @default 0, any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Milliseconds since 1970. @default - the machine's clock */
  readonly now?: () => number;
}

export interface WebhookRequest {
  readonly url: URL;
  /** Undefined if the body is not a JSON object. */
  readonly body: JsonObject | undefined;
  /** The number of bytes of the body. */
  readonly bytes: number;
}

export interface WebhookResponse {
  readonly status: number;
  /** @default - no body */
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault of the next requests. */
interface ChatFault {
  /** Number of requests that fail. @default - all, until the fault is removed */
  readonly times?: number;
  /** Delay of the response in milliseconds. @default 0 */
  readonly delay?: number;
  /** The response instead of the chat's own. @default - the chat's own */
  readonly response?: WebhookResponse;
  /** Stores the message, and cuts the connection before the response. @default false */
  readonly cut?: boolean;
}

export interface ChatServer {
  readonly url: string;
  /** Number of requests to the webhook so far, including refused ones. */
  readonly requests: number;
  /** Sets the fault of the next requests; undefined removes it. */
  setFault(fault: ChatFault | undefined): void;
  close(): Promise<void>;
}

export interface ChatHandlers {
  receive(request: WebhookRequest): WebhookResponse;
  page(url: URL): string;
}

const MAX_BODY = 1_000_000;

export async function startChatServer(
  { port = 0, host = '127.0.0.1' }: ChatServerOptions,
  { receive, page }: ChatHandlers,
): Promise<ChatServer> {
  let fault: ChatFault | undefined;
  let faultedRequests = 0;
  let requests = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = requestUrl(request);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(url));
      return;
    }
    requests += 1;
    const read = await readBody(request);
    const active = faultedRequests < (fault?.times ?? Number.POSITIVE_INFINITY) ? fault : undefined;
    if (active !== undefined) faultedRequests += 1;
    if (active?.delay !== undefined) await wait(active.delay);
    const { status, body = '', headers } = active?.response ?? receive({ url, ...read });
    if (active?.cut === true) {
      response.destroy();
      return;
    }
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response
      .writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };

  const open = await listen(
    createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    }),
    host,
    port,
  );
  return {
    url: open.url,
    get requests() {
      return requests;
    },
    setFault: (next) => {
      fault = next;
      faultedRequests = 0;
    },
    close: () => open.stop(),
  };
}

async function readBody(request: IncomingMessage): Promise<Omit<WebhookRequest, 'url'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece: Buffer = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes <= MAX_BODY) chunks.push(piece);
  }
  try {
    const parsed = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return { body: isObject(parsed) ? parsed : undefined, bytes };
  } catch {
    return { body: undefined, bytes };
  }
}
