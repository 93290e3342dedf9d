/** Posts to Slack: through an incoming webhook, or as a bot with one thread per record. */

import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { errorMessage, GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { HttpTransport } from '../../http/http-transport.ts';
import { redactResponse, urlSecrets } from '../../http/redact-response.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { type ResolveSecret, withSecrets } from '../../secrets/with-secrets.ts';
import type { SlackMessage } from './block-kit.ts';
import { aboutPerson, createMemberLookup, type SlackCaller } from './direct-message.ts';
import { isResolved, renderSlackMessage, shouldBroadcastReply } from './render-slack-message.ts';
import {
  isSentByApp,
  type SlackApp,
  type SlackBotSettings,
  type SlackSettings,
  type SlackWebhookSettings,
  slackApiOf,
} from './settings.ts';
import { interpretApiResponse, interpretWebhookResponse, type PostedMessage, SLACK_REFUSED } from './slack-response.ts';
import { SLACK_TEMPLATE_PARTS } from './template-parts.ts';

export interface SlackChannelOptions {
  readonly http: HttpTransport;
  readonly secrets: Secrets;
  /** Link templates of the config. */
  readonly links: Links;
  /** The app of the config: its token is the default, and messages get buttons. @default - no app */
  readonly app?: SlackApp;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
}

export interface SlackChannels {
  channelFor(target: SlackSettings): Channel;
}

/** The URL that messages are posted to. The path of a webhook is secret. Throws GiveUp if the secret does not exist. */
export async function slackUrl(target: SlackSettings, secrets: Secrets, app?: SlackApp): Promise<URL> {
  const resolve: ResolveSecret = (reference) => secrets.resolve(reference);
  if ('webhook' in target) return webhookOf(target, resolve);
  await tokenOf(target, app, resolve);
  return new URL('chat.postMessage', slackApiOf(target, app));
}

/** Disables link previews. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

export function slackChannels({ http, secrets, links, app, stack }: SlackChannelOptions): SlackChannels {
  const findMember = createMemberLookup();
  return {
    channelFor: (target) => ({
      async send(outbound, signal) {
        const rendered = await renderSubscriptionTemplate(outbound, { links, parts: SLACK_TEMPLATE_PARTS });
        const text = rendered?.texts.text;
        // The default line contains external text, in which markup must not be parsed. Templates may use markup.
        const render = (given: OutboundMessage) => ({
          ...renderSlackMessage(given, links, {
            template: text === undefined ? undefined : { text },
            stack,
            hasButtons: hasButtons(target, app),
          }),
          ...NO_PREVIEWS,
          ...(text === undefined ? { mrkdwn: false } : {}),
        });
        const message = render(outbound);
        const receipt = await withSecrets(secrets, isRefused, async (resolve) => {
          if ('webhook' in target)
            return sendToWebhook(http, await webhookOf(target, resolve), message, outbound.at, signal);
          const bot = { http, token: await tokenOf(target, app, resolve), api: slackApiOf(target, app), signal };
          if ('channel' in target) {
            const renderParent = () => render({ ...outbound, thread: undefined });
            return sendToChannel(bot, target, { outbound, message, renderParent });
          }
          const channel = await findMember(bot, target, outbound);
          // The fallback reads messages of others.
          if (channel === target.fallback) return sendAsBot({ ...bot, channel }, outbound, render(ofOther(outbound)));
          return sendAsBot({ ...bot, channel }, outbound, message).catch(aboutPerson);
        });
        return rendered?.problem === undefined ? receipt : { ...receipt, remark: rendered.problem };
      },
    }),
  };
}

/** Slack sends presses of a button to the app that posted it: messages of other bots have none. */
function hasButtons(target: SlackSettings, app: SlackApp | undefined): boolean {
  return app !== undefined && isSentByApp(target, app);
}

function ofOther({ recipient, ...outbound }: OutboundMessage): OutboundMessage {
  return recipient === undefined ? outbound : { ...outbound, recipient: { ...recipient, address: null } };
}

/** Any refusal may mean that the cached secret is outdated: for a replaced webhook Slack responds `no_service`. */
function isRefused(error: unknown): boolean {
  return error instanceof GiveUp && [SLACK_REFUSED, WEBHOOK_INVALID, TOKEN_INVALID].includes(error.code);
}

const WEBHOOK_INVALID = 'TIDINGS_SLACK_WEBHOOK_INVALID';
const TOKEN_INVALID = 'TIDINGS_SLACK_TOKEN_INVALID';
const NO_APP_TOKEN = 'to.slack.token: expected a bot token, because the config has no section slack';

async function sendToWebhook(
  http: HttpTransport,
  url: URL,
  message: SlackMessage,
  at: Instant,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  const response = await http.post(url, HEADERS, JSON.stringify(message), signal);
  return interpretWebhookResponse(redactResponse(response, urlSecrets(url)), at);
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': USER_AGENT };

interface Bot extends SlackCaller {
  /** Id or name of the channel, or the id of a direct message. */
  readonly channel: string;
}

interface ChannelPost {
  readonly outbound: OutboundMessage;
  readonly message: SlackMessage;
  /** The same as the first message of a thread, with all facts. */
  readonly renderParent: () => SlackMessage;
}

async function sendToChannel(
  caller: SlackCaller,
  { channel, thread, threads = 'all' }: SlackBotSettings,
  { outbound, message, renderParent }: ChannelPost,
): Promise<Receipt> {
  const bot = { ...caller, channel };
  if (thread !== undefined) {
    const posted = await post(bot, { ...message, thread_ts: thread }, outbound.at);
    if (posted === undefined) throw new GiveUp(SLACK_REFUSED, THREAD_GONE, { gone: true });
    return toReceipt(posted, undefined);
  }
  const receipt = await sendAsBot(bot, outbound, message, threads === 'late' && shouldBroadcastReply(outbound));
  const isReply = outbound.thread !== undefined && receipt.thread === outbound.thread;
  if (!isReply || !isResolved(outbound)) return receipt;
  const problem = await updateParent(bot, outbound.thread, renderParent(), outbound.at);
  return problem === undefined ? receipt : { ...receipt, remark: problem };
}

const THREAD_GONE = 'Slack answered thread_not_found: the thread of this subscription was deleted';

/** The first message shows how it ended. The reply is posted already, so a failure is only a remark. */
async function updateParent(bot: Bot, ts: string, message: object, at: Instant): Promise<string | undefined> {
  try {
    await callMethod(bot, 'chat.update', { channel: bot.channel, ts, ...message }, at);
    return undefined;
  } catch (error) {
    return `delivered, but the first message of the thread was not updated: ${errorMessage(error)}`;
  }
}

/** Replies to the first message about the record. The thread id stays that of the first message: Slack does not nest replies. */
async function sendAsBot(
  bot: Bot,
  outbound: OutboundMessage,
  message: SlackMessage,
  isBroadcast = false,
): Promise<Receipt> {
  if (outbound.thread !== undefined) {
    const reply = { thread_ts: outbound.thread, ...(isBroadcast ? { reply_broadcast: true } : {}) };
    const posted = await post(bot, { ...message, ...reply }, outbound.at);
    if (posted !== undefined) return toReceipt(posted, outbound.thread);
  }
  // The record has no thread yet, or its first message was deleted.
  const posted = await post(bot, message, outbound.at);
  if (posted === undefined)
    throw new RetryLater('TIDINGS_SLACK_STATUS', 'Slack reports a missing thread for a message without a thread');
  return toReceipt(posted, posted.ts);
}

function toReceipt({ ts: _, ...receipt }: PostedMessage, thread: string | undefined): Receipt {
  return thread === undefined ? receipt : { ...receipt, thread };
}

function post(bot: Bot, message: object, at: Instant): Promise<PostedMessage | undefined> {
  return callMethod(bot, 'chat.postMessage', { channel: bot.channel, ...message }, at);
}

async function callMethod(
  { http, token, api, signal }: SlackCaller,
  method: string,
  body: object,
  at: Instant,
): Promise<PostedMessage | undefined> {
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  const response = await http.post(new URL(method, api), headers, JSON.stringify(body), signal);
  return interpretApiResponse(redactResponse(response, [token]), at);
}

/** The URL is secret: the error does not contain it. */
async function webhookOf({ webhook }: SlackWebhookSettings, resolve: ResolveSecret): Promise<URL> {
  const text = (await resolve(webhook)).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new GiveUp(
    WEBHOOK_INVALID,
    "to.slack.webhook: expected the URL of an incoming webhook, as on the app's page in Slack",
  );
}

async function tokenOf(
  { token = '' }: Pick<SlackBotSettings, 'token'>,
  app: SlackApp | undefined,
  resolve: ResolveSecret,
): Promise<string> {
  const reference = token === '' ? app?.token : token;
  if (reference === undefined) throw new GiveUp(TOKEN_INVALID, NO_APP_TOKEN);
  const text = (await resolve(reference)).trim();
  // Other characters would make the header invalid, and the error would contain the token.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new GiveUp(TOKEN_INVALID, 'to.slack.token: expected a bot token such as xoxb-…');
}
