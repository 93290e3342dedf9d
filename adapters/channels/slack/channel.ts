/** Posts to Slack, through an incoming webhook or as a bot with a thread for each record. Words are made in core/events. */

import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { HttpTransport } from '../../http/http-transport.ts';
import { redactResponse } from '../../http/redact-response.ts';
import { type ResolveSecret, withSecrets } from '../../secrets/with-secrets.ts';
import type { SlackMessage } from './block-kit.ts';
import { renderSlackMessage, shouldBroadcastReply } from './render-slack-message.ts';
import type { SlackBotSettings, SlackSettings, SlackWebhookSettings } from './settings.ts';
import { interpretApiResponse, interpretWebhookResponse, type Posted, REFUSED } from './slack-response.ts';
import { SLACK_TEMPLATE_PARTS } from './template-parts.ts';

export interface SlackChannelOptions {
  readonly http: HttpTransport;
  readonly secrets: Secrets;
  /** Where people open records, from the config. */
  readonly links: Links;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
}

export interface SlackChannels {
  channelFor(target: SlackSettings): Channel;
}

const API_URL = 'https://slack.com/api/';

/** Where its messages are posted to. Of a webhook all but the origin is the secret. Throws GiveUp when that cannot be found. */
export async function slackUrl(target: SlackSettings, secrets: Secrets): Promise<URL> {
  const resolve: ResolveSecret = (reference) => secrets.resolve(reference);
  if ('webhook' in target) return webhookOf(target, resolve);
  await tokenOf(target, resolve);
  return new URL('chat.postMessage', target.api ?? API_URL);
}

/** A link in a message is for those who want to look, not to be unfolded under it. */
const MANNERS = { unfurl_links: false, unfurl_media: false };

export function slackChannels({ http, secrets, links, stack }: SlackChannelOptions): SlackChannels {
  return {
    channelFor: (target) => ({
      async send(outbound, signal) {
        const words = await renderSubscriptionTemplate(outbound, { links, parts: SLACK_TEMPLATE_PARTS });
        const text = words?.text;
        // Our own line holds foreign text, and no mark in it is one; a template may well have meant them.
        const message = {
          ...renderSlackMessage(outbound, links, {
            ...(text === undefined ? {} : { template: { text } }),
            ...(stack === undefined ? {} : { stack }),
          }),
          ...MANNERS,
          ...(text === undefined ? { mrkdwn: false } : {}),
        };
        const receipt = await withSecrets(secrets, isRefused, async (resolve) =>
          'webhook' in target
            ? sendToWebhook(http, await webhookOf(target, resolve), message, outbound.at, signal)
            : sendAsBot({ http, token: await tokenOf(target, resolve), target, signal }, outbound, message),
        );
        return words?.problem === undefined ? receipt : { ...receipt, remark: words.problem };
      },
    }),
  };
}

/** Whatever Slack's word is: of a webhook that was replaced it says that there is none. */
function isRefused(error: unknown): boolean {
  return error instanceof GiveUp && [REFUSED, WEBHOOK_INVALID, TOKEN_INVALID].includes(error.code);
}

const WEBHOOK_INVALID = 'TIDINGS_SLACK_WEBHOOK_INVALID';
const TOKEN_INVALID = 'TIDINGS_SLACK_TOKEN_INVALID';

async function sendToWebhook(
  http: HttpTransport,
  url: URL,
  message: SlackMessage,
  at: Instant,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  const answer = await http.post(url, HEADERS, JSON.stringify(message), signal);
  return interpretWebhookResponse(redactResponse(answer, secretsIn(url)), at);
}

/** The whole URL and its secret parts: everything behind the first segment of its path. */
function secretsIn({ href, pathname, search, searchParams }: URL): readonly string[] {
  const [, , ...parts] = pathname.split('/');
  return [href, `${pathname}${search}`, pathname, ...parts, ...searchParams.values()];
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Tidings' };

interface Bot {
  readonly http: HttpTransport;
  readonly token: string;
  readonly target: SlackBotSettings;
  readonly signal: AbortSignal | undefined;
}

/** Under the first message about the record; the thread stays that of the first, for replies to replies are none. */
async function sendAsBot(bot: Bot, outbound: OutboundMessage, message: SlackMessage): Promise<Receipt> {
  if (outbound.thread !== undefined) {
    const reply = { thread_ts: outbound.thread, ...(shouldBroadcastReply(outbound) ? { reply_broadcast: true } : {}) };
    const posted = await post(bot, { ...message, ...reply }, outbound.at);
    if (posted !== undefined) return receiptOf(posted, outbound.thread);
  }
  // There is no thread yet, or its first message was deleted.
  const posted = await post(bot, message, outbound.at);
  if (posted === undefined)
    throw new RetryLater('TIDINGS_SLACK_STATUS', 'Slack says that a thread is missing, but none was asked for');
  return receiptOf(posted, posted.ts);
}

function receiptOf({ ts: _, ...receipt }: Posted, thread: string | undefined): Receipt {
  return thread === undefined ? receipt : { ...receipt, thread };
}

async function post({ http, token, target, signal }: Bot, message: object, at: Instant): Promise<Posted | undefined> {
  const body = JSON.stringify({ channel: target.channel, ...message });
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  const answer = await http.post(new URL('chat.postMessage', target.api ?? API_URL), headers, body, signal);
  return interpretApiResponse(redactResponse(answer, [token]), at);
}

/** The address is the secret: no message may repeat it. */
async function webhookOf({ webhook }: SlackWebhookSettings, resolve: ResolveSecret): Promise<URL> {
  const text = (await resolve(webhook)).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new GiveUp(WEBHOOK_INVALID, "to.slack.webhook: expected a URL as Slack's page of the app shows it");
}

async function tokenOf({ token }: SlackBotSettings, resolve: ResolveSecret): Promise<string> {
  const text = (await resolve(token)).trim();
  // Anything else would break the header, and the error of that would show it.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new GiveUp(TOKEN_INVALID, 'to.slack.token: expected a bot token such as xoxb-…');
}
