/** A line that speaks HTTP/2: many requests at a time over a socket that is connected. Makes no connection itself. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnswerSink } from '../wire.ts';
import { type Line, type LineOptions, RESTS_MS, type Request, wholeTurn } from './line.ts';

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** Node would count what waits to be sent as well, and past 10 MB throw away answers: to what was worked on. */
const MEMORY_MB = 1_000;

export function h2Line(socket: Socket, origin: string, { now, gone }: LineOptions): Line {
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false },
    maxSessionMemory: MEMORY_MB,
  });
  /** The last request that the receiver will still look at. */
  let lastId = Number.POSITIVE_INFINITY;
  let spent = false;
  let isSettled = false;
  let inHand = 0;
  let restsSince = now();
  const destroy = () => {
    session.destroy();
  };

  const settled = new Promise<void>((resolve) => {
    session.once('remoteSettings', () => {
      isSettled = true;
      resolve();
    });
    session.once('close', resolve);
  });
  session
    .on('error', () => {})
    .on('goaway', (_, last) => {
      spent = true;
      lastId = last;
    })
    .on('timeout', destroy)
    .on('close', gone);
  session.unref();
  session.setTimeout(RESTS_MS);

  const rest = () => {
    inHand -= 1;
    if (inHand > 0) return;
    restsSince = now();
    if (spent) session.close();
    session.unref();
    session.setTimeout(RESTS_MS);
  };
  const wake = () => {
    inHand += 1;
    session.setTimeout(0);
    session.ref();
  };
  const hasRoom = () =>
    isSettled ? inHand < (session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY) : inHand === 0;

  return {
    settled,
    isFree() {
      if (spent || session.closed || session.destroyed) return false;
      if (inHand === 0 && now() - restsSince > RESTS_MS) destroy();
      return !session.destroyed && hasRoom();
    },
    send(asked, answer, refused) {
      wake();
      const ended = once(rest);
      try {
        const stream = start(session, asked);
        // Not only when it is closed: the process may stop between the two.
        stream.on('end', ended).on('close', ended);
        const isAnswered = readAnswer(stream, answer, (error) => {
          const isLate = (stream.id ?? 0) > lastId;
          if (!isLate && stream.rstCode !== NGHTTP2_REFUSED_STREAM) return answer.end(error);
          spent = true;
          // Up to the last one it looks at, so that they get on, one connection after the other.
          refused(error, isLate && lastId > 0);
        });
        stream.end(asked.body);
        return () => {
          // Who is silent may be gone, and so would be the next request.
          if (!isAnswered()) spent = true;
          ended();
          stream.close(NGHTTP2_CANCEL);
        };
      } catch (error) {
        // A header that cannot be sent.
        answer.end(error);
        ended();
        return () => {};
      }
    },
    letGo() {
      spent = true;
      if (inHand === 0) destroy();
    },
    destroy,
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Of the connection, which HTTP/2 looks after itself. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function start(session: ClientHttp2Session, { url, headers, body }: Request): ClientHttp2Stream {
  const sent = Object.entries(headers).map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name.toLowerCase(), value] as const;
  });
  return session.request({
    ...Object.fromEntries(sent.filter(([name]) => !LEFT_OUT.has(name))),
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': url.host,
    ':path': url.pathname + url.search,
    'content-length': String(Buffer.byteLength(body)),
  });
}

/** Tells whether there was an answer yet. `broken`: it ended without one. */
function readAnswer(stream: ClientHttp2Stream, answer: AnswerSink, broken: (error?: Error) => void): () => boolean {
  let isAnswered = false;
  let failure: Error | undefined;
  stream
    .on('response', ({ ':status': status = 0, ...headers }) => {
      isAnswered = true;
      answer.head(status, headers);
    })
    .on('data', (chunk: Buffer) => answer.data(chunk))
    .on('end', async () => {
      if (isAnswered) answer.end();
      await wholeTurn();
      // Answered before all was sent: nobody takes the rest, and the stream would stay open with it.
      if (!stream.writableFinished) stream.close(NGHTTP2_CANCEL);
    })
    .on('error', (error) => {
      failure = error;
    })
    .on('close', () => {
      if (isAnswered) answer.end();
      else broken(failure);
    });
  return () => isAnswered;
}
