/**
 * Interprets Slack's responses as accepted, RetryLater or GiveUp. A webhook responds with a status and an error word; the
 * API mostly responds with 200 and the result in the body.
 */

import type { ErrorCode } from '../../../core/model/error-codes.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Receipt } from '../../../core/ports/channel.ts';
import type { HttpResponse } from '../../http/http-transport.ts';
import { readRetryAfter } from '../../http/response-headers.ts';

/**
 * Errors of this message: the next message may succeed. Other permanent errors affect every message until a person fixes
 * them, so they disable the subscription, and its deliveries are held until it is resumed.
 */
const BAD_MESSAGE =
  /^(invalid_payload|invalid_blocks|invalid_blocks_format|invalid_attachments|invalid_json|invalid_arg|invalid_form|invalid_charset|invalid_post_type|msg_too_long|msg_blocks_too_long|too_many_attachments|no_text|missing_text|user_not_found|duplicate_message|metadata_)/;

/** Errors of Slack itself, and rate limits. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'rollup_error',
  'org_login_required',
  'team_added_to_org',
]);

/** The code of a permanent error that affects every message. */
export const SLACK_REFUSED = 'TIDINGS_SLACK_REFUSED';

/** Errors of the channel, the token, the permissions of the app, or a person, such as `user_disabled`. */
const REFUSALS =
  /^(channel_not_found|channel_is_archived|is_archived|not_in_channel|no_service|no_service_id|no_team|no_active_hooks|invalid_token|invalid_auth|not_authed|account_inactive|token_|missing_scope|no_permission|not_allowed_token_type|access_denied|accesslimited|action_prohibited|restricted_action|posting_to_|ekm_access_denied|enterprise_is_restricted|team_access_not_granted|team_disabled|two_factor_setup_required|as_user_not_supported|deprecated_endpoint|method_deprecated|cannot_dm_bot|user_)/;

/** The first message of the thread does not exist or does not allow replies. */
const THREAD_LOST: ReadonlySet<string> = new Set([
  'thread_not_found',
  'message_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
]);

/** An incoming webhook responds with `ok`, or with an error status and a word. */
export function interpretWebhookResponse(response: HttpResponse, at: Instant): Receipt {
  const { headers: _, ...receipt } = response;
  if (receipt.status >= 200 && receipt.status < 300) return receipt;
  throw toSlackError(/^\w+/.exec(receipt.body.trim())?.[0] ?? '', response, at);
}

export interface PostedMessage extends Receipt {
  /** The id of the message. @default - the response does not contain it */
  readonly ts?: string;
}

/** Undefined if the thread no longer exists. */
export function interpretApiResponse(response: HttpResponse, at: Instant): PostedMessage | undefined {
  const result = readResult(response.body);
  // The response echoes the whole message; only the result is kept.
  const { headers, ...receipt } = { ...response, body: result === undefined ? response.body : JSON.stringify(result) };
  if (result?.ok === true) return { ...receipt, ts: result.ts };
  if (result?.error !== undefined && THREAD_LOST.has(result.error)) return undefined;
  throw toSlackError(result?.error ?? '', { headers, ...receipt }, at, result?.needed);
}

interface ApiResult {
  readonly ok: boolean;
  readonly error?: string;
  readonly ts?: string;
  readonly needed?: string;
}

/**
 * Reads the result with regular expressions, because the body is cut after 4 KB and may not be valid JSON. The result
 * precedes the echoed message.
 */
function readResult(body: string): ApiResult | undefined {
  const head = body.split(/"message"\s*:\s*\{/, 1)[0] ?? '';
  const ok = /^\s*\{\s*"ok"\s*:\s*(true|false)/.exec(head)?.[1];
  if (ok === undefined) return undefined;
  const value = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([\\w.:, -]{1,200})"`).exec(head)?.[1];
  return { ok: ok === 'true', error: value('error'), ts: value('ts'), needed: value('needed') };
}

/** @param word Slack's word for the error; empty if the response has none */
export function toSlackError(
  word: string,
  { headers, ...evidence }: HttpResponse,
  at: Instant,
  scope = 'chat:write',
): Error {
  const { status } = evidence;
  const hint = word === 'missing_scope' ? `: the bot needs the scope ${scope}` : (HINTS[word] ?? '');
  const message = `Slack answered ${status}${word === '' ? '' : ` ${word}`}${hint}`;
  const giveUp = (code: ErrorCode, gone: boolean) => new GiveUp(code, message, { evidence, gone });
  if (status === 429 || TRANSIENT.has(word))
    return new RetryLater('TIDINGS_SLACK_BUSY', message, { after: readRetryAfter(headers, at), evidence });
  if (BAD_MESSAGE.test(word)) return giveUp('TIDINGS_SLACK_MESSAGE_REFUSED', false);
  if (REFUSALS.test(word) || status === 403 || status === 404 || status === 410) return giveUp(SLACK_REFUSED, true);
  if (status === 400) return giveUp('TIDINGS_SLACK_MESSAGE_REFUSED', false);
  return new RetryLater('TIDINGS_SLACK_STATUS', message, { after: readRetryAfter(headers, at), evidence });
}

/** Explanations of error codes for people. */
const HINTS: Readonly<Record<string, string>> = {
  account_inactive: ': the app was removed from the workspace',
  channel_is_archived: ': unarchive the channel, or configure another',
  channel_not_found: ': the channel does not exist, or the bot has no access',
  invalid_auth: ': the token is not valid',
  is_archived: ': unarchive the channel, or configure another',
  no_service: ': the webhook was removed',
  not_in_channel: ': invite the bot to the channel',
  token_revoked: ': the token was revoked',
};
