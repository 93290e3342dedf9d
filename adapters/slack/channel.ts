/** Posts to Slack, through an incoming webhook or as a bot with a thread for each record. Words are made in core/events. */

import type { Links } from '../../core/events/link.ts';
import type { SlackMessage } from '../../core/events/slack-kit.ts';
import { isForTheChannel, slackMessage, type Words } from '../../core/events/slack-message.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { SlackBotTarget, SlackTarget, SlackWebhookTarget } from '../../core/model/subscription.ts';
import type { Channel, Parcel, Receipt } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { openPoster, type Poster, type PosterOptions } from '../http/post.ts';
import { judgePost, judgeWebhook, type Posted } from './judge.ts';

export interface SlackChannelOptions extends PosterOptions {
  readonly secrets: Secrets;
  /** Where people open records, from the config. */
  readonly links: Links;
  /** What the subscription's template makes of a parcel. @default - always our own words */
  readonly words?: (parcel: Parcel) => Words | undefined;
  /** For tests and stand-ins. @default https://slack.com/api/ */
  readonly apiUrl?: string;
}

export interface SlackChannels {
  channelFor(target: SlackTarget): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const API_URL = 'https://slack.com/api/';

/** A link in a message is for those who want to look, not to be unfolded under it. */
const MANNERS = { unfurl_links: false, unfurl_media: false };

export function slackChannels({
  secrets,
  links,
  words,
  apiUrl = API_URL,
  ...options
}: SlackChannelOptions): SlackChannels {
  const poster = openPoster(options);
  const compose = (parcel: Parcel) => {
    const made = words?.(parcel);
    // Our own line holds foreign text, and no mark in it is one; a template may well have meant them.
    return { ...slackMessage(parcel, links, made), ...MANNERS, ...(made === undefined ? { mrkdwn: false } : {}) };
  };
  return {
    channelFor: (target) => ({
      async send(parcel, signal) {
        const message = compose(parcel);
        return 'webhook' in target
          ? sendToWebhook(poster, await webhookOf(target, secrets), message, signal)
          : sendAsBot({ poster, apiUrl, token: await tokenOf(target, secrets), target, signal }, parcel, message);
      },
    }),
    close: () => poster.close(),
  };
}

async function sendToWebhook(
  poster: Poster,
  url: URL,
  message: SlackMessage,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  return judgeWebhook(await poster.post(url, HEADERS, JSON.stringify(message), signal));
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Tidings' };

interface Bot {
  readonly poster: Poster;
  readonly apiUrl: string;
  readonly token: string;
  readonly target: SlackBotTarget;
  readonly signal: AbortSignal | undefined;
}

/** Under the first message about the record; the thread stays that of the first, for replies to replies are none. */
async function sendAsBot(bot: Bot, parcel: Parcel, message: SlackMessage): Promise<Receipt> {
  if (parcel.thread !== undefined) {
    const reply = { thread_ts: parcel.thread, ...(isForTheChannel(parcel) ? { reply_broadcast: true } : {}) };
    const posted = await post(bot, { ...message, ...reply });
    if (posted !== undefined) return receiptOf(posted, parcel.thread);
  }
  // There was none yet, or somebody deleted it.
  const posted = await post(bot, message);
  if (posted === undefined)
    throw new RetryLater('TIDINGS_SLACK_STATUS', 'Slack says that a thread is missing, but none was asked for');
  return receiptOf(posted, posted.ts);
}

function receiptOf({ ts: _, ...receipt }: Posted, thread: string | undefined): Receipt {
  return thread === undefined ? receipt : { ...receipt, thread };
}

async function post({ poster, apiUrl, token, target, signal }: Bot, message: object): Promise<Posted | undefined> {
  const body = JSON.stringify({ channel: target.channel, ...message });
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  return judgePost(await poster.post(new URL('chat.postMessage', apiUrl), headers, body, signal));
}

/** The address is the secret: no message may repeat it. */
async function webhookOf({ webhook }: SlackWebhookTarget, secrets: Secrets): Promise<URL> {
  const text = (await secrets.resolve(webhook)).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new GiveUp(
    'TIDINGS_SLACK_WEBHOOK_INVALID',
    "to.slack.webhook: expected a URL as Slack's page of the app shows it",
  );
}

async function tokenOf({ token }: SlackBotTarget, secrets: Secrets): Promise<string> {
  const text = (await secrets.resolve(token)).trim();
  // Anything else would break the header, and the error of that would show it.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new GiveUp('TIDINGS_SLACK_TOKEN_INVALID', 'to.slack.token: expected a bot token such as xoxb-…');
}
