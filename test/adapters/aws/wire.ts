/**
 * An AWS service as far as its wire goes: a real server that takes only signed requests, keeps what came, and answers as
 * it is told. Knows no service; a test says what one would answer.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface WireRequest {
  /** From the signature: `ses`, `ssm`, `secretsmanager`, `events`, `sqs`. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** `GetParameter`, where the protocol names the operation in a header. */
  readonly operation: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * An answer; `hang`: none; `cut`: hangs up; `drip`: one without end; `garbage`: 200 with what is no JSON; or an error by
 * its name.
 */
export type WireAnswer =
  | 'hang'
  | 'cut'
  | 'drip'
  | { readonly ok: object /** So many milliseconds later. @default 0 */; readonly after?: number }
  | { readonly garbage: string }
  | { readonly fault: string; readonly status?: number; readonly words?: string };

export type Answering = (request: WireRequest) => WireAnswer;

export interface Wire {
  /** What a client of the SDK needs to talk to it. */
  readonly settings: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly requests: readonly WireRequest[];
  /** What came without a signature: none of it was answered well. */
  readonly unsigned: () => number;
  /** These first, one for each request; then as it is. */
  next(...answers: readonly WireAnswer[]): void;
  /** From now on. */
  always(answering: Answering): void;
  close(): Promise<void>;
}

/** Never to be seen anywhere. */
export const ACCESS_KEY_SECRET = 'secret-access-key-of-the-tests';

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=key-of-the-tests\/\d{8}\/eu-test-1\/([a-z]+)\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/;

export async function startWire(first: Answering): Promise<Wire> {
  let answering = first;
  const queued: WireAnswer[] = [];
  const requests: WireRequest[] = [];
  let unsigned = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const [, service] = SIGNED.exec(request.headers.authorization ?? '') ?? [];
    if (service === undefined || request.headers['x-amz-date'] === undefined) {
      unsigned += 1;
      answer(response, { fault: 'MissingAuthenticationTokenException', status: 403, words: 'not signed' });
      return;
    }
    const read = readRequest(request, service, body);
    requests.push(read);
    answer(response, queued.shift() ?? answering(read));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  return {
    settings: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-test-1',
      credentials: { accessKeyId: 'key-of-the-tests', secretAccessKey: ACCESS_KEY_SECRET },
    },
    requests,
    unsigned: () => unsigned,
    next: (...answers) => {
      queued.push(...answers);
    },
    always: (next) => {
      answering = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function readRequest({ method = '', url = '', headers }: IncomingMessage, service: string, body: string): WireRequest {
  const operation = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');
  return { service, method, path: url, operation, headers, body: JSON.parse(body || '{}') };
}

function answer(response: ServerResponse, told: WireAnswer): void {
  const json = { 'content-type': 'application/json', 'x-amzn-requestid': 'req-1' };
  if (told === 'hang') return;
  if (told === 'cut') response.destroy();
  else if (told === 'drip') {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  } else if ('ok' in told) {
    setTimeout(() => response.writeHead(200, json).end(JSON.stringify(told.ok)), told.after ?? 0);
  } else if ('garbage' in told) response.writeHead(200, json).end(told.garbage);
  else {
    const { fault, status = 400, words = '' } = told;
    const body = JSON.stringify({ __type: fault, message: words });
    response.writeHead(status, { ...json, 'x-amzn-errortype': fault }).end(body);
  }
}

/** What counts of a request, to hold ours against the SDK's own. */
export function essenceOf(request: WireRequest | undefined) {
  const { service, method, path, operation, body, headers = {} } = request ?? {};
  const kept = ['x-amz-target', 'content-type', 'host', 'content-length'].map((name) => [name, headers[name]]);
  return { service, method, path, operation, body, headers: Object.fromEntries(kept) };
}

/** What it was rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(
    () => new Error('it went well'),
    (reason: unknown) => reason,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`expected an error, got ${String(outcome)}`);
}
