/** A line that speaks HTTP/1.1: one request at a time over a socket that is connected. Makes no connection itself. */

import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerHeaders } from '../answer.ts';
import type { AnswerSink } from '../wire.ts';
import { type Line, type LineOptions, RESTS_MS, type Request, restAllowed, wholeTurn } from './line.ts';

export function h1Line(socket: Socket, { now, gone }: LineOptions): Line {
  let busy = false;
  let isLeaving = false;
  let restsSince = now();
  let allowed = RESTS_MS;
  const destroy = () => {
    socket.destroy();
  };

  const rest = () => {
    if (isLeaving || socket.destroyed || allowed <= 0) return destroy();
    busy = false;
    socket.unref().setTimeout(allowed);
  };
  const wake = () => {
    busy = true;
    socket.off('data', destroy).ref().setTimeout(0);
  };

  socket
    .unref()
    .setTimeout(allowed)
    .on('close', gone)
    .on('timeout', destroy)
    // Told by Node's own client, once both request and answer are through and the receiver keeps the connection.
    .on('free', () => {
      // At once: the process may stop here.
      restsSince = now();
      // Nothing is asked, so nothing may come: it would pass for the answer to the next request.
      socket.on('data', destroy);
      void wholeTurn().then(rest);
    });

  return {
    isFree() {
      // Not open: the receiver has closed its half.
      if (busy || socket.readyState !== 'open') return false;
      if (now() - restsSince <= allowed) return true;
      destroy();
      return false;
    },
    send(asked, answer) {
      wake();
      try {
        const request = start(socket, asked);
        readAnswer(request, answer, (response) => {
          allowed = restAllowed(response.headers['keep-alive']);
        });
        request.end(Buffer.from(asked.body));
      } catch (error) {
        // A header that cannot be sent.
        answer.end(error);
        destroy();
      }
      return destroy;
    },
    letGo() {
      isLeaving = true;
      if (!busy) destroy();
    },
    destroy,
  };
}

function start(socket: Socket, { url, headers, body }: Request): ClientRequest {
  const request = startRequest({
    // In place of an agent: with it, no proxy of the environment is asked either.
    createConnection: () => socket,
    method: 'POST',
    path: url.pathname + url.search,
    setHost: false,
    headers: {
      host: url.host,
      connection: 'keep-alive',
      ...headers,
      'content-length': String(Buffer.byteLength(body)),
    },
  });
  // Their size is bounded already.
  request.maxHeadersCount = 0;
  return request;
}

function readAnswer(request: ClientRequest, answer: AnswerSink, headed: (response: IncomingMessage) => void): void {
  let response: IncomingMessage | undefined;
  request.on('response', (started) => {
    response = started;
    headed(started);
    answer.head(started.statusCode ?? 0, distinct(started.rawHeaders));
    started
      .on('data', (chunk: Buffer) => answer.data(chunk))
      .on('error', (error) => answer.end(error))
      .on('end', async () => {
        // TLS tells a turn late that all was sent, and a receiver nearby may have answered by then.
        if (!request.writableFinished) await wholeTurn();
        // Answered before all was sent: what is left of the request would stand before the next one.
        if (!request.writableFinished) request.destroy();
        answer.end();
      });
  });
  const broken = (error?: Error) => {
    // What came in one piece with the bytes that broke it is still to be read.
    while (response !== undefined && response.read() !== null);
    answer.end(error);
  };
  request.on('error', broken);
  // Node says no more than this of one who switches to another protocol unasked.
  request.on('close', () => broken());
}

/** Those that come several times as a list: Node would join them, or drop all but the first. */
function distinct(raw: readonly string[]): AnswerHeaders {
  const headers = new Map<string, string | string[]>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = raw[index + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}
