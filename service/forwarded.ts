/** Requests and responses as messages between threads. */

import { Problem, problemBody } from '../manage/api/http/problem.ts';
import type { ForwardedRequest, ForwardedResponse } from './thread-messages.ts';

/** Complete bodies, to be passed on as they are. */
const completeBodies = new WeakMap<Request | Response, Uint8Array<ArrayBuffer>>();

/** A forwarded body is not copied, and can be had once. */
export async function readComplete(message: Request | Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (message.body === null) return undefined;
  return completeBodies.get(message) ?? new Uint8Array(await message.arrayBuffer());
}

/** As a stream: a `Request` or `Response` copies bytes at once, and many are passed on or refused without a look at their body. */
function streamOf(body: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    if (body.length > 0) controller.enqueue(body);
    controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** Answers a forwarded request. */
export async function answerForwarded(
  fetch: (request: Request) => Response | Promise<Response>,
  { id, method, url, headers, body }: ForwardedRequest,
): Promise<ForwardedResponse> {
  try {
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
    const request = new Request(url, body === undefined ? init : { ...init, body: streamOf(body), duplex: 'half' });
    if (body !== undefined) completeBodies.set(request, body);
    const response = await fetch(request);
    const bytes = (await readComplete(response)) ?? new Uint8Array();
    return { id, status: response.status, headers: [...response.headers], body: bytes };
  } catch {
    // Node itself refuses some requests, such as one with the method TRACE. The apps report their own errors.
    return { id, status: 400, headers: [], body: new Uint8Array() };
  }
}

export function toResponse({ status, headers, body }: ForwardedResponse): Response {
  // Some responses have no body by definition, not even an empty one.
  return new Response(body.length === 0 ? null : body, responseInit(status, headers));
}

/** A response of another thread that is passed on to a third one. */
export function toPassedOn({ status, headers, body }: ForwardedResponse): Response {
  const response = new Response(body.length === 0 ? null : streamOf(body), responseInit(status, headers));
  completeBodies.set(response, body);
  return response;
}

const responseInit = (status: number, headers: ForwardedResponse['headers']): ResponseInit => ({
  status,
  headers: headers.map(([name, value]): [string, string] => [name, value]),
});

/** @param retryAfter in seconds */
export function apiUnavailable(detail: string, retryAfter: number): Response {
  const headers = { 'retry-after': String(retryAfter), 'content-type': 'application/problem+json' };
  const problem = new Problem(503, 'TIDINGS_API_UNAVAILABLE', { detail });
  return new Response(JSON.stringify(problemBody(problem)), { status: 503, headers });
}
