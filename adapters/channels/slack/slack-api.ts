/**
 * Calls methods of Slack's Web API for the app, over the same transport as the messages of subscriptions. An error that a
 * person can act on is a result; what passes by itself is thrown as RetryLater.
 */

import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { readJsonObject } from '../../../core/model/json.ts';
import type { Clock } from '../../../core/model/time.ts';
import type { HttpResponse, HttpTransport } from '../../http/http-transport.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { SLACK_API_URL } from './settings.ts';
import { toSlackError } from './slack-response.ts';

/** `error` is Slack's word, such as `not_in_channel`. */
export type SlackResult =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>>; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly error: string };

export interface SlackApi {
  call(method: string, args: Readonly<Record<string, unknown>>): Promise<SlackResult>;
}

export interface SlackApiOptions {
  readonly http: Pick<HttpTransport, 'post'>;
  /** Resolves the bot's token, or the app-level token for `apps.connections.open`. */
  readonly token: () => Promise<string>;
  /** @default https://slack.com/api/ */
  readonly api?: string;
  readonly clock: Clock;
}

/** Methods that take no JSON: Slack ignores the body and answers as if the arguments were missing. */
const FORM_METHODS = new Set([
  'auth.test',
  'bots.info',
  'conversations.info',
  'conversations.members',
  'users.info',
  'apps.connections.open',
]);

/** More than any response that is read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Methods that return the message or view that was sent, which may be longer. Nothing that decides who may do what is read of them. */
const ECHOING = /^(chat|views)\./;

export function slackApi({ http, token, api = SLACK_API_URL, clock }: SlackApiOptions): SlackApi {
  return {
    async call(method, args) {
      const isForm = FORM_METHODS.has(method);
      const headers = {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8',
        'user-agent': USER_AGENT,
        authorization: `Bearer ${(await token()).trim()}`,
      };
      const body = isForm ? new URLSearchParams(args as Record<string, string>).toString() : JSON.stringify(args);
      const response = await http.post(new URL(method, api), headers, body, undefined, MAX_RESPONSE_BYTES);
      return readSlackResult(method, response, clock);
    },
  };
}

function readSlackResult(method: string, response: HttpResponse, clock: Clock): SlackResult {
  const { body, headers, ...evidence } = response;
  const result = readJsonObject(body);
  if (result?.ok === true) {
    const scopes = String(headers['x-oauth-scopes'] ?? '')
      .split(',')
      .map((scope) => scope.trim());
    return { ok: true, body: result, scopes: scopes.filter((scope) => scope !== '') };
  }
  if (result === undefined && /^\s*\{\s*"ok"\s*:\s*true/.test(body)) {
    if (ECHOING.test(method)) return { ok: true, body: {}, scopes: [] };
    // What is missing may be that a channel is shared, or that a person is a guest.
    if (isCut(body)) throw responseTooLong(method);
  }
  const error = typeof result?.error === 'string' ? result.error : '';
  const asError = toSlackError(error, { ...evidence, headers, body: '' }, clock.now());
  if (asError instanceof RetryLater || error === '') throw asError;
  return { ok: false, error };
}

/** Rather than one that broke off, which may be complete the next time. A character that was cut in two is left out. */
const isCut = (body: string) => Buffer.byteLength(body) > MAX_RESPONSE_BYTES - 4;

function responseTooLong(method: string): GiveUp {
  const limit = `${MAX_RESPONSE_BYTES / 1024} KB`;
  const message = `Slack's response to ${method} is longer than ${limit}, so it was not read and nothing was done`;
  return new GiveUp('TIDINGS_SLACK_RESPONSE_TOO_LONG', message);
}
