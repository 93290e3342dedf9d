/** The methods `conversations.*` and `users.*` of Slack's Web API: who and what there is. */

import type { JsonObject } from './json.ts';
import { type ApiParts, isError, type MethodDefinition, type MethodError, type MethodResult } from './method.ts';
import { TEAM_ID } from './people.ts';
import { channelJson, personJson } from './wire.ts';
import type { SlackChannel } from './workspace.ts';

/** A channel that the bot may read, with the scope for its kind. */
function readable({ channel: id }: JsonObject, { workspace, scopes }: ApiParts): SlackChannel | MethodError {
  const channel = workspace.channels.find((one) => one.id === id);
  if (channel === undefined) return { ok: false, error: 'channel_not_found' };
  const needed = channel.direct !== undefined ? 'im:read' : channel.isPrivate ? 'groups:read' : 'channels:read';
  if (!scopes.includes(needed)) return { ok: false, error: 'missing_scope', needed };
  return channel.isPrivate && !channel.hasBot ? { ok: false, error: 'channel_not_found' } : channel;
}

function info(args: JsonObject, parts: ApiParts): MethodResult {
  const channel = readable(args, parts);
  return isError(channel) ? channel : { ok: true, channel: channelJson(channel) };
}

function members(args: JsonObject, parts: ApiParts): MethodResult {
  const channel = readable(args, parts);
  if (isError(channel)) return channel;
  const people = parts.workspace.people.filter((one) => parts.workspace.isMember(channel, one)).map(({ id }) => id);
  const all = channel.hasBot ? [...people, parts.app.identity.botUser] : people;
  return { ok: true, members: all, response_metadata: { next_cursor: '' } };
}

function open({ users }: JsonObject, { workspace }: ApiParts): MethodResult {
  if (typeof users !== 'string' || users === '') return { ok: false, error: 'users_list_not_supplied' };
  if (workspace.person(users) === undefined) return { ok: false, error: 'user_not_found' };
  return { ok: true, channel: { id: workspace.openDirect(users).id } };
}

function userInfo({ user }: JsonObject, { workspace, app, scopes }: ApiParts): MethodResult {
  if (user === app.identity.botUser)
    return {
      ok: true,
      user: { id: user, team_id: TEAM_ID, name: app.name.toLowerCase(), real_name: app.name, is_bot: true },
    };
  const person = typeof user === 'string' ? workspace.person(user) : undefined;
  if (person === undefined) return { ok: false, error: 'user_not_found' };
  return { ok: true, user: personJson(person, scopes.includes('users:read.email')) };
}

function lookupByEmail({ email }: JsonObject, { workspace }: ApiParts): MethodResult {
  if (typeof email !== 'string' || email === '') return { ok: false, error: 'invalid_arguments' };
  const person = workspace.people.find((one) => one.email?.toLowerCase() === email.toLowerCase());
  if (person === undefined) return { ok: false, error: 'users_not_found' };
  return { ok: true, user: personJson(person, true) };
}

export const channelMethods: Readonly<Record<string, MethodDefinition>> = {
  'conversations.info': { perMinute: 50, isFormOnly: true, call: info },
  'conversations.members': { perMinute: 100, isFormOnly: true, call: members },
  'conversations.open': { scope: 'im:write', perMinute: 50, call: open },
  'users.info': { scope: 'users:read', perMinute: 100, isFormOnly: true, call: userInfo },
  'users.lookupByEmail': { scope: 'users:read.email', perMinute: 50, isFormOnly: true, call: lookupByEmail },
};
