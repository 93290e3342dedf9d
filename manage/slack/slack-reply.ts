/** Answers a person: through the response URL of the request, or as a message that only they see. */

import { readRetryAfter } from '../../adapters/http/response-headers.ts';
import { RetryLater, TidingsError } from '../../core/model/errors.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import { code } from './blocks.ts';
import { fitReply, type SlackReply } from './fit-reply.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { RunningTask } from './slack-task.ts';

/** `replace`: instead of the message with the pressed button; `remove`: deletes that message. */
export type ReplyMode = 'add' | 'replace' | 'remove';

/** Slack's error codes for a channel that the bot cannot post to. */
const NO_ACCESS = /^(not_in_channel|channel_not_found|user_not_in_channel|is_archived|restricted_action)/;

export const hasNoAccess = (error: string) => NO_ACCESS.test(error);

/** Slack took no answer to a task: the person has got a short text in its place, if Slack takes that. */
export class AnswerRefused extends TidingsError {
  override readonly name = 'AnswerRefused';

  constructor(verb: string, error: string) {
    super('TIDINGS_SLACK_REFUSED', `Slack refused the answer to '${verb}': ${error}`);
  }
}

/** Only the person who asked sees the answer. Throws `AnswerRefused`. */
export async function replyTo(
  ports: SlackPorts,
  running: RunningTask,
  reply: SlackReply,
  mode: ReplyMode = 'add',
): Promise<void> {
  const error = await send(ports, running, fitReply(reply), mode);
  if (error === undefined) return;
  const text = `Slack refused the answer of Tidings (${code(error)}), so it cannot be shown. What you asked for may be done: ${code('/tidings list')} shows what this channel gets.`;
  await send(ports, running, { text }, 'add');
  throw new AnswerRefused(running.task.verb, error);
}

/** Returns Slack's error; undefined if it was sent. */
async function send(
  ports: SlackPorts,
  running: RunningTask,
  reply: SlackReply,
  mode: ReplyMode,
): Promise<string | undefined> {
  const { responseUrl } = running.task;
  if (responseUrl !== undefined && (await running.useResponseUrl())) {
    const url = await ports.secrets.resolve(responseUrl);
    const isDone = await respond(ports, url, reply, mode).catch((error: unknown) => {
      // After a failed run, a message in the channel is better than no answer.
      if (running.task.failures === 0 || !(error instanceof RetryLater)) throw error;
      return false;
    });
    if (isDone) return undefined;
  }
  return mode === 'remove' ? undefined : sendPrivately(ports, running, reply);
}

/** False if Slack does not accept it any more: the URL is used up, too old, or not in this channel. */
export async function respond(ports: SlackPorts, url: string, reply: SlackReply, mode: ReplyMode): Promise<boolean> {
  const body = {
    ...(mode === 'remove' ? { delete_original: true } : reply),
    ...(mode === 'replace' ? { replace_original: true } : {}),
    ...(mode === 'add' ? { response_type: 'ephemeral', replace_original: false } : {}),
  };
  const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Tidings' };
  const response = await ports.http.post(new URL(url), headers, JSON.stringify(body));
  if (response.status === 429 || response.status >= 500) {
    const after = readRetryAfter(response.headers, ports.clock.now());
    throw new RetryLater('TIDINGS_SLACK_BUSY', `Slack answered ${response.status} to a response`, { after });
  }
  return response.status < 300;
}

/** As an ephemeral message in the channel; where the bot has no access, as a direct message. Returns Slack's error. */
async function sendPrivately(ports: SlackPorts, { task }: RunningTask, reply: SlackReply): Promise<string | undefined> {
  const { channel, user, thread } = task.place;
  if (channel !== '') {
    const args = { channel, user, ...reply, thread_ts: thread };
    const posted = await ports.slack.call('chat.postEphemeral', args);
    if (posted.ok) return undefined;
    // What the channel gets, and buttons that change it, are not for people who have left it.
    if (posted.error === 'user_not_in_channel') {
      const text = `Tidings answers only people who are in <#${channel}>, and you are not.`;
      const notice = await postDirectly(ports, user, { text });
      return notice.ok ? undefined : notice.error;
    }
  }
  const sent = await postDirectly(ports, user, reply);
  return sent.ok ? undefined : sent.error;
}

type DirectMessage =
  | { readonly ok: true; readonly channel: string; readonly ts: string }
  | { readonly ok: false; readonly error: string };

/** A direct message of the bot. Returns its channel and id; undefined if Slack does not allow it. */
export async function sendDirectly(
  ports: Pick<SlackPorts, 'slack'>,
  user: string,
  reply: SlackReply,
): Promise<{ readonly channel: string; readonly ts: string } | undefined> {
  const sent = await postDirectly(ports, user, reply);
  return sent.ok ? { channel: sent.channel, ts: sent.ts } : undefined;
}

async function postDirectly(
  { slack }: Pick<SlackPorts, 'slack'>,
  user: string,
  reply: SlackReply,
): Promise<DirectMessage> {
  const opened = await slack.call('conversations.open', { users: user });
  if (!opened.ok) return opened;
  const channel = jsonTextOf(jsonObjectOf(opened.body.channel).id);
  const posted = await slack.call('chat.postMessage', { channel, ...reply, ...NO_PREVIEWS });
  return posted.ok ? { ok: true, channel, ts: jsonTextOf(posted.body.ts) } : posted;
}

export const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };
