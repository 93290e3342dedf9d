/**
 * Sends Slack's requests to the app over HTTP, signed as Slack signs them, and waits for the acknowledgement. It keeps what it
 * sent, so that a test can send a request again, late or forged.
 */

import { createHmac } from 'node:crypto';
import type { AppAnswer, AppRequest, RequestKind, Transport } from './app-request.ts';

export interface SignedRequestOptions {
  readonly signingSecret: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Time for the acknowledgement. */
  readonly ackTimeoutMs: number;
}

/** One URL for everything, or one for each kind. */
export type RequestUrls = string | Readonly<Record<RequestKind, string>>;

export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const USER_AGENT = 'Slackbot 1.0 (+https://api.slack.com/robots)';

/** Requests kept for tests. */
const MAX_KEPT = 1000;

export class SignedRequests implements Transport {
  urls: RequestUrls | undefined;
  readonly sent: SentRequest[] = [];
  readonly #options: SignedRequestOptions;

  constructor(options: SignedRequestOptions) {
    this.#options = options;
  }

  async send(request: AppRequest): Promise<AppAnswer> {
    if (this.urls === undefined) return { ok: false, failure: 'dispatch_failed' };
    const url = typeof this.urls === 'string' ? this.urls : this.urls[request.kind];
    const body = encodeBody(request);
    const type = request.kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { 'content-type': type, 'user-agent': USER_AGENT, ...retryHeaders(request) };
    const sent = this.sign({ url, body, headers });
    this.sent.push(sent);
    if (this.sent.length > MAX_KEPT) this.sent.shift();
    try {
      return await readAnswer(await this.deliver(sent));
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      return { ok: false, failure: isTimeout ? 'operation_timeout' : 'dispatch_failed' };
    }
  }

  /** Signs a request again: with another secret, or as if it had been sent some time ago. */
  sign(sent: SentRequest, { secondsAgo = 0, secret = this.#options.signingSecret } = {}): SentRequest {
    const timestamp = String(Math.floor(this.#options.now() / 1000) - secondsAgo);
    const signature = signatureOf(secret, timestamp, sent.body);
    const signed = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    return { ...sent, headers: { ...sent.headers, ...signed } };
  }

  /** Sends a request as it is, for example one that was sent before. */
  deliver({ url, headers, body }: SentRequest): Promise<Response> {
    const signal = AbortSignal.timeout(this.#options.ackTimeoutMs);
    return fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  }
}

/** Version 0 of Slack's signatures. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

function encodeBody({ kind, payload }: AppRequest): string {
  if (kind === 'events_api') return JSON.stringify(payload);
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

function retryHeaders({ retry }: AppRequest): Record<string, string> {
  if (retry === undefined) return {};
  return { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': retry.reason };
}

async function readAnswer(response: Response): Promise<AppAnswer> {
  const noRetry = response.headers.get('x-slack-no-retry') === '1';
  const text = await response.text();
  if (!response.ok) {
    const failure = response.status >= 500 ? 'http_service_error' : 'http_client_error';
    return { ok: false, failure, noRetry };
  }
  if (text === '') return { ok: true, noRetry };
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  if (!isJson) return { ok: true, answer: { text }, noRetry };
  try {
    return { ok: true, answer: JSON.parse(text), noRetry };
  } catch {
    return { ok: false, failure: 'http_client_error', noRetry };
  }
}
