/**
 * The app installed in a simulated Slack: its credentials, and the way of requests to it, with Slack's retries of events.
 * What a request contains is decided by the caller.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { AppAnswer, AppRequest } from './app-request.ts';
import type { JsonObject } from './json.ts';
import { TEAM_ID } from './people.ts';
import { type RequestUrls, SignedRequests } from './signed-requests.ts';
import { SocketMode } from './socket-mode.ts';
import type { AppIdentity } from './wire.ts';

export interface AppOptions {
  /** @default 'Tidings' */
  readonly name?: string;
  /** @default '/tidings' */
  readonly command?: string;
  /** Events it subscribed to. @default app_mention and app_home_opened */
  readonly events?: readonly string[];
  /** @default 'standin-signing-secret' */
  readonly signingSecret?: string;
  /** Request URLs. @default - none: Socket Mode */
  readonly urls?: RequestUrls;
  /** Time for an acknowledgement in milliseconds. @default 3000 */
  readonly ackTimeoutMs?: number;
  /** Delay of each retry of an event in milliseconds. @default 0, 1 minute, 5 minutes */
  readonly retryDelaysMs?: readonly number[];
  /** Time between the announcement of a socket's end and its end, in milliseconds. @default 10000 */
  readonly drainMs?: number;
}

/** App-level token, for `apps.connections.open`. */
export const APP_TOKEN = 'xapp-standin';

const REASONS: Readonly<Record<string, string>> = {
  operation_timeout: 'http_timeout',
  dispatch_failed: 'connection_failed',
};

export class InstalledApp {
  readonly identity: AppIdentity = { appId: 'A00000001', botId: 'B00000001', botUser: 'U00TIDINGS' };
  readonly name: string;
  readonly command: string;
  readonly events: readonly string[];
  readonly signingSecret: string;
  readonly http: SignedRequests;
  readonly sockets: SocketMode;
  isInstalled = true;
  readonly #now: () => number;
  readonly #retryDelaysMs: readonly number[];
  readonly #ending = new AbortController();
  #events = 0;
  #lastEvent: AppRequest | undefined;

  constructor(options: AppOptions, now: () => number) {
    const { ackTimeoutMs = 3000, drainMs = 10_000, signingSecret = 'standin-signing-secret' } = options;
    this.#now = now;
    this.#retryDelaysMs = options.retryDelaysMs ?? [0, 60_000, 300_000];
    this.name = options.name ?? 'Tidings';
    this.command = options.command ?? '/tidings';
    this.events = options.events ?? ['app_mention', 'app_home_opened'];
    this.signingSecret = signingSecret;
    this.http = new SignedRequests({ signingSecret, now, ackTimeoutMs });
    this.http.urls = options.urls;
    this.sockets = new SocketMode({ appId: this.identity.appId, ackTimeoutMs, drainMs });
  }

  /** Over HTTP if the app has request URLs, otherwise over its sockets. */
  send(request: AppRequest): Promise<AppAnswer> {
    return this.http.urls === undefined ? this.sockets.send(request) : this.http.send(request);
  }

  /** Sends an event and resolves after the first attempt; retries follow in the background. */
  async sendEvent(event: JsonObject, isShared = false): Promise<AppAnswer> {
    this.#events += 1;
    const payload: JsonObject = {
      token: 'standin-verification-token',
      team_id: TEAM_ID,
      api_app_id: this.identity.appId,
      event,
      type: 'event_callback',
      event_id: `Ev${String(this.#events).padStart(8, '0')}`,
      event_time: Math.floor(this.#now() / 1000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: TEAM_ID,
          user_id: this.identity.botUser,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: isShared,
      event_context: `EC${this.#events}`,
    };
    const request: AppRequest = { kind: 'events_api', payload, acceptsResponse: false };
    this.#lastEvent = request;
    const answer = await this.send(request);
    if (!answer.ok && answer.noRetry !== true) this.#retry(request, answer).catch(() => undefined);
    return answer;
  }

  /** Sends the last event again, as Slack does when an acknowledgement got lost. */
  resendEvent(retry: { readonly attempt: number; readonly reason: string }): Promise<AppAnswer> {
    if (this.#lastEvent === undefined) throw new RangeError('no event was sent yet');
    return this.send({ ...this.#lastEvent, retry });
  }

  /** What Slack sends when a request URL is entered in the app's settings. True if the app answers the challenge. */
  async verifyUrl(): Promise<boolean> {
    const challenge = `challenge-${this.#now()}`;
    const payload = { token: 'standin-verification-token', challenge, type: 'url_verification' };
    const answer = await this.http.send({ kind: 'events_api', payload, acceptsResponse: true });
    if (!answer.ok) return false;
    const { answer: body } = answer;
    return typeof body === 'object' && body !== null && Object.values(body).includes(challenge);
  }

  close(): void {
    this.#ending.abort();
    this.sockets.close();
  }

  async #retry(request: AppRequest, failed: AppAnswer & { ok: false }): Promise<void> {
    let last: AppAnswer = failed;
    for (const [index, delay] of this.#retryDelaysMs.entries()) {
      if (last.ok || last.noRetry === true) return;
      await wait(delay, undefined, { signal: this.#ending.signal, ref: false });
      const reason = REASONS[last.failure] ?? 'http_error';
      last = await this.send({ ...request, retry: { attempt: index + 1, reason } });
    }
  }
}
