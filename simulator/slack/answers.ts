/** What an app answers to a command or to a pressed button: a new message, a replacement, or a removal. It knows no HTTP. */

import { isObject, type Json, type JsonObject, stringOr } from './json.ts';
import { readPayload } from './payload.ts';
import type { ResponseTarget } from './temporary-tokens.ts';
import type { Workspace } from './workspace.ts';

/** Whether an answer has content. Slack's own client acknowledges with `{}`. */
export const hasContent = (answer: Json | undefined): answer is JsonObject =>
  isObject(answer) && ['text', 'blocks', 'attachments', 'delete_original'].some((field) => answer[field] !== undefined);

/** Carries out an answer. The result is Slack's error, undefined if there is none. */
export function applyAnswer(workspace: Workspace, target: ResponseTarget, answer: JsonObject): string | undefined {
  const channel = workspace.find(target.channel);
  if (channel === undefined) return 'channel_not_found';
  const { source } = target;
  const original =
    source === undefined
      ? undefined
      : (workspace.findMessage(channel.id, source) ?? workspace.findEphemeral(channel.id, source));
  if (answer.delete_original === true || answer.delete_original === 'true') {
    if (original !== undefined) workspace.remove(original);
    return undefined;
  }
  const payload = readPayload(answer);
  if ('wrong' in payload)
    return payload.wrong === 'no_text' ? 'no_text' : payload.isTooLong ? 'msg_blocks_too_long' : 'invalid_blocks';
  // A command has no original: its answers are new messages.
  const isReplacement = answer.replace_original === true || answer.replace_original === 'true';
  if (isReplacement && original !== undefined) {
    workspace.edit(original, payload);
    return undefined;
  }
  const threadTs = typeof answer.thread_ts === 'string' ? answer.thread_ts : undefined;
  if (stringOr(answer.response_type, 'ephemeral') === 'in_channel')
    workspace.post(channel, payload, { by: 'bot', threadTs });
  else workspace.postEphemeral(channel, payload, target.user, { by: 'bot', threadTs });
  return undefined;
}
