/**
 * Calls methods of Slack's Web API for the app, over the same transport as the messages of subscriptions. An error that a
 * person can act on is a result; what passes by itself is thrown as RetryLater.
 */

import { RetryLater } from '../../../core/model/errors.ts';
import { readJsonObject } from '../../../core/model/json.ts';
import type { Clock } from '../../../core/model/time.ts';
import type { HttpResponse, HttpTransport } from '../../http/http-transport.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { SLACK_API_URL } from './settings.ts';
import { toSlackError } from './slack-response.ts';

/** `error` is Slack's word, such as `not_in_channel`. */
type SlackResult =
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
const FORM_METHODS = new Set(['auth.test', 'bots.info', 'conversations.info', 'users.info', 'apps.connections.open']);

/** More than any response that is read; views are echoed and may be longer. */
const MAX_RESPONSE_BYTES = 64 * 1024;

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
      return readSlackResult(response, clock);
    },
  };
}

function readSlackResult(response: HttpResponse, clock: Clock): SlackResult {
  const { body, headers, ...evidence } = response;
  const result = readJsonObject(body);
  if (result?.ok === true) {
    const scopes = String(headers['x-oauth-scopes'] ?? '')
      .split(',')
      .map((scope) => scope.trim());
    return { ok: true, body: result, scopes: scopes.filter((scope) => scope !== '') };
  }
  // A response that was cut is a success if it starts as one: only long echoes are cut.
  if (result === undefined && /^\s*\{\s*"ok"\s*:\s*true/.test(body)) return { ok: true, body: {}, scopes: [] };
  const error = typeof result?.error === 'string' ? result.error : '';
  const asError = toSlackError(error, { ...evidence, headers, body: '' }, clock.now());
  if (asError instanceof RetryLater || error === '') throw asError;
  return { ok: false, error };
}
