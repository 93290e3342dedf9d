/**
 * A fake AWS service: a real HTTP server that accepts only signed requests, records them, and responds as the test says.
 * Knows no particular service.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface AwsServerRequest {
  /** From the signature: `ses`, `ssm`, `secretsmanager`, `events`, `sqs`. */
  readonly service: string;
  /** From the signature. */
  readonly region: string;
  readonly method: string;
  readonly path: string;
  /** `GetParameter`, if the protocol names the operation in a header. */
  readonly operation: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * `hang`: no response. `cut`: closes the connection. `drip`: a response that never ends. `garbage`: 200 with a body that
 * is not JSON. `awsCode`: an error response.
 */
export type AwsServerResponse =
  | 'hang'
  | 'cut'
  | 'drip'
  | { readonly ok: object /** Delay in milliseconds. @default 0 */; readonly after?: number }
  | { readonly garbage: string }
  | { readonly awsCode: string; readonly status?: number; readonly detail?: string };

export type Responder = (request: AwsServerRequest) => AwsServerResponse;

export interface AwsServer {
  /** Settings with which an SDK client reaches this server. */
  readonly settings: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly requests: readonly AwsServerRequest[];
  /** Number of requests without a valid signature. They were answered with 403. */
  readonly unsigned: () => number;
  /** Responses to the next requests, one each. */
  next(...responses: readonly AwsServerResponse[]): void;
  /** Replaces the responder. */
  always(responder: Responder): void;
  close(): Promise<void>;
}

/** Must never appear in errors or logs. */
export const ACCESS_KEY_SECRET = 'secret-access-key-of-the-tests';

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=key-of-the-tests\/\d{8}\/([a-z0-9-]+)\/([a-z]+)\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/;

export async function startAwsServer(first: Responder): Promise<AwsServer> {
  let responder = first;
  const queued: AwsServerResponse[] = [];
  const requests: AwsServerRequest[] = [];
  let unsigned = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const [, region, service] = SIGNED.exec(request.headers.authorization ?? '') ?? [];
    if (region === undefined || service === undefined || request.headers['x-amz-date'] === undefined) {
      unsigned += 1;
      respond(response, { awsCode: 'MissingAuthenticationTokenException', status: 403, detail: 'not signed' });
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const operation = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const received = { service, region, method, path, operation, headers, body: JSON.parse(body || '{}') };
    requests.push(received);
    respond(response, queued.shift() ?? responder(received));
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
    next: (...responses) => {
      queued.push(...responses);
    },
    always: (next) => {
      responder = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function respond(response: ServerResponse, reply: AwsServerResponse): void {
  const json = { 'content-type': 'application/json', 'x-amzn-requestid': 'req-1' };
  if (reply === 'hang') return;
  if (reply === 'cut') response.destroy();
  else if (reply === 'drip') {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  } else if ('ok' in reply) {
    setTimeout(() => response.writeHead(200, json).end(JSON.stringify(reply.ok)), reply.after ?? 0);
  } else if ('garbage' in reply) response.writeHead(200, json).end(reply.garbage);
  else {
    const { awsCode, status = 400, detail = '' } = reply;
    const body = JSON.stringify({ __type: awsCode, message: detail });
    response.writeHead(status, { ...json, 'x-amzn-errortype': awsCode }).end(body);
  }
}

/** The error that a promise was rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(
    () => new Error('expected a rejection'),
    (reason: unknown) => reason,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`expected an error, got ${String(outcome)}`);
}
