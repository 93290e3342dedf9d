/** The methods `chat.*` of Slack's Web API: post, change and delete messages. */

import type { JsonObject } from './json.ts';
import { type ApiParts, isError, type MethodDefinition, type MethodError, type MethodResult } from './method.ts';
import { type Payload, readPayload } from './payload.ts';
import { messageJson } from './wire.ts';
import type { PostedMessage, SlackChannel } from './workspace.ts';

const fail = (error: string, message?: string): MethodError => ({ ok: false, error, message });

/** A channel that the bot may write to. */
function writable({ channel: name }: JsonObject, { workspace, scopes }: ApiParts): SlackChannel | MethodError {
  // The id of a person is their direct message with the bot.
  const isPerson = typeof name === 'string' && workspace.person(name) !== undefined;
  const channel = typeof name !== 'string' ? undefined : isPerson ? workspace.openDirect(name) : workspace.find(name);
  // A bot does not see a private channel that it is not in.
  if (channel === undefined || (channel.isPrivate && !channel.hasBot)) return fail('channel_not_found');
  if (channel.isArchived) return fail('is_archived');
  return channel.hasBot || scopes.includes('chat:write.public') ? channel : fail('not_in_channel');
}

function contentOf(args: JsonObject): Payload | MethodError {
  const payload = readPayload(args);
  if (!('wrong' in payload)) return payload;
  if (payload.wrong === 'no_text') return fail('no_text');
  return fail(payload.isTooLong ? 'msg_blocks_too_long' : 'invalid_blocks', payload.wrong);
}

function postMessage(args: JsonObject, parts: ApiParts): MethodResult {
  const { workspace } = parts;
  const channel = writable(args, parts);
  if (isError(channel)) return channel;
  const seconds = workspace.waitFor(channel);
  if (seconds > 0) return { ok: false, error: 'ratelimited', retryAfter: seconds };
  const payload = contentOf(args);
  if (isError(payload)) return payload;
  const thread = typeof args.thread_ts === 'string' ? args.thread_ts : undefined;
  if (thread !== undefined && workspace.findMessage(channel.id, thread) === undefined) return fail('thread_not_found');
  const message = workspace.post(channel, payload, {
    by: 'bot',
    isBroadcast: args.reply_broadcast === true,
    threadTs: thread,
  });
  return { ok: true, channel: channel.id, ts: message.ts, message: messageJson(message, parts.app.identity) };
}

function postEphemeral(args: JsonObject, parts: ApiParts): MethodResult {
  const { workspace } = parts;
  const channel = writable(args, parts);
  if (isError(channel)) return channel;
  const person = typeof args.user === 'string' ? workspace.person(args.user) : undefined;
  if (person === undefined || !workspace.isMember(channel, person)) return fail('user_not_in_channel');
  const payload = contentOf(args);
  if (isError(payload)) return payload;
  const threadTs = typeof args.thread_ts === 'string' ? args.thread_ts : undefined;
  return { ok: true, message_ts: workspace.postEphemeral(channel, payload, person.id, { by: 'bot', threadTs }).ts };
}

/** A message of the bot's own. Ephemeral messages cannot be changed or deleted this way. */
function ownMessage(
  args: JsonObject,
  { workspace }: ApiParts,
  denied: 'cant_update_message' | 'cant_delete_message',
): PostedMessage | MethodError {
  const channel = typeof args.channel === 'string' ? workspace.find(args.channel) : undefined;
  if (channel === undefined) return fail('channel_not_found');
  const message = typeof args.ts === 'string' ? workspace.findMessage(channel.id, args.ts) : undefined;
  if (message === undefined) return fail('message_not_found');
  return message.by === 'bot' ? message : fail(denied);
}

function update(args: JsonObject, parts: ApiParts): MethodResult {
  const { workspace, app } = parts;
  const message = ownMessage(args, parts, 'cant_update_message');
  if (isError(message)) return message;
  const payload = contentOf(args);
  if (isError(payload)) return payload;
  workspace.edit(message, payload);
  const changed = workspace.findMessage(message.channel, message.ts) ?? message;
  return {
    ok: true,
    channel: message.channel,
    ts: message.ts,
    text: payload.text,
    message: messageJson(changed, app.identity),
  };
}

function remove(args: JsonObject, parts: ApiParts): MethodResult {
  const message = ownMessage(args, parts, 'cant_delete_message');
  if (isError(message)) return message;
  parts.workspace.remove(message);
  return { ok: true, channel: message.channel, ts: message.ts };
}

function permalink(args: JsonObject, { workspace, url }: ApiParts): MethodResult {
  const channel = typeof args.channel === 'string' ? workspace.find(args.channel) : undefined;
  if (channel === undefined) return fail('channel_not_found');
  const ts = typeof args.message_ts === 'string' ? args.message_ts : '';
  if (workspace.findMessage(channel.id, ts) === undefined) return fail('message_not_found');
  return { ok: true, channel: channel.id, permalink: `${url()}/?channel=${channel.id}#${ts}` };
}

export const chatMethods: Readonly<Record<string, MethodDefinition>> = {
  // Limited per channel.
  'chat.postMessage': { scope: 'chat:write', call: postMessage },
  'chat.postEphemeral': { scope: 'chat:write', perMinute: 100, call: postEphemeral },
  'chat.update': { scope: 'chat:write', perMinute: 50, call: update },
  'chat.delete': { scope: 'chat:write', perMinute: 50, call: remove },
  'chat.getPermalink': { call: permalink },
};
