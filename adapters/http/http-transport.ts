/**
 * Posts to receivers and reads the start of their responses, over undici. A request is bounded in time and size, follows
 * no redirect and never reaches a private network. What a status means is decided by the channel.
 */

import { isIP } from 'node:net';
import { Agent } from 'undici';
import { clip } from '../../core/messages/clip.ts';
import { errorMessage, GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { ReceiverResponse } from '../../core/model/receiver-response.ts';
import { createFloodGuard } from './flood-guard.ts';
import { compileGuard, createGuardedLookup, refusedAddressError } from './guard.ts';
import type { LookupAll } from './host-lookup.ts';
import { type ResponseHeaders, readRequestId } from './response-headers.ts';
import { type ReceiverRequest, sendRequest } from './send-request.ts';

export interface HttpTransportOptions {
  /** CIDR ranges that receivers may use although they are private. @default - none */
  readonly allow?: readonly string[];
  /** Milliseconds for the whole request: DNS, connect, send, headers and body. @default 15000 */
  readonly timeout?: number;
  /** PEM certificates to trust instead of Node's own, for receivers with a private authority. @default - Node's own */
  readonly ca?: string;
  /** Resolves a host name. @default - DNS, after the hosts file of the system */
  readonly lookup?: LookupAll;
}

export interface HttpResponse extends ReceiverResponse {
  readonly status: number;
  /** First 4 KB, or as much as was asked for. For a compressed response only a note that names the encoding. */
  readonly body: string;
  readonly headers: ResponseHeaders;
}

export interface HttpTransport {
  /**
   * Throws RetryLater when there was no response, GiveUp when the address is refused.
   * @param maxKeptBytes of the response's body, at most 64 KB. A receipt must not contain more than 4 KB. @default 4096
   * @param owner of the subscription: connections are not shared with others. @default - those of the operator
   */
  post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
    maxKeptBytes?: number,
    owner?: string,
  ): Promise<HttpResponse>;
  /** Sends an OPTIONS request, in the same way. */
  options(url: URL, headers: Readonly<Record<string, string>>, owner?: string): Promise<HttpResponse>;
  /** Closes all connections once the requests in flight have ended. A later post opens new ones. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;

/** Whatever the receiver asks for with `Keep-Alive`: a thousand receivers with eight connections each would use up the files of the process. */
const MAX_IDLE_MS = 5_000;

/** Enough for a stack trace, not for a page. */
const MAX_KEPT_BYTES = 4096;

/** Reading the rest of a page is cheaper than a new connection; reading the rest of a video is not. */
const MAX_READ_BYTES = 64 * 1024;

/**
 * Pools connections per origin and speaks HTTP/1.1. With HTTP/2, a receiver that lets a request wait until it is given up, and then
 * allows its body to be sent, would make Node write frames without end and without a turn for anything else.
 */
export function openHttpTransport(options: HttpTransportOptions = {}): HttpTransport {
  const { allow = [], timeout = TIMEOUT_MS, ca, lookup } = options;
  const mayConnect = compileGuard(allow);
  const guardedLookup = createGuardedLookup(mayConnect, lookup);
  const floodGuard = createFloodGuard({ timeout, lookup: guardedLookup, ca });
  const openAgent = (owner?: string) =>
    new Agent({
      allowH2: false,
      // One deadline covers the whole request. A timeout between two bytes never ends a receiver that sends one at a time.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      connect: floodGuard.connectFor(owner),
    });
  /** By owner. */
  const agents = new Map<string | undefined, Agent>();
  const agentOf = (owner: string | undefined): Agent => {
    const agent = agents.get(owner) ?? openAgent(owner);
    agents.set(owner, agent);
    return agent;
  };
  let inFlight = 0;
  const send = async (
    request: ReceiverRequest,
    signal: AbortSignal | undefined,
    maxKeptBytes = MAX_KEPT_BYTES,
    owner?: string,
  ): Promise<HttpResponse> => {
    const { url } = request;
    // Node does not look up a literal address, so the guarded lookup would not see it.
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !mayConnect(literal)) throw refusedAddressError(literal);
    inFlight += 1;
    try {
      const bounds = {
        timeout,
        maxKeptBytes,
        maxReadBytes: MAX_READ_BYTES,
        signal,
        onProgress: (bodyBytes?: number) => floodGuard.progress(owner, url.origin, bodyBytes),
      };
      const headers = { 'accept-encoding': 'identity', ...request.headers };
      const { start, ...response } = await sendRequest(agentOf(owner), { ...request, headers }, bounds);
      return {
        ...response,
        body: readBody(start, response.headers, maxKeptBytes),
        requestId: readRequestId(response.headers),
      };
    } catch (error) {
      throw unreachable(url, error, signal);
    } finally {
      inFlight -= 1;
    }
  };
  return {
    post: (url, headers, body, signal, maxKeptBytes, owner) =>
      send({ method: 'POST', url, headers, body }, signal, maxKeptBytes, owner),
    options: (url, headers, owner) => send({ method: 'OPTIONS', url, headers }, undefined, undefined, owner),
    async close() {
      const closing = [...agents.values()];
      agents.clear();
      // `Agent.close` would also wait for connections that were still being opened for aborted requests.
      await Promise.all(closing.map((agent) => (inFlight === 0 ? agent.destroy() : agent.close())));
    },
  };
}

/** The names of a certificate that does not fit take up to 100 KB. */
const MAX_REASON_LENGTH = 500;

function unreachable(url: URL, error: unknown, signal: AbortSignal | undefined): Error {
  if (error instanceof GiveUp || error instanceof RetryLater) return error;
  const known = clip(errorMessage(error), MAX_REASON_LENGTH) || 'the connection failed';
  const reason = signal?.aborted === true ? 'the request was aborted' : known;
  return new RetryLater('TIDINGS_HTTP_UNREACHABLE', `${url.host} did not answer: ${reason}`, { cause: error });
}

function readBody(start: Buffer, headers: ResponseHeaders, maxKeptBytes: number): string {
  if (start.length === 0) return '';
  const encoding = contentEncoding(headers);
  return encoding === undefined ? decodeStart(start, maxKeptBytes) : `[${encoding}, not shown]`;
}

/** The start of a body that a receipt may contain. */
export function cutBody(body: string): string {
  return decodeStart(Buffer.from(body).subarray(0, MAX_KEPT_BYTES), MAX_KEPT_BYTES);
}

/** An invalid byte decodes to a replacement character of three bytes, so the text is cut again. Drops a partial last character. */
function decodeStart(bytes: Buffer, maxBytes: number): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

/** The request accepts no encoding. A response that is compressed anyway is never unpacked: a few bytes can expand to gigabytes. */
function contentEncoding(headers: ResponseHeaders): string | undefined {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  return /^[a-z0-9, *-]{1,40}$/.test(encoding) ? encoding : 'encoded';
}
