/** The methods of Slack's Web API that a bot uses, as strict as the real ones. Knows the workspace, not the server. */

import type { IncomingMessage } from 'node:http';
import { type JsonObject, readPayload } from './payload.ts';
import type { Workspace } from './workspace.ts';

export interface SlackResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Token of the bot. */
export const TOKEN = 'xoxb-standin';

export const json = (body: JsonObject, status = 200, headers: SlackResponse['headers'] = {}): SlackResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
});

const apiError = (error: string, more: JsonObject = {}) => json({ ok: false, error, ...more });

/** What the bot may do, and whom it can find. */
export interface Directory {
  readonly emails: ReadonlyMap<string, string>;
  readonly scopes: readonly string[];
}

export interface ApiRequest {
  readonly method: string;
  readonly request: IncomingMessage;
  readonly raw: string | undefined;
  readonly body: JsonObject | undefined;
  readonly isInstalled: boolean;
}

const SCOPES: Readonly<Record<string, string>> = {
  'chat.postMessage': 'chat:write',
  'conversations.open': 'im:write',
  'users.lookupByEmail': 'users:read.email',
};

export function handleApi(workspace: Workspace, directory: Directory, call: ApiRequest): SlackResponse {
  const { method, request, raw = '', body, isInstalled } = call;
  const { headers } = request;
  const needed = SCOPES[method];
  if (needed === undefined) return apiError('unknown_method', { req_method: method });
  if (headers.authorization === undefined) return apiError('not_authed');
  if (headers.authorization !== `Bearer ${TOKEN}`) return apiError('invalid_auth');
  if (!isInstalled) return apiError('account_inactive');
  if (!directory.scopes.includes(needed))
    return apiError('missing_scope', { needed, provided: directory.scopes.join(',') });
  // This method takes no JSON.
  if (method === 'users.lookupByEmail') return lookUpByEmail(directory, String(headers['content-type']), raw);
  if (!String(headers['content-type']).startsWith('application/json')) return apiError('invalid_post_type');
  if (body === undefined) return apiError('invalid_json');
  return method === 'conversations.open' ? openDirect(workspace, directory, body) : postMessage(workspace, body);
}

function lookUpByEmail({ emails }: Directory, type: string, raw: string): SlackResponse {
  const email = type.startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(raw).get('email') : null;
  if (email === null || email === '') return apiError('invalid_arguments');
  const id = emails.get(email.toLowerCase());
  if (id === undefined) return apiError('users_not_found');
  return json({ ok: true, user: { id, team_id: 'T00000001', deleted: false, profile: { email } } });
}

function openDirect(workspace: Workspace, { emails }: Directory, body: JsonObject): SlackResponse {
  const { users } = body;
  if (typeof users !== 'string' || users === '') return apiError('users_list_not_supplied');
  if (![...emails.values()].includes(users)) return apiError('user_not_found');
  return json({ ok: true, channel: { id: workspace.openDirect(users).id } });
}

function postMessage(workspace: Workspace, body: JsonObject): SlackResponse {
  const channel = typeof body.channel === 'string' ? workspace.find(body.channel) : undefined;
  if (channel === undefined) return apiError('channel_not_found');
  if (channel.isArchived) return apiError('is_archived');
  if (!channel.hasBot) return apiError('not_in_channel');
  const seconds = workspace.waitFor(channel);
  if (seconds > 0) return json({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': String(seconds) });
  const payload = readPayload(body);
  if ('wrong' in payload) return payloadError(payload);
  const thread = typeof body.thread_ts === 'string' ? body.thread_ts : undefined;
  if (thread !== undefined && !workspace.hasMessage(channel, thread)) return apiError('thread_not_found');
  const { ts } = workspace.post(channel, payload, {
    by: 'bot',
    isBroadcast: body.reply_broadcast === true,
    threadTs: thread,
  });
  // Slack returns the whole message, whatever its length.
  return json({ ok: true, channel: channel.id, ts, message: { ...body, ts, type: 'message' } });
}

function payloadError({ wrong, isTooLong }: { wrong: string; isTooLong: boolean }): SlackResponse {
  if (wrong === 'no_text') return apiError('no_text');
  const messages = { response_metadata: { messages: [`[ERROR] ${wrong}`] } };
  return apiError(isTooLong ? 'msg_blocks_too_long' : 'invalid_blocks', messages);
}
