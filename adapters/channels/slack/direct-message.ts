/**
 * Finds the direct message of the bot with a person: the member by `mentions` or by mail address, then the conversation. Both
 * are cached, because they rarely change.
 */

import { GiveUp } from '../../../core/model/errors.ts';
import { type JsonObject, jsonObjectOf, jsonTextOf, readJsonObject } from '../../../core/model/json.ts';
import type { Instant } from '../../../core/model/time.ts';
import { describeMissingAddress, type OutboundMessage } from '../../../core/ports/channel.ts';
import type { HttpTransport } from '../../http/http-transport.ts';
import { redactResponse } from '../../http/redact-response.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { findMemberId } from './mentions.ts';
import type { SlackPersonalSettings } from './settings.ts';
import { interpretApiResponse, SLACK_REFUSED } from './slack-response.ts';

/** How the bot calls Slack. */
export interface SlackCaller {
  readonly http: HttpTransport;
  readonly token: string;
  /** Base URL of Slack's API. */
  readonly api: string;
  readonly signal: AbortSignal | undefined;
}

type FindMember = (caller: SlackCaller, target: SlackPersonalSettings, outbound: OutboundMessage) => Promise<string>;

/** More people than one account has. The cache is emptied then, and when the token changes. */
const MAX_CACHED = 10_000;

const PERSON_WITHOUT_ADDRESS = 'TIDINGS_PERSON_WITHOUT_ADDRESS';

/** Returns a function that finds the channel to post to: a direct message, or the fallback. */
export function createMemberLookup(): FindMember {
  const channels = new Map<string, string>();
  return async (caller, target, outbound) => {
    const { recipient, at } = outbound;
    const { fallback, mentions = {}, to } = target;
    const { name = null, address = null } = recipient ?? {};
    const memberId = name === null ? undefined : findMemberId({ ...recipient, name, address }, mentions);
    if (memberId === undefined && address === null) {
      if (fallback !== undefined) return fallback;
      throw new GiveUp(PERSON_WITHOUT_ADDRESS, describeMissingAddress(recipient, `the ${to} of a record`));
    }
    const key = `${caller.api} ${caller.token} ${memberId ?? address}`;
    const cached = channels.get(key);
    if (cached !== undefined) return cached;
    const channel = await openDirectMessage(caller, memberId ?? (await findByAddress(caller, address ?? '', at)), at);
    if (channel === undefined) {
      if (fallback !== undefined) return fallback;
      throw new GiveUp(
        PERSON_WITHOUT_ADDRESS,
        `Slack has no active member with the mail address of ${name ?? address}, or the member has not confirmed it; set fallback, or add the member id to mentions`,
      );
    }
    if (channels.size >= MAX_CACHED) channels.clear();
    channels.set(key, channel);
    return channel;
  };
}

/** Slack's error codes for a person who is not there, deactivated, a bot, or hidden from the app. */
const NO_SUCH_PERSON =
  /\b(users?_not_found|user_disabled|user_not_visible|cannot_dm_bot|user_is_\w+|invalid_user\w*)\b/;

async function findByAddress(caller: SlackCaller, address: string, at: Instant): Promise<string | undefined> {
  const body = new URLSearchParams({ email: address }).toString();
  // This method takes no JSON.
  const text = await call(caller, 'users.lookupByEmail', 'application/x-www-form-urlencoded', body, at);
  const member = jsonObjectOf(readJsonObject(text ?? '')?.user);
  const id = jsonTextOf(member.id);
  return isAddressConfirmed(member) && /^[UW][A-Z0-9]+$/.test(id) ? id : undefined;
}

/**
 * Whether the mail address of a member is theirs. Slack lets people use some workspaces before they confirm it, and does not always say
 * whether they have: only an address that it calls unconfirmed is nobody's.
 */
export const isAddressConfirmed = (member: JsonObject) => member.is_email_confirmed !== false;

async function openDirectMessage(
  caller: SlackCaller,
  member: string | undefined,
  at: Instant,
): Promise<string | undefined> {
  if (member === undefined) return undefined;
  const body = JSON.stringify({ users: member });
  const text = await call(caller, 'conversations.open', 'application/json; charset=utf-8', body, at);
  return text === undefined ? undefined : /"channel"\s*:\s*\{[^{}]*?"id"\s*:\s*"(D[A-Z0-9]+)"/.exec(text)?.[1];
}

/** Texts of a profile must not push out what is read of a person. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Of a response in a receipt. The result comes first. */
const MAX_EVIDENCE_LENGTH = 1000;

/** The response as text; undefined if Slack does not know the person. */
async function call(
  { http, token, api, signal }: SlackCaller,
  method: string,
  contentType: string,
  body: string,
  at: Instant,
): Promise<string | undefined> {
  const headers = { 'content-type': contentType, 'user-agent': USER_AGENT, authorization: `Bearer ${token}` };
  const posted = await http.post(new URL(method, api), headers, body, signal, MAX_RESPONSE_BYTES);
  const response = redactResponse(posted, [token]);
  if (NO_SUCH_PERSON.test(/"error"\s*:\s*"\w+"/.exec(response.body)?.[0] ?? '')) return undefined;
  interpretApiResponse({ ...response, body: response.body.slice(0, MAX_EVIDENCE_LENGTH) }, at);
  return response.body;
}

/** An error of one person's conversation says nothing about the others: the subscription must not be disabled for it. */
export function aboutPerson(error: unknown): never {
  const isOfPerson =
    error instanceof GiveUp &&
    error.code === SLACK_REFUSED &&
    /\b(channel|is_archived|not_in_channel|user_|cannot_dm_bot)/.test(error.message);
  if (!isOfPerson) throw error;
  throw new GiveUp(PERSON_WITHOUT_ADDRESS, error.message, { evidence: error.evidence, cause: error });
}
