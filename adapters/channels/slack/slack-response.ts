/**
 * What Slack's answers mean: taken, try later, or give up. The webhook answers in statuses and words, the API mostly with
 * a 200 that says in its body whether it was one. Sends nothing.
 */

import { type ErrorCode, GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Receipt } from '../../../core/ports/channel.ts';
import type { HttpResponse } from '../../http/http-transport.ts';
import { readRetryAfter } from '../../http/response-headers.ts';

/**
 * Wrong with the message, not with the receiver: the next one may pass. All other refusals hold for every message until a
 * person fixes them, so they count as gone: messages for the receiver are then kept until that person resumes it.
 */
const BAD_MESSAGE =
  /^(invalid_payload|invalid_blocks|invalid_blocks_format|invalid_attachments|invalid_json|invalid_arg|invalid_form|invalid_charset|invalid_post_type|msg_too_long|msg_blocks_too_long|too_many_attachments|no_text|missing_text|user_not_found|duplicate_message|metadata_)/;

/** Slack's own troubles, and what passes by itself. */
const PASSING: ReadonlySet<string> = new Set([
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

/** The code of a refusal that holds for every message. */
export const REFUSED = 'TIDINGS_SLACK_REFUSED';

/** The receiver, the token or the app's rights are at fault. */
const REFUSALS =
  /^(channel_not_found|channel_is_archived|is_archived|not_in_channel|no_service|no_service_id|no_team|no_active_hooks|invalid_token|invalid_auth|not_authed|account_inactive|token_|missing_scope|no_permission|not_allowed_token_type|access_denied|accesslimited|action_prohibited|restricted_action|posting_to_|ekm_access_denied|enterprise_is_restricted|team_access_not_granted|team_disabled|two_factor_setup_required|as_user_not_supported|deprecated_endpoint|method_deprecated|cannot_dm_bot|user_is_)/;

/** The message to be replied to is not there, or may not be replied to. */
const THREAD_LOST: ReadonlySet<string> = new Set([
  'thread_not_found',
  'message_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
]);

/** The answer of an incoming webhook: `ok`, or a status and a word. */
export function interpretWebhookResponse(answer: HttpResponse, at: Instant): Receipt {
  const { headers: _, ...response } = answer;
  if (response.status >= 200 && response.status < 300) return response;
  throw refusal(/^\w+/.exec(response.body.trim())?.[0] ?? '', answer, at);
}

export interface Posted extends Receipt {
  /** Names the message. @default - Slack did not tell */
  readonly ts?: string;
}

/** Undefined if the thread no longer exists. */
export function interpretApiResponse(answer: HttpResponse, at: Instant): Posted | undefined {
  const said = readAnswer(answer.body);
  // Slack sends our own long message back. Only its own part is worth keeping.
  const { headers, ...response } = { ...answer, body: said === undefined ? answer.body : JSON.stringify(said) };
  if (said?.ok === true) return { ...response, ts: said.ts };
  if (said?.error !== undefined && THREAD_LOST.has(said.error)) return undefined;
  throw refusal(said?.error ?? '', { headers, ...response }, at);
}

interface Said {
  readonly ok: boolean;
  readonly error?: string;
  readonly ts?: string;
  readonly needed?: string;
}

/**
 * The start of an answer: only its first 4 KB are kept, and the message that Slack sends back may be longer. What we ask
 * for stands before it.
 */
function readAnswer(body: string): Said | undefined {
  const head = body.split(/"message"\s*:\s*\{/, 1)[0] ?? '';
  const ok = /^\s*\{\s*"ok"\s*:\s*(true|false)/.exec(head)?.[1];
  if (ok === undefined) return undefined;
  const value = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([\\w.:, -]{1,200})"`).exec(head)?.[1];
  const [error, ts, needed] = [value('error'), value('ts'), value('needed')];
  return {
    ok: ok === 'true',
    ...(error === undefined ? {} : { error }),
    ...(ts === undefined ? {} : { ts }),
    ...(needed === undefined ? {} : { needed }),
  };
}

function refusal(word: string, { headers, ...evidence }: HttpResponse, at: Instant): Error {
  const { status } = evidence;
  const message = `Slack answered ${status}${word === '' ? '' : ` ${word}`}${HINTS[word] ?? ''}`;
  const give = (code: ErrorCode, gone: boolean) => new GiveUp(code, message, { evidence, gone });
  if (status === 429 || PASSING.has(word))
    return new RetryLater('TIDINGS_SLACK_BUSY', message, { after: readRetryAfter(headers, at), evidence });
  if (BAD_MESSAGE.test(word)) return give('TIDINGS_SLACK_MESSAGE_REFUSED', false);
  if (REFUSALS.test(word) || status === 403 || status === 404 || status === 410) return give(REFUSED, true);
  if (status === 400) return give('TIDINGS_SLACK_MESSAGE_REFUSED', false);
  return new RetryLater('TIDINGS_SLACK_STATUS', message, { after: readRetryAfter(headers, at), evidence });
}

/** What a person has to do, where the word alone does not say it. */
const HINTS: Readonly<Record<string, string>> = {
  account_inactive: ': the app was removed from the workspace',
  channel_is_archived: ': unarchive the channel, or name another',
  channel_not_found: ': there is no such channel, or the bot may not see it',
  invalid_auth: ': the token is not valid',
  is_archived: ': unarchive the channel, or name another',
  missing_scope: ': the bot needs the scope chat:write',
  no_service: ': the webhook was removed',
  not_in_channel: ': invite the bot into the channel',
  token_revoked: ': the token was revoked',
};
